import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { emit } from '../../core/events.ts'
import { AnswerId, Id } from '../../core/schemas.ts'
import { Provenance } from '../../core/untrusted-text.ts'
import { FILTER_NAMES, pick } from '../../shared/card-fields.ts'
import { beginningOf } from '../../text/unicode.ts'
import { balanceOf } from '../credits/index.ts'
import { FoundEvent, searchAllMemory } from '../memory/index.ts'
import { ActionCard, MAX_QUERY_LENGTH, SearchRequest, SearchResponse, SearchResult } from './schemas.ts'
import { type CardQuery, searchIn } from './search.ts'

const SECTIONS = ['mine', 'team', 'memory', 'library'] as const
const MAX_HITS = 1000

const { tags, environment } = SearchRequest.shape

const BoxQuestion = z
  .object({
    query: z
      .string()
      .min(1)
      .max(MAX_QUERY_LENGTH)
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
    ...pick(SearchRequest.shape, FILTER_NAMES),
    limit: z.int().min(1).max(MAX_HITS).default(20).describe('Of each section'),
    typing: z
      .boolean()
      .default(false)
      .describe('The query may be half a word: where it finds nothing, it does not count as a missed search'),
    generate_action_card: z.boolean().optional().describe('Also one plan of steps made from the best hits'),
  })
  .meta({ id: 'SearchBoxRequest' })

const BoxHit = SearchResult.omit({
  case_id: true,
  symptom: true,
  fix_summary: true,
  environment: true,
  why: true,
  fits: true,
})
  .extend({
    fix: z.string().describe('The first words of the fix on one line; of the symptom where there is no fix'),
  })
  .meta({ id: 'SearchBoxHit' })

const CardSection = SearchResponse.pick({ total: true, corrected: true, read_as: true, semantic: true })
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

const BoxAnswer = z
  .object({
    query: z.string(),
    mine: CardSection.nullable().describe('Cards that the caller owns; null: not asked'),
    team: CardSection.nullable().describe(
      'Cards that others share in workspaces of the caller, or published from there',
    ),
    memory: MemorySection.nullable().describe('Events of all projects of the caller'),
    library: CardSection.nullable(),
    action_card: ActionCard.nullable(),
    credits_charged: z.int(),
    credits_balance: z.int(),
    took_ms: z.number(),
  })
  .meta({ id: 'SearchBoxResponse' })

type BoxInput = z.output<typeof BoxQuestion>
type BoxAnswerInput = z.input<typeof BoxAnswer>

const FIX_CHARACTERS = 200

const fixLine = (text: string): string => beginningOf(text.replaceAll(/\s+/g, ' ').trim(), FIX_CHARACTERS)

const SCOPES = { mine: 'personal', team: 'team', library: 'public' } as const

const PLAN_HITS = 5

async function searchBox(ctx: UserCtx, input: BoxInput): Promise<BoxAnswerInput> {
  const started = performance.now()
  const { sections, generate_action_card, workspace_ids, typing, ...asked } = input
  const wanted = new Set(sections)
  const question = (more: Partial<CardQuery> = {}): CardQuery => ({ ...asked, ...more })
  const named = { workspace_ids }
  const cards = async (section: keyof typeof SCOPES, more: Partial<CardQuery> = {}) => {
    if (!wanted.has(section)) return null
    const found = await searchIn(ctx, SCOPES[section], question(more))
    return {
      ...found,
      results: found.results.map((hit) => ({ ...hit, fix: fixLine(hit.fix_summary || hit.symptom) })),
    }
  }

  const mine = await cards('mine', named)
  const team = await cards('team', named)
  if (mine && team && !typing)
    await emit(ctx, 'search.answered', {
      query: input.query,
      scope: 'workspace',
      workspaceIds: workspace_ids ?? [],
      hits: mine.total + team.total,
    })
  const memory = wanted.has('memory') ? await memorySection(ctx, input) : null
  const library = await cards('library', { generate_action_card })
  const plan = generate_action_card && !library ? await planOf(ctx, question(named)) : null
  return {
    query: input.query,
    mine,
    team,
    memory,
    library,
    action_card: library?.action_card ?? plan,
    credits_charged: library?.credits_charged ?? 0,
    credits_balance: library?.credits_balance ?? (await balanceOf(ctx, ctx.viewer.userId)),
    took_ms: Math.round((performance.now() - started) * 10) / 10,
  }
}

async function memorySection(ctx: UserCtx, { query, limit }: BoxInput) {
  const found = await searchAllMemory(ctx, query, limit)
  return { ...found, provenance: { owner: 'you' as const, workspace: null, reviewed: false } }
}

async function planOf(ctx: UserCtx, question: CardQuery) {
  const asked = { ...question, limit: PLAN_HITS, generate_action_card: true }
  return (await searchIn(ctx, 'own_and_team', asked)).action_card
}

export const searchEverywhere = capability({
  name: 'search.box',
  summary: 'One question over own cards, team cards and memory at once',
  description:
    'The search of the web app’s box. Each section is ranked by itself. The library must be named as a section: it costs the same as POST /search with scope public, and an Idempotency-Key keeps one question from being charged twice, whichever session or key of the account asks. Unlike POST /search, it takes one or two characters.',
  scopes: ['search'],
  rest: ['POST /api/v1/search/box'],
  input: BoxQuestion,
  output: BoxAnswer,
  errors: [402],
  limit: 'search',
  // A search that was paid in one browser is free in another.
  idempotencyOf: 'account',
  run: searchBox,
})
