import type { Ctx } from '../../core/context.ts'
import {
  type Candidate,
  countsInLists,
  countsInPublic,
  findBest,
  type Match,
  PUBLIC_FILTER,
  type VisibleCounts,
  viewIndex,
} from '../../search-index/index.ts'
import { termsOf } from '../../text/analyse.ts'
import { wordHash } from '../../text/term-hash.ts'
import type { CardContent } from './content.ts'

/** The rarest words of a card say most about it. More of them only cost time. */
const TELLING_WORDS = 24
/** A pasted log can have very many words. The first ones are enough. */
const MOST_WORDS = 400

export type Text = Pick<CardContent, 'title' | 'symptom' | 'fix_summary'>

/** Very long texts are compared by their beginnings. */
const COMPARED_CHARACTERS = 50_000

export const comparedText = ({ title, symptom, fix_summary }: Text): string =>
  [title, symptom, fix_summary].map((text) => text.slice(0, COMPARED_CHARACTERS)).join('\n')

type Worth = ReadonlyMap<number, number>
type Telling = { hash: number; worth: number; postings: number }

/** The weight of each word of the card, heaviest first: a word in few of the cards that the asker may see weighs more. */
async function wordsByWorth(text: Text, counts: VisibleCounts): Promise<Telling[]> {
  const hashes = [...new Set(termsOf(comparedText(text)).map(wordHash))].slice(0, MOST_WORDS)
  const count = await counts.of(hashes)
  return hashes
    .map((hash) => {
      const { cards, postings } = count(hash)
      return { hash, postings, worth: Math.log(1 + (counts.cards + 1) / (cards + 1)) }
    })
    .sort((a, b) => b.worth - a.worth)
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
  /** Filters of the index that say where to look, and so which cards decide how rare a word is. */
  where: Match
  limit: number
}

const isPublicOnly = (where: Match) => where.some((anyOf) => anyOf.length === 1 && anyOf[0] === PUBLIC_FILTER)

/** Cards that share words with this text, those that share most first. The caller checks who may see them. */
export async function relatedCards(ctx: Ctx, text: Text, { where, limit }: Likeness): Promise<string[]> {
  const view = await viewIndex(ctx)
  const counts = isPublicOnly(where) ? await countsInPublic(ctx) : await countsInLists(ctx, view, where)
  const words = await wordsByWorth(text, counts)
  if (words.length === 0) return []
  const wanted = words.slice(0, TELLING_WORDS).map((word) => [word])
  const { candidates } = await findBest(ctx, view, wanted, where)
  const worth = new Map(words.map(({ hash, worth }) => [hash, worth]))
  return candidates
    .map((candidate) => ({ id: candidate.documentId, share: shareOf(worth, candidate) }))
    .sort((a, b) => b.share - a.share || (a.id < b.id ? 1 : -1))
    .slice(0, limit)
    .map(({ id }) => id)
}
