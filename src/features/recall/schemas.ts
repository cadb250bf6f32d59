import { z } from 'zod'
import { thinAnswer } from '../../core/capability.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { markIn, NONE_RECOGNISED, Provenance } from '../../core/untrusted-text.ts'
import { ProjectKey } from '../memory/index.ts'
import { EnvironmentAsked } from '../search/index.ts'

const MOMENTS = ['failure', 'prompt', 'start', 'compact', 'before'] as const
export type Moment = (typeof MOMENTS)[number]

const MAX_TEXT_CHARACTERS = 64 * 1024
const MAX_LABEL_LENGTH = 500
const MAX_EXCLUDED = 200
export const MAX_ABOUT = 10

const Label = z.string().trim().min(1).max(MAX_LABEL_LENGTH).nullish()

export const RecallRequest = z
  .object({
    moment: z.enum(MOMENTS),
    text: z
      .string()
      .min(1)
      .max(MAX_TEXT_CHARACTERS)
      .optional()
      .describe(
        'The prompt; for failure a line `$ command`, a line `exit code n`, then the output; for before the file or command',
      ),
    project_key: ProjectKey.optional(),
    environment: EnvironmentAsked.optional(),
    session_id: Label,
    client: Label,
    budget_chars: z.int().min(200).max(8000).optional().describe('Default 1200, start and compact 6000'),
    exclude: z.array(Id).max(MAX_EXCLUDED).optional(),
    about: z
      .array(Id)
      .min(1)
      .max(MAX_ABOUT)
      .optional()
      .describe('For before: what names the file or command, by GET /project-context/names'),
    /** An answer in this session did not arrive, so `exclude` alone says what the agent knows. */
    lost_answer: z.boolean().optional(),
  })
  .meta({ id: 'RecallRequest' })

const TEXT_OF_TOOL = 'The prompt; for failure a line `$ command`, a line `exit code n`, then the output'

/** Agents have no list of names, so their tool does not know the moment before a tool. */
export const RecallToolRequest = RecallRequest.omit({ about: true }).extend({
  moment: z.enum(['failure', 'prompt', 'start', 'compact']),
  text: RecallRequest.shape.text.describe(TEXT_OF_TOOL),
})

const REASONS = [
  'fits',
  'no_failure',
  'nothing_fits',
  'already_shown',
  'said_by_facts',
  'nothing_known',
] as const
export type Reason = (typeof REASONS)[number]

const RecalledItem = z
  .object({
    kind: z.enum(['card', 'fact', 'event', 'commit']),
    id: AnswerId.describe('card_id, raw_id of memory, or commit_id'),
    title: z.string(),
    fix: z.string().describe('The beginning of the fix, or what memory says'),
    steps_short: z.array(z.string()).describe('The first steps, shortened; commands first'),
    trust: z.string().nullable().describe('What people found, in words; null: no verdicts yet'),
    fits: z
      .enum(['exact', 'likely', 'older', 'unknown'])
      .nullable()
      .describe('Whether it is about what environment names; null where none was sent'),
    review: z
      .array(z.string())
      .optional()
      .describe('Rules of danger by which the review marks the card, such as download_host'),
    commit: z
      .object({
        ref: z.string().describe('Hash of the commit, or the name of another source'),
        committed_at: Time,
        files: z.array(z.string()),
        trailers: z.array(z.string()),
        reverted_in: z.string().optional(),
      })
      .optional()
      .describe('With kind commit'),
    why: z.string().describe('What matched where'),
    url: z.string(),
    provenance: Provenance,
  })
  .meta({ id: 'RecalledItem' })

export const RecallResponse = z
  .object({
    call_id: AnswerId,
    silent: z.boolean(),
    reason: z
      .enum(REASONS)
      .describe(
        'fits: something is delivered. no_failure: the text is the output of a command that did not fail. already_shown: what fits was delivered in this session or is excluded. said_by_facts: the facts of the project say it already. nothing_known: memory has nothing for this project yet.',
      ),
    items: z.array(RecalledItem),
    text: z.string().describe('For the agent, unchanged: fenced and marked as data; empty if silent'),
    chars: z.int().describe('The length of text'),
    credits_charged: z.int(),
  })
  .meta({ id: 'RecallResponse' })

export type RecallInput = z.output<typeof RecallRequest>
export type RecallAnswer = z.input<typeof RecallResponse>
export type RecalledItemAnswer = z.input<typeof RecalledItem>

const ThinItem = RecalledItem.omit({
  url: true,
  provenance: true,
  trust: true,
  fits: true,
  commit: true,
}).extend({
  home: z.string().describe('you, team or public'),
  trust: z.string().optional(),
  fits: z.string().optional(),
  contains_instructions: z.literal(true).optional(),
  contains_instructions_note: z.literal(NONE_RECOGNISED).optional(),
})

/** Omits the text for hooks, which repeats the items. */
export const thinRecall = thinAnswer({
  output: z
    .object({ silent: z.boolean(), reason: z.string(), items: z.array(ThinItem) })
    .describe('silent, reason, items [kind, id, title, fix]'),
  of: ({ silent, reason, items }: z.output<typeof RecallResponse>) => ({
    silent,
    reason,
    items: items.map(({ url: _, commit: __, provenance, trust, fits, ...item }) => ({
      ...item,
      home: provenance.origin ? `public, pulled from ${provenance.origin}` : provenance.owner,
      ...markIn(provenance),
      ...(trust ? { trust } : {}),
      ...(fits ? { fits } : {}),
    })),
  }),
})
