import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx } from '../../core/context.ts'
import { AnswerId } from '../../core/schemas.ts'
import { removeDeletable } from '../cards/delete.ts'
import { record } from '../cards/record.ts'
import { CaseCreate } from '../cards/schemas.ts'
import { requireUser } from '../identity/users/users.ts'
import { sampleRows } from './first-steps.store.ts'
import { SAMPLE_CARDS } from './sample-cards.ts'

export const addSamples = capability({
  name: 'samples.add',
  summary: 'Add the sample cards that you do not have, to your personal workspace',
  description: 'They are private, like every new card, and do not count as a step of the checklist.',
  scopes: ['account'],
  rest: ['POST /api/v1/samples'],
  input: z.object({}),
  output: z.object({ added: z.int() }).meta({ id: 'SamplesAdded' }),
  run: (ctx) =>
    inTx(ctx, async (ctx) => {
      const present = new Set((await sampleRows(ctx.db, ctx.viewer.userId)).map(({ sample }) => sample))
      const missing = Object.entries(SAMPLE_CARDS).filter(([sample]) => !present.has(sample))
      const { personal_workspace_id: workspace_id } = await requireUser(ctx, ctx.viewer.userId)
      for (const [sample, card] of missing)
        await record(ctx, CaseCreate.parse({ ...card, workspace_id }), { sample })
      return { added: missing.length }
    }),
})

/** A sample that was edited, shared or published is the person's own work. */
const isUnchanged = ({ version, status }: { version: number; status: string }) =>
  version === 1 && status === 'unpublished'

export const removeSamples = capability({
  name: 'samples.remove',
  summary: 'Remove your sample cards; those that were changed or shared stay and are named',
  description: 'They can be brought back for 30 days, like every deleted card.',
  scopes: ['account'],
  rest: ['DELETE /api/v1/samples'],
  input: z.object({}),
  output: z
    .object({
      removed: z.int(),
      kept: z.array(z.object({ card_id: AnswerId, title: z.string() })),
    })
    .meta({ id: 'SamplesRemoved' }),
  run: (ctx) =>
    inTx(ctx, async (ctx) => {
      const rows = await sampleRows(ctx.db, ctx.viewer.userId)
      const unchanged = rows.filter(isUnchanged)
      for (const row of unchanged) await removeDeletable(ctx, row.card_id)
      const kept = rows.filter((row) => !isUnchanged(row))
      return {
        removed: unchanged.length,
        kept: kept.map(({ card_id, title }) => ({ card_id, title })),
      }
    }),
})
