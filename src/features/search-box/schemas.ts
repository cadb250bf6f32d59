import { z } from 'zod'
import { Provenance } from '../../core/provenance.ts'
import { AnswerId, Id } from '../../core/schemas.ts'
import { FoundEvent } from '../memory/found-events.ts'
import { ActionCard, LONGEST_QUERY, SearchRequest, SearchResponse, SearchResult } from '../search/schemas.ts'

const SECTIONS = ['mine', 'team', 'memory', 'library'] as const
/** Reading a hit takes time, and nobody scrolls further. */
const MOST_HITS = 1000

const { tags, environment, track } = SearchRequest.shape

export const BoxQuestion = z
  .object({
    query: z
      .string()
      .min(1)
      .max(LONGEST_QUERY)
      .describe('As in POST /search, but one or two characters are enough: a whole word, or CJK characters'),
    sections: z
      .array(z.enum(SECTIONS))
      .min(1)
      .max(SECTIONS.length)
      .default(['mine', 'team', 'memory'])
      .describe('library costs as a public search does, and is asked only where it is named'),
    workspace_ids: z.array(Id).max(100).optional().describe('Narrows mine and team'),
    tags,
    environment,
    track,
    limit: z.int().min(1).max(MOST_HITS).default(20).describe('Of each section'),
    generate_action_card: z.boolean().optional().describe('Also one plan of steps made from the best hits'),
  })
  .meta({ id: 'SearchBoxRequest' })

/** Enough for a line in a list; the card itself is read when it is opened. */
const BoxHit = SearchResult.omit({
  case_id: true,
  symptom: true,
  fix_summary: true,
  environment: true,
  why: true,
  fits: true,
}).meta({ id: 'SearchBoxHit' })

const CardSection = SearchResponse.pick({ total: true, corrected: true, read_as: true })
  .extend({ results: z.array(BoxHit) })
  .meta({ id: 'SearchBoxCards' })

const MemorySection = z
  .object({
    provenance: Provenance.describe('Memory is written by the caller and read by nobody else.'),
    results: z.array(
      FoundEvent.omit({ meta: true }).extend({ project_key: z.string(), workspace_id: AnswerId }),
    ),
    total: z
      .int()
      .describe('At least so many: for a limit up to 150 the best 150 are looked at, beyond it 1,000.'),
  })
  .meta({ id: 'SearchBoxMemory' })

export const BoxAnswer = z
  .object({
    query: z.string(),
    mine: CardSection.nullable().describe('Cards that the caller owns; null: not asked'),
    team: CardSection.nullable().describe('Cards that others share in workspaces of the caller'),
    memory: MemorySection.nullable().describe('Events of all projects of the caller'),
    library: CardSection.nullable(),
    action_card: ActionCard.nullable(),
    credits_charged: z.int(),
    credits_balance: z.int(),
    took_ms: z.number(),
  })
  .meta({ id: 'SearchBoxResponse' })

export type BoxInput = z.output<typeof BoxQuestion>
export type BoxAnswerInput = z.input<typeof BoxAnswer>
