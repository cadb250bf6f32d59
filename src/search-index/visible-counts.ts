import { LRUCache } from 'lru-cache'
import type { Ctx } from '../core/context.ts'
import { sha256 } from '../core/crypto.ts'
import { bitsOfScope, countIn, type ListCount, type ScopeBits } from './collect.ts'
import { type IndexView, keptIndex } from './index-store.ts'
import { type Candidate, isPublic, type Match, PUBLIC_FILTER, passes, positionOf } from './packing.ts'
import { averageLengthOf, publicTotals, type Totals, type WordCount, wordCounts } from './vocabulary.ts'

export type VisibleCount = {
  cards: number
  within: number
  postings: number
}

/** Counts only visible documents: other counts would reveal the words of other people's private cards. */
export type VisibleCounts = {
  cards: number
  averageLength: number
  /** Differs for other counts, except when they changed without changing their sums. */
  state: string
  of: (hashes: readonly number[]) => Promise<(hash: number) => VisibleCount>
}

const visible = (
  open: Totals & { state: string },
  own: Totals,
): Pick<VisibleCounts, 'cards' | 'averageLength' | 'state'> => {
  const all = { cards: open.cards + own.cards, length: open.length + own.length }
  return { cards: all.cards, averageLength: averageLengthOf(all), state: open.state }
}

const sumOf = (documents: readonly Candidate[]): Totals => ({
  cards: documents.length,
  length: documents.reduce((sum, { length }) => sum + length, 0),
})

const holding = (documents: readonly Candidate[], hash: number): number => {
  let count = 0
  for (const { hashes } of documents) if (positionOf(hashes, hash) >= 0) count++
  return count
}

export async function countsInPublic(ctx: Ctx): Promise<VisibleCounts> {
  return {
    ...visible(await publicTotals(ctx), { cards: 0, length: 0 }),
    of: async (hashes) => {
      const kept = await wordCounts(ctx, hashes)
      return (hash) => {
        const { publicCards, postings } = kept(hash)
        return { cards: publicCards, within: publicCards, postings }
      }
    },
  }
}

export async function countsInDocuments(ctx: Ctx, scope: readonly Candidate[]): Promise<VisibleCounts> {
  const ofScopeAlone = scope.filter((document) => !isPublic(document))
  return {
    ...visible(await publicTotals(ctx), sumOf(ofScopeAlone)),
    of: async (hashes) => {
      const kept = await wordCounts(ctx, hashes)
      return (hash) => {
        const { publicCards, postings } = kept(hash)
        const cards = publicCards + holding(ofScopeAlone, hash)
        return { cards, within: holding(scope, hash), postings }
      }
    },
  }
}

export async function countsInLists(
  ctx: Ctx,
  view: IndexView,
  scope: Match,
  averageLength?: number,
): Promise<VisibleCounts> {
  const open = await publicTotals(ctx)
  const fresh = view.fresh.filter((document) => passes(document, scope))
  const freshAlone = fresh.filter((document) => !isPublic(document))
  const name = sha256(scope.map((anyOf) => anyOf.join()).join(' '))
  const bits = await documentsOf(ctx, view, scope, name)
  const cards = bits.alone + freshAlone.length
  return {
    ...visible(open, { cards, length: cards * (averageLength ?? averageLengthOf(open)) }),
    of: async (hashes) => {
      const kept = await wordCounts(ctx, hashes)
      const listed = await countMostlyRemembered(view, name, bits, hashes, kept)
      return (hash) => {
        const { publicCards, postings } = kept(hash)
        const { alone, within } = listed.get(hash) ?? { alone: 0, within: 0 }
        const cards = publicCards + alone + holding(freshAlone, hash)
        return { cards, within: within + holding(fresh, hash), postings }
      }
    },
  }
}

async function documentsOf(ctx: Ctx, view: IndexView, scope: Match, name: string): Promise<ScopeBits> {
  const { scopes } = keptIndex(ctx)
  const known = ctx.transacting ? undefined : scopes.get(view, name)
  if (known) return known
  const bits = bitsOfScope(await view.rowsOf([...scope.flat(), PUBLIC_FILTER]), scope, view.dead)
  if (!ctx.transacting) scopes.keep(view, name, bits)
  return bits
}

const REMEMBERED_FROM = 16_384
const REMEMBERED_MS = 60_000
const REMEMBERED_IN_SAME_STATE_MS = 60 * REMEMBERED_MS
const MAX_CACHE_ENTRIES = 20_000
type RememberedCount = ListCount & { at: number; state: number }
const remembered = new LRUCache<string, RememberedCount>({ max: MAX_CACHE_ENTRIES })

export function isStillGood({ at, state }: { at: number; state: number }, now: number, stateNow: number) {
  return now - at < (state === stateNow ? REMEMBERED_IN_SAME_STATE_MS : REMEMBERED_MS)
}

async function countMostlyRemembered(
  view: IndexView,
  scopeName: string,
  bits: ScopeBits,
  hashes: readonly number[],
  kept: (hash: number) => WordCount,
): Promise<Map<number, ListCount>> {
  const now = performance.now()
  const known = new Map<number, ListCount>()
  for (const hash of hashes) {
    const before = remembered.get(`${scopeName} ${hash}`)
    if (before && isStillGood(before, now, view.state)) known.set(hash, before)
  }
  const unknown = hashes.filter((hash) => !known.has(hash))
  const counts = countIn(await view.rowsOf(unknown), unknown, bits)
  for (const [hash, count] of counts) {
    known.set(hash, count)
    if (kept(hash).postings >= REMEMBERED_FROM)
      remembered.set(`${scopeName} ${hash}`, { ...count, at: now, state: view.state })
  }
  return known
}
