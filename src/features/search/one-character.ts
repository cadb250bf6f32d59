import type { Ctx } from '../../core/context.ts'
import { isLoneCharacter, termsOf } from '../../text/analyse.ts'
import type { AskedWord } from '../../text/query-words.ts'
import { textsWith } from './one-character.store.ts'
import type { SearchScope } from './scope.ts'

/** Cards that are read for the pairs which stand around the character; further ones have mostly the same. */
const MOST_READ = 500
const MOST_PAIRS = 100

/**
 * The index knows scripts without spaces by pairs of characters. For a question of one character, the pairs that hold it are
 * taken from the cards in scope. The library is left out: it has too many cards to look through for each question.
 */
export async function withPairs(ctx: Ctx, scope: SearchScope, words: AskedWord[]): Promise<AskedWord[]> {
  const [word] = words
  if (scope.scope === 'public' || words.length !== 1 || !word || !isLoneCharacter(word.term)) return words
  const pairs = new Set<string>()
  for (const text of await textsWith(ctx, scope, word.term, MOST_READ)) {
    for (const term of termsOf(text)) if (term !== word.term && term.includes(word.term)) pairs.add(term)
    if (pairs.size >= MOST_PAIRS) break
  }
  return [{ ...word, otherTerms: [...pairs].slice(0, MOST_PAIRS) }]
}
