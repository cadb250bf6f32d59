import type { Ctx } from '../core/context.ts'
import { gramHash, hasTrigrams, trigramsOf } from '../text/trigrams.ts'
import { keptIndex } from './kept-index.ts'
import type { Match } from './match.ts'
import type { Candidate } from './packing.ts'
import { wordsNumbered } from './vocabulary.ts'
import type { Word } from './word-store.ts'

/** A word with its trigrams; a bit for the last five bits of each tells quickly that a word lacks what is asked for. */
export type ScopeWord = Word & { grams: readonly number[]; gramBits: number }

const bitsOf = (numbers: readonly number[]): number =>
  numbers.reduce((bits, number) => bits | (1 << number), 0)

function withGrams({ hash, word }: Word): ScopeWord {
  const grams = hasTrigrams(word) ? trigramsOf(word).map(gramHash) : []
  return { hash, word, grams, gramBits: bitsOf(grams) }
}

/** The words of a few documents. In a large vault these are found sooner among themselves than in the vocabulary of all. */
export async function wordsOfDocuments(ctx: Ctx, documents: readonly Candidate[]): Promise<ScopeWord[]> {
  const { ofScopes } = keptIndex(ctx).words
  const words: ScopeWord[] = []
  const unread: number[] = []
  for (const hash of new Set(documents.flatMap(({ hashes }) => hashes))) {
    const word = ofScopes.get(hash)
    if (word) words.push(word)
    else unread.push(hash)
  }
  if (unread.length === 0) return words
  const read = (await wordsNumbered(ctx, unread)).map(withGrams)
  // A transaction may see words that are never committed.
  if (!ctx.transacting) for (const word of read) ofScopes.keep(word.hash, word)
  return [...words, ...read]
}

/** Those that have a trigram of each list. */
export function havingGrams(words: readonly ScopeWord[], match: Match): ScopeWord[] {
  const lists = match.map((anyOf) => ({ anyOf, bits: bitsOf(anyOf) }))
  return words.filter(({ grams, gramBits }) =>
    lists.every(({ anyOf, bits }) => (gramBits & bits) !== 0 && anyOf.some((gram) => grams.includes(gram))),
  )
}
