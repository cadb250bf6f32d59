import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { newId } from '../../db/ids.ts'
import { tokens } from '../../text/analyse.ts'
import { fold } from '../../text/fold.ts'
import { readQuery } from '../../text/query-words.ts'
import { STOP_WORDS } from '../../text/stopwords.ts'
import { wordHash } from '../../text/term-hash.ts'
import { noteReads } from '../card-reads/card-reads.ts'
import { ownerFilter } from '../cards/indexing/filters.ts'
import type { SearchedScope } from '../cards/visibility.ts'
import { balanceOf } from '../credits/ledger.ts'
import { noteFirstSearch } from '../first-steps/first-search.ts'
import { noteMissedSearch } from '../missed-searches/missed-searches.ts'
import { actionCardFor } from './action-card.ts'
import { chargedSearch, type Outcome } from './charge.ts'
import { mayHit, pickHits, type Wish } from './hits.ts'
import { withPairs } from './one-character.ts'
import { codesAsked } from './other-code.ts'
import { type QueryRead, readSyntax, tagsNamed } from './query-syntax.ts'
import { correctionsIn, type Loaded, presentHit } from './results.ts'
import { type Retrieved, retrieve } from './retrieve.ts'
import {
  type SearchAnswer,
  type SearchInput,
  SearchRequest,
  SearchResponse,
  type SearchResultAnswer,
  SearchTool,
  SearchToolResponse,
} from './schemas.ts'
import { type SearchScope, tagsInScope } from './scope.ts'
import { thinSearch } from './thin.ts'

/** The question without its scope. */
export type Question = Omit<SearchInput, 'scope' | 'include_workspaces'>

const scopeOf = (ctx: UserCtx, input: Question, scope: SearchedScope): SearchScope => ({
  viewerId: ctx.viewer.userId,
  scope,
  workspaceIds: [...new Set(input.workspace_ids ?? [])],
  tags: input.tags ?? [],
  environment: input.environment ?? {},
  track: input.track,
  includeSuperseded: input.include_superseded ?? false,
})

async function freeSearch(ctx: UserCtx, scope: SearchScope, found: Retrieved, wish: Wish): Promise<Outcome> {
  const picks = await pickHits(ctx, scope, found, wish)
  return { ...picks, charged: 0, balance: await balanceOf(ctx, ctx.viewer.userId) }
}

/** Reads the query, and narrows the scope by what its syntax says. */
async function understand(ctx: UserCtx, input: Question, where: SearchedScope) {
  const asked = scopeOf(ctx, input, where)
  const tags = await tagsInScope(ctx, asked, tagsNamed(input.query))
  const read = readSyntax(input.query, (tag) => tags.includes(tag))
  const scope: SearchScope = {
    ...asked,
    tags: [...asked.tags, ...read.tags],
    type: read.type,
    required: read.phrases.flatMap(requiredBy),
    without: [
      ...read.without.map(leftOutBy).filter((together) => together.length > 0),
      ...(where === 'team' ? [[ownerFilter(ctx.viewer.userId)]] : []),
    ],
  }
  const words = readQuery(read.text).map((word) => ({ ...word, isQuoted: read.asTyped.has(word.typed) }))
  return { read, scope, words: await withPairs(ctx, scope, words) }
}

/** The words that a card with the phrase must have. Names are checked in the texts, since the index has their parts too. */
const requiredBy = (phrase: string): number[] =>
  tokens(phrase).flatMap(({ terms, start, end }) =>
    terms.length === 1 && !STOP_WORDS.has(fold(phrase.slice(start, end))) ? terms.map(wordHash) : [],
  )

/** What a card with the word has: of a name the whole, since others have its parts too, and all pairs of characters. */
const leftOutBy = (word: string): number[] =>
  tokens(word).map(({ terms }) => wordHash((terms.length === 2 ? terms[0] : terms.at(-1)) ?? ''))

function hitReason(ctx: UserCtx, { scope }: SearchScope, { row }: Loaded): SearchResultAnswer['hit_reason'] {
  if (scope === 'personal') return 'free_personal_scope'
  const isOwn = row.owner_id === ctx.viewer.userId
  if (scope === 'own_and_team') return isOwn ? 'free_personal_scope' : 'free_workspace_scope'
  if (scope === 'workspace' || scope === 'team') return 'free_workspace_scope'
  if (isOwn) return 'free_own_card'
  return ctx.config.credits ? 'public_hit_charged' : 'credits_off'
}

/** One search in one scope: what is found, what it costs, and how the question was read. */
export async function searchIn(
  ctx: UserCtx,
  where: SearchedScope,
  input: Question,
): Promise<Omit<SearchAnswer, 'scope'>> {
  const started = performance.now()
  const { read, scope, words } = await understand(ctx, input, where)
  const found = await retrieve(ctx, words, scope)
  const demands = { phrases: read.phrases, isInTitle: read.isInTitle, codes: codesAsked(read.text) }
  const wish = { limit: input.limit, minScore: input.min_score ?? 0, demands }
  const isPaid = scope.scope === 'public' && ctx.config.credits && mayHit(found, wish)
  const { picked, total, charged, balance } = isPaid
    ? await chargedSearch(ctx, scope, found, wish, { ref: { type: 'search', id: newId() } })
    : await freeSearch(ctx, scope, found, wish)
  await noteFirstSearch(ctx)
  noteReads(
    ctx,
    picked.map(({ row }) => row),
  )
  const hits = picked.filter(({ isWeak }) => !isWeak)
  if (hits.length === 0) await noteMissedSearch(ctx, { query: read.text, ...scope })
  return {
    query: input.query,
    results: picked.map((hit) =>
      presentHit(hit, hitReason(ctx, scope, hit), {
        isWeak: hit.isWeak,
        myEnvironment: input.my_environment,
        now: ctx.now(),
      }),
    ),
    total,
    corrected: correctionsIn(found.asked, picked),
    read_as: presentSyntax(read),
    credits_charged: charged,
    credits_balance: balance,
    action_card: input.generate_action_card
      ? await actionCardFor(ctx, input.query, hits.length > 0 ? hits : picked)
      : null,
    took_ms: Math.round((performance.now() - started) * 10) / 10,
  }
}

/** The parts of the query that were read as syntax, so that nobody has to guess; null if there are none. */
function presentSyntax({ phrases, tags, type, isInTitle, without }: QueryRead): SearchAnswer['read_as'] {
  const isPlain = phrases.length + tags.length + without.length === 0 && !type && !isInTitle
  return isPlain ? null : { phrases, tags, type: type ?? null, in_title: isInTitle, without }
}

async function search(ctx: UserCtx, { scope, include_workspaces, ...asked }: SearchInput) {
  if (include_workspaces && scope !== 'personal')
    throw invalid(
      'include_workspaces',
      'It adds the cards of your workspaces to scope personal; leave it out elsewhere',
    )
  return { ...(await searchIn(ctx, include_workspaces ? 'own_and_team' : scope, asked)), scope }
}

export const searchCards = capability({
  name: 'search.cards',
  summary: 'Search cards: mine, my teams’, or the public library',
  description:
    'Finds by words and, where a word is unknown, by the words that may be meant; `corrected` says which. `score` is the confidence that a result answers the query. A result below the floor is no hit: it is left out of public answers, and stays, last and marked weak, in the others. A public search that hits at least one card of somebody else costs 5 credits; no hit, or own cards only, costs nothing. With too few credits the answer is 402 and shows no result.',
  scopes: ['search'],
  rest: ['POST /api/v1/search'],
  tool: {
    name: 'search_records',
    description: 'Search knowledge cards by words or error text before you solve a problem.',
    readOnly: true,
    input: SearchTool,
    output: SearchToolResponse,
    thin: thinSearch,
  },
  input: SearchRequest,
  output: SearchResponse,
  errors: [402],
  limit: 'search',
  run: search,
})
