import type { VisibleCount, VisibleCounts, Wanted } from '../../search-index/index.ts'
import { rarity } from '../../text/bm25.ts'
import type { AskedWord } from '../../text/query-words.ts'
import { STOP_WORDS } from '../../text/stopwords.ts'
import { wordHash } from '../../text/term-hash.ts'

/** How many words of a long query are counted. Of these, the most telling are searched. */
const MOST_COUNTED = 256
const MOST_KNOWN = 48
/** How many unknown words are searched: new words, typing errors and noise must not crowd out the others. */
const MOST_UNCOUNTED = 24

/** A word of the query with what is known about it. */
export type Term = AskedWord &
  VisibleCount & {
    hash: number
    /** Its weight: how rare it is, and more if the query repeats it. */
    worth: number
    wanted: Wanted
  }

const worthOf = (times: number, { cards }: VisibleCount, all: number) =>
  (1 + Math.log(times)) * rarity(cards, all)

/** The words to search, the most telling first, then a few unknown words in the order typed. */
export async function planTerms(words: readonly AskedWord[], counts: VisibleCounts): Promise<Term[]> {
  const counted = words.slice(0, MOST_COUNTED)
  const hashes = counted
    .flatMap(({ term, parts, otherTerms = [] }) => [term, ...parts, ...otherTerms])
    .map(wordHash)
  const count = await counts.of([...new Set(hashes)])
  const taken = new Set(counted.map(({ term }) => wordHash(term)))
  const terms = counted.map((word): Term => {
    const hash = wordHash(word.term)
    const others = (word.otherTerms ?? []).map((term) => ({ hash: wordHash(term), ...count(wordHash(term)) }))
    const own = count(hash)
    // A card may have several of them; it is enough to know about how rare the word is.
    const cards = Math.min(counts.cards, sum([own, ...others].map((one) => one.cards)))
    const known = others.length > 0 ? { ...own, cards } : own
    const worth = worthOf(word.times, known, counts.cards)
    const parts = word.parts.map((part) => {
      const hash = wordHash(part)
      const { cards, postings } = count(hash)
      // A part that the query also has as a word, or in an earlier name, is counted there.
      const isCounted = taken.has(hash) || STOP_WORDS.has(part)
      taken.add(hash)
      return { hash, postings, worth: isCounted ? 0 : rarity(cards, counts.cards) }
    })
    const option = { hash, postings: known.postings, worth }
    return {
      ...word,
      ...known,
      hash,
      worth,
      wanted: [
        parts.length > 0 ? { ...option, parts } : option,
        ...others.map(({ hash, postings }) => ({ hash, postings, worth })),
      ],
    }
  })
  const byWorth = terms.filter(isCountedSomewhere).sort((a, b) => b.worth - a.worth)
  return [
    ...byWorth.slice(0, MOST_KNOWN),
    ...terms.filter((term) => !isCountedSomewhere(term)).slice(0, MOST_UNCOUNTED),
  ]
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

const isCountedSomewhere = ({ cards }: Term) => cards > 0
