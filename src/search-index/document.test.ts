import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Work } from '../core/work.ts'
import { doAll } from '../shared/pieces.ts'
import { termsOf } from '../text/analyse.ts'
import { countWords, type DocumentTexts, MAX_FURTHER_WORDS, MAX_MAIN_WORDS } from './document.ts'

/** Reproducible: every run has the same texts. */
let seed = 1
const below = (n: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * n)
}
const pick = (letters: string, length: number): string => {
  let text = ''
  for (let i = 0; i < length; i++) text += letters[below(letters.length)]
  return text
}
const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const MIXED = `${SMALL}${SMALL.toUpperCase()}0123456789`
const LENGTH = 150_000

function textOf(line: (i: number) => string): string {
  const lines: string[] = []
  for (let length = 0, i = 0; length < LENGTH; i++) {
    const next = line(i)
    lines.push(next)
    length += next.length + 1
  }
  return lines.join('\n')
}
const name = () => Array.from({ length: 4 }, () => `${pick(SMALL.toUpperCase(), 1)}${pick(SMALL, 5)}`)

const LOG = textOf(
  (i) => `2026-03-04T10:${10 + (i % 50)}:11Z INFO worker-${below(9)} request done in ${below(900)} ms`,
)
const JUNK: Record<string, string> = {
  'a list of UUIDs': textOf(() => [8, 4, 4, 12].map((n) => pick('0123456789abcdef', n)).join('-')),
  'error codes': textOf(() => `ERR${below(99_999)} 0x${pick('0123456789abcdef', 8)} ORA-${below(99_999)}`),
  'a table': textOf(
    (i) => `| ${i} | ${pick(SMALL, 7)} ${pick(SMALL, 6)} | ${below(1e6)} | ${pick(SMALL, 9)} |`,
  ),
  'a URL': `https://a.example/?${textOf((i) => `p${i}=${pick(SMALL, 6)}%20${pick(SMALL, 4)}`).replaceAll('\n', '&')}`,
  Base64: textOf(() => pick(`${MIXED}+/`, 76)),
  'one line of Base64': pick(`${MIXED}+/`, LENGTH),
  'different words': textOf(() => Array.from({ length: 9 }, () => pick(SMALL, 8)).join(' ')),
  'words with endings': textOf(() => `${pick(SMALL, 5)}ations ${pick(SMALL, 6)}ing ${pick(SMALL, 4)}fulness`),
  'Cyrillic words': textOf(() => pick('абвгдежзийклмнопрстуфхцчшщыьэюя', 8)),
  'Chinese characters': textOf(() =>
    Array.from({ length: 60 }, () => String.fromCodePoint(0x4e00 + below(8000))).join(''),
  ),
  'long tokens': textOf(() => pick(MIXED, 5000)),
  names: textOf(() => name().join('')),
  snake_case: textOf(() => name().join('_').toLowerCase()),
  paths: textOf(() => `/${Array.from({ length: 6 }, () => pick(SMALL, 6)).join('/')}.ts`),
  'version numbers': textOf(() => Array.from({ length: 100 }, () => '1').join('.')),
}

const card = (text: string): DocumentTexts => ({
  mainTexts: [{ text: 'A card about a service that fails', weight: 2 }],
  texts: [
    { text, weight: 1 },
    { text, weight: 1 },
  ],
  minorTexts: [text],
})

function cpuMs(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3; i++) {
    const before = process.threadCpuUsage()
    run()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

test.each(Object.entries(JUNK))('%s costs at most five times a log of the same size', (_, junk) => {
  doAll(countWords(card(LOG)))
  const ofLog = cpuMs(() => doAll(countWords(card(LOG))))
  // A millisecond or two is noise.
  expect(cpuMs(() => doAll(countWords(card(junk))))).toBeLessThan(5 * ofLog + 10)
})

const words = (count: number, mark: string) =>
  Array.from({ length: count }, (_, i) => `${mark}${i.toString(36)}x`).join(' ')

test('main texts are indexed first, and of all others as many words as fit, in their order', async () => {
  const main = words(3000, 'm')
  const {
    words: indexed,
    hashes,
    levels,
    unread,
  } = doAll(
    countWords({
      mainTexts: [{ text: main, weight: 1 }],
      texts: [{ text: words(3000, 'b'), weight: 1 }],
      minorTexts: [words(3000, 'e'), 'the last of all'],
    }),
  )
  const known = new Set(indexed)
  expect(termsOf(main).every((term) => known.has(term))).toBe(true)
  expect(termsOf(words(3000, 'b')).every((term) => known.has(term))).toBe(true)
  expect(indexed).toHaveLength(3000 + MAX_FURTHER_WORDS)
  expect(hashes.length).toBeLessThanOrEqual(indexed.length)
  expect(levels).toHaveLength(hashes.length)
  const leftOut = termsOf(`${words(3000, 'e')} the last of all`).filter((term) => !known.has(term))
  expect(leftOut).not.toEqual([])
  for (const term of leftOut) expect(unread).toContain(term)
})

test('main texts of too many different words leave room for the others, and say what is left out', () => {
  const { words: indexed, unread } = doAll(
    countWords({
      mainTexts: [
        { text: 'the title', weight: 9 },
        { text: `${words(9000, 'm')} lastword`, weight: 1 },
      ],
      texts: [{ text: words(100, 'b'), weight: 1 }],
      minorTexts: [],
    }),
  )
  expect(indexed).toContain('titl')
  expect(indexed).not.toContain('lastword')
  expect(indexed).toHaveLength(MAX_MAIN_WORDS + 100)
  expect(unread).toContain('lastword')
})

test('a text that repeats its words is read to its end', async () => {
  const text = `${words(4000, 'r')} `.repeat(8)
  const {
    length,
    unread,
    words: indexed,
  } = doAll(
    countWords({
      mainTexts: [],
      texts: [{ text: `${text} lastword`, weight: 1 }],
      minorTexts: [],
    }),
  )
  expect({ length, unread }).toEqual({ length: 32_001, unread: '' })
  expect(indexed).toContain('lastword')
})

test('other work goes on while the words of a long text are counted', async () => {
  let isCounting = true
  let turns = 0
  const others = (async () => {
    for (; isCounting; turns++) await nextIteration()
  })()
  const main = { text: `${LOG}${JUNK['different words']}`, weight: 1 }
  await new Work().inPieces(countWords({ mainTexts: [main, main], texts: [main], minorTexts: [LOG] }))
  isCounting = false
  await others
  expect(turns).toBeGreaterThan(2)
})
