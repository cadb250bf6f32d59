import { expect, test } from 'vitest'
import { doAll } from '../shared/pieces.ts'
import { buildAutomaton } from './aho-corasick.ts'

const KEYWORDS = ['she', 'he', 'hers', 'his', 's', '-p', 'heR', 'a b', '://', 'her', 'pass_word', 'word']
const LETTERS = [...'heriswords-p:/ aAbHSpasK\u00df\u3042_\n\u001b']

/** Returns every hit as `keyword at end`, by looking at each place of the text. */
function expected(text: string): string[] {
  const found: { keyword: string; end: number }[] = []
  for (let end = 1; end <= text.length; end++)
    for (const keyword of KEYWORDS.toSorted((a, b) => b.length - a.length))
      if (text.slice(Math.max(0, end - keyword.length), end).toLowerCase() === keyword.toLowerCase())
        found.push({ keyword: keyword.toLowerCase(), end })
  return found.map(({ keyword, end }) => `${keyword} ${end}`)
}

function scanned(automaton: ReturnType<typeof buildAutomaton>, text: string): string[] {
  const found: string[] = []
  doAll(
    automaton.scanInPieces(text, (keyword, end) => {
      found.push(`${KEYWORDS[keyword]?.toLowerCase()} ${end}`)
    }),
  )
  return found
}

test('a first short text and every later one give the same hits in the same order', () => {
  const table = buildAutomaton(KEYWORDS)
  scanned(table, ' '.repeat(50_000))
  let seed = 11
  for (let round = 0; round < 200; round++) {
    const letter = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return LETTERS[Math.floor((seed / 2_147_483_648) * LETTERS.length)]
    }
    const text = Array.from({ length: 80 }, letter).join('')
    expect(scanned(buildAutomaton(KEYWORDS), text), text).toEqual(expected(text))
    expect(scanned(table, text), text).toEqual(expected(text))
  }
})
