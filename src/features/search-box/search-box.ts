import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { balanceOf } from '../credits/ledger.ts'
import { searchAllMemory } from '../memory/search-all.ts'
import { type Question, searchIn } from '../search/search.ts'
import { BoxAnswer, type BoxAnswerInput, type BoxInput, BoxQuestion } from './schemas.ts'

const SCOPES = { mine: 'personal', team: 'team', library: 'public' } as const

/** A plan is made of the few best hits. */
const PLAN_HITS = 5

async function searchBox(ctx: UserCtx, input: BoxInput): Promise<BoxAnswerInput> {
  const started = performance.now()
  const { sections, generate_action_card, workspace_ids, ...asked } = input
  const wanted = new Set(sections)
  const question = (more: Partial<Question> = {}): Question => ({ ...asked, ...more })
  const named = { workspace_ids }
  const cards = async (section: keyof typeof SCOPES, more: Partial<Question> = {}) =>
    wanted.has(section) ? await searchIn(ctx, SCOPES[section], question(more)) : null

  const mine = await cards('mine', named)
  const team = await cards('team', named)
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

/** A plan from own and team cards together. */
async function planOf(ctx: UserCtx, question: Question) {
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
  // A question that was paid for in one browser is not paid for again in another.
  idempotencyOf: 'account',
  run: searchBox,
})
