import { z } from 'zod'
import { thinAnswer } from '../../core/capability.ts'
import { markIn, NONE_RECOGNISED } from '../../core/provenance.ts'
import { RecalledItem, type RecallResponse } from './schemas.ts'

const ThinItem = RecalledItem.omit({ url: true, provenance: true, trust: true, fits: true }).extend({
  home: z.string().describe('you, team or public'),
  trust: z.string().optional(),
  fits: z.string().optional(),
  contains_instructions: z.literal(true).optional(),
  contains_instructions_note: z.literal(NONE_RECOGNISED).optional(),
})

/** A model gets the items without the text for hooks, which repeats them. */
export const thinRecall = thinAnswer({
  input: z.object({}),
  output: z
    .object({ silent: z.boolean(), reason: z.string(), items: z.array(ThinItem) })
    .describe('silent, reason, items [kind, id, title, fix]'),
  of: ({ silent, reason, items }: z.output<typeof RecallResponse>) => ({
    silent,
    reason,
    items: items.map(({ url: _, provenance, trust, fits, ...item }) => ({
      ...item,
      home: provenance.origin ? `public, pulled from ${provenance.origin}` : provenance.owner,
      ...markIn(provenance),
      ...(trust ? { trust } : {}),
      ...(fits ? { fits } : {}),
    })),
  }),
})
