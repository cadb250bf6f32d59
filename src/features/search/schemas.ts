import { z } from 'zod'
import { thinAnswer } from '../../core/capability.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { markIn, NONE_RECOGNISED, Provenance } from '../../core/untrusted-text.ts'
import { dictionary } from '../../core/validation.ts'
import { CARD_TYPES } from '../../shared/card-fields.ts'
import { beginningOf } from '../../text/unicode.ts'
import { Home, Readers, Track, Trust, wordFilters } from '../cards/index.ts'

const CardType = z.enum(CARD_TYPES)

/** Long enough for an error with its stack; a search weighs only a part of it. */
export const MAX_QUERY_LENGTH = 200_000

const QUERY_HELP = 'Words or error text. In a line also +"a phrase", tag:x, type:how_to, in:title, -word'

export const EnvironmentAsked = dictionary(z.string().min(1).max(200), z.string().max(500), 100)
const LeastScore = z.number().min(0).max(1).optional()

export const SearchRequest = z
  .object({
    query: z.string().min(3).max(MAX_QUERY_LENGTH).describe(QUERY_HELP),
    scope: z
      .enum(['personal', 'workspace', 'public'])
      .default('personal')
      .describe('public: 5 credits; nothing where it finds nothing'),
    include_workspaces: z.boolean().optional().describe('Teams too; with personal, all workspaces of yours'),
    workspace_ids: z.array(Id).max(100).optional(),
    tags: z
      .array(z.string().trim().min(1).max(100))
      .max(50)
      .optional()
      .describe('All of them; case does not matter'),
    environment: EnvironmentAsked.optional().describe('{"node": "20"} finds 20.11; others must be equal'),
    ...wordFilters,
    track: wordFilters.track.describe('debug: fixes; build: everything else'),
    my_environment: EnvironmentAsked.optional().describe(
      'Your environment: {"node": "24.1", "fastify": "5.2"}. Narrows nothing; every result says whether it fits.',
    ),
    include_superseded: z.boolean().optional().describe('Also superseded cards'),
    limit: z.int().min(1).max(50).default(10),
    min_score: LeastScore.describe('Leave out results below this confidence'),
    generate_action_card: z
      .boolean()
      .optional()
      .describe('Also answer one plan of steps made from the best hits'),
  })
  .meta({ id: 'SearchRequest' })

export const SearchTool = z.object({
  ...SearchRequest.omit({ generate_action_card: true, my_environment: true, include_superseded: true }).shape,
  query: z.string().min(1).max(MAX_QUERY_LENGTH),
  ...wordFilters,
  limit: z.int().min(1).max(20).default(5),
  min_score: LeastScore,
})

const HitReason = z.enum([
  'free_personal_scope',
  'free_workspace_scope',
  'free_own_card',
  'public_hit_charged',
  'credits_off',
])

export const SearchResult = z
  .object({
    card_id: AnswerId,
    case_id: AnswerId,
    title: z.string(),
    card_type: CardType,
    track: Track,
    symptom: z.string(),
    fix_summary: z.string(),
    tags: z.array(z.string()),
    environment: z.record(z.string(), z.string()),
    status: z.enum(['unpublished', 'published']),
    workspace_id: AnswerId,
    home: Home,
    readers: Readers,
    owner_name: z.string(),
    provenance: Provenance,
    score: z.number().describe('Confidence that the card answers the query, 0 to 1'),
    weak: z.boolean().describe('Below the floor: shown because it is yours or your team’s, not a hit'),
    matched_terms: z.array(z.string()).describe('Words of the card that matched'),
    why: z.array(z.object({ where: z.string(), words: z.array(z.string()) })).describe('What matched where'),
    snippet: z.string().describe('HTML: text escaped, matches in <mark>'),
    hit_reason: HitReason,
    feedback: z.object({ useful: z.int(), not_applicable: z.int(), outdated: z.int() }),
    trust: Trust.nullable(),
    fits: z
      .enum(['exact', 'likely', 'older', 'unknown'])
      .optional()
      .describe('If my_environment was sent. older: the card is about an older version'),
    likely_outdated: z.boolean().describe('Enough verdicts and feedback speak against it'),
    updated_at: Time,
  })
  .meta({ id: 'SearchResult' })

export const ActionCard = z
  .object({
    title: z.string(),
    summary: z.string(),
    steps: z.array(z.object({ order: z.int(), action: z.string(), from_card_id: AnswerId })),
    cautions: z.array(z.string()),
    sources: z.array(z.object({ card_id: AnswerId, title: z.string(), provenance: Provenance })),
  })
  .meta({ id: 'ActionCard' })

export const SearchResponse = z
  .object({
    query: z.string(),
    scope: z.enum(['personal', 'workspace', 'public']),
    results: z.array(SearchResult),
    total: z.int().describe('How many cards are hits; where very many are, at least so many'),
    corrected: z
      .record(z.string(), z.string())
      .describe('Words that no card has, and their corrections: {"kubernets": "kubernetes"}'),
    read_as: z
      .object({
        phrases: z.array(z.string()).describe('Every result has them'),
        preferred: z.array(z.string()).describe('Quoted in a question: results that have them come first'),
        tags: z.array(z.string()),
        type: CardType.nullable(),
        in_title: z.boolean(),
        without: z.array(z.string()),
        nearest: z
          .string()
          .optional()
          .describe(
            'No card fits the query as written. Results are those of this query, marked weak; the library shows none.',
          ),
      })
      .nullable()
      .describe('The parts of the query that were read as syntax; null: none'),
    semantic: z
      .boolean()
      .optional()
      .describe('Where a model is configured: whether meaning was compared too; false: words alone'),
    credits_charged: z.int(),
    credits_balance: z.int(),
    action_card: ActionCard.nullable(),
    took_ms: z.number(),
  })
  .meta({ id: 'SearchResponse' })

export const SearchToolResponse = SearchResponse.omit({ action_card: true }).meta({
  id: 'SearchToolResponse',
})

export type SearchInput = z.output<typeof SearchRequest>
export type SearchAnswer = z.input<typeof SearchResponse>
export type SearchResultAnswer = z.input<typeof SearchResult>
export type ActionCardAnswer = z.input<typeof ActionCard>

const TITLE_CHARACTERS = 120
const FIX_CHARACTERS = 200

type Hit = z.output<typeof SearchResult>

const cut = (text: string, length: number): string =>
  beginningOf(text.replaceAll(/\s+/g, ' ').trim(), length - 1)

const homeOf = ({ provenance: { owner, workspace, origin }, home }: Hit): string => {
  if (origin !== undefined) return `public, pulled from ${origin}`
  if (owner !== 'team') return owner
  return `team ${workspace}${home.published_from ? ', also public' : ''}`
}

const thinHit = (hit: Hit) => ({
  card_id: hit.card_id,
  title: cut(hit.title, TITLE_CHARACTERS),
  fix_summary: cut(hit.fix_summary, FIX_CHARACTERS),
  score: Math.round(hit.score * 100) / 100,
  ...(hit.weak ? { weak: true as const } : {}),
  why: cut(hit.why.map(({ where, words }) => `${where}: ${words.join(', ')}`).join('; '), TITLE_CHARACTERS),
  home: homeOf(hit),
  ...markIn(hit.provenance),
  hit_reason: hit.hit_reason,
  ...(hit.trust ? { trust: hit.trust.summary } : {}),
  ...(hit.likely_outdated ? { likely_outdated: true as const } : {}),
})

export const thinSearch = thinAnswer({
  output: z.object({
    results: z.array(
      z.object({
        card_id: AnswerId,
        title: z.string(),
        fix_summary: z.string(),
        score: z.number(),
        weak: z.literal(true).optional(),
        why: z.string().describe('What matched where'),
        home: z.string().describe('you, public, or team and its workspace_id'),
        contains_instructions: z.literal(true).optional(),
        contains_instructions_note: z.literal(NONE_RECOGNISED).optional(),
        hit_reason: HitReason,
        trust: z.string().optional(),
        likely_outdated: z.literal(true).optional(),
      }),
    ),
    total: z.int(),
    corrected: z.record(z.string(), z.string()).optional(),
  }),
  of: (answer: Omit<z.output<typeof SearchResponse>, 'action_card'>) => ({
    results: answer.results.map(thinHit),
    total: answer.total,
    ...(Object.keys(answer.corrected).length > 0 ? { corrected: answer.corrected } : {}),
  }),
})
