import type { Ctx } from '../../core/context.ts'
import { findBest } from '../../search-index/find-best.ts'
import type { Candidate } from '../../search-index/packing.ts'
import { cardCounts, totals } from '../../search-index/vocabulary.ts'
import { termsOf } from '../../text/analyse.ts'
import { wordHash } from '../../text/term-hash.ts'
import type { CardContent } from './content.ts'

/** What says most about a card: its rarest words. More of them only cost time. */
const TELLING_WORDS = 24
/** A pasted log has words without end; its first ones will do. */
const MOST_WORDS = 2000

export type Text = Pick<CardContent, 'title' | 'symptom' | 'fix_summary'>

/** Very long texts are compared by their beginnings. */
const COMPARED_CHARACTERS = 50_000

export const comparedText = ({ title, symptom, fix_summary }: Text): string =>
  [title, symptom, fix_summary].map((text) => text.slice(0, COMPARED_CHARACTERS)).join('\n')

type Worth = ReadonlyMap<number, number>

/** How much each word of the card says, the most telling first: the fewer cards have it, the more. */
async function worthOfWords(ctx: Ctx, text: Text): Promise<{ worth: Worth; counts: Worth }> {
  const hashes = [...new Set(termsOf(comparedText(text)).map(wordHash))].slice(0, MOST_WORDS)
  const counts = await cardCounts(ctx, hashes)
  const { cards } = await totals(ctx)
  const worth = (hash: number) => Math.log(1 + (cards + 1) / ((counts.get(hash) ?? 0) + 1))
  const sorted = hashes.map((hash) => [hash, worth(hash)] as const).sort((a, b) => b[1] - a[1])
  return { worth: new Map(sorted), counts }
}

/** The share of what the card says that the candidate says too. */
function shareOf(worth: Worth, candidate: Candidate): number {
  let all = 0
  let common = 0
  const has = new Set(Array.from(candidate.hashes))
  for (const [hash, value] of worth) {
    all += value
    if (has.has(hash)) common += value
  }
  return all === 0 ? 0 : common / all
}

export type Likeness = {
  /** Numbers of the index that say where to look: one of them must hold. */
  places: readonly number[]
  limit: number
}

/** Cards that share words with this text, the ones that share most first. It narrows; who may see what is checked by the caller. */
export async function relatedCards(ctx: Ctx, text: Text, { places, limit }: Likeness): Promise<string[]> {
  const { worth, counts } = await worthOfWords(ctx, text)
  const telling = [...worth].slice(0, TELLING_WORDS)
  if (telling.length === 0) return []
  const wanted = telling.map(([hash, value]) => [{ hash, worth: value, cards: counts.get(hash) ?? 0 }])
  const { candidates } = await findBest(ctx, wanted, [places])
  return candidates
    .map((candidate) => ({ id: candidate.cardId, share: shareOf(worth, candidate) }))
    .sort((a, b) => b.share - a.share || (a.id < b.id ? 1 : -1))
    .slice(0, limit)
    .map(({ id }) => id)
}
