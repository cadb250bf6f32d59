import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { tokens } from '../../src/text/analyse.ts'
import { fold } from '../../src/text/fold.ts'
import { STOP_WORDS } from '../../src/text/terms.ts'
import { meansOf, percent, type QueryScore, scoreQuery } from '../lib/collections.ts'
import type { Table } from '../lib/measure.ts'
import { withTypos } from '../lib/texts.ts'
import type { Card } from '../lib/vault.ts'
import { described, type Named } from '../recall/cases.ts'
import { readCards, readQueries } from '../symptom-fix/data.ts'

type Written = { title: string; symptom: string; fix: string; queries: string[] }
type Question = { kind: string; text: string; answer: string }

const FOLDER = join(import.meta.dirname, '..', 'asked')
const readWritten = (name: string): Written[] =>
  readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const WRITTEN = ['japanese', 'other-words'] as const

function writtenCards(): (Named & { kind: string; queries: string[] })[] {
  return WRITTEN.flatMap((kind) =>
    readWritten(kind).map(({ title, symptom, fix, queries }, n) => {
      const card: Card = { title, symptom, root_cause: '', fix_summary: fix, tags: [], environment: {} }
      return { name: `${kind}-${n}`, card, kind: kind.replace('-', ' '), queries }
    }),
  )
}

/** The words from..to of a text, with what stands between them. */
function wordsFrom(text: string, from: number, count: number): string {
  const found = tokens(text)
  const [first, last] = [found[from], found[Math.min(from + count, found.length) - 1]]
  return first && last ? text.slice(first.start, last.end).replaceAll(/["“”]/g, '') : ''
}

/** The two first words of a text that say something. */
const shortened = (text: string): string =>
  tokens(text)
    .map(({ start, end }) => text.slice(start, end))
    .filter((word) => !STOP_WORDS.has(fold(word)))
    .slice(0, 2)
    .join(' ')

const QUOTED = 3

function questions(cards: readonly Named[]): Question[] {
  const cardOf = new Map(cards.map(({ name, card }) => [name, card]))
  const half = readQueries().filter((_, n) => n % 2 === 0)
  const titles = half.filter(({ kind }) => kind === 'title')
  const errors = half.filter(({ kind }) => kind === 'error')
  const quoting = (text: string) => {
    const part = wordsFrom(text, 1, QUOTED)
    return text.replace(part, ` "${part}" `)
  }
  return [
    ...titles.map(({ text, answer }) => {
      const said = wordsFrom(cardOf.get(answer)?.symptom ?? '', 1, QUOTED)
      return { kind: 'quotes from the card', text: `${text} "${said}"`, answer }
    }),
    ...[...titles, ...errors].flatMap(({ text, answer }) => [
      { kind: 'quotes', text: quoting(text), answer },
      { kind: 'quotes and typos', text: quoting(withTypos(text)), answer },
      { kind: 'typos', text: withTypos(text), answer },
    ]),
    ...titles.map(({ text, answer }) => ({ kind: 'two words', text: shortened(text), answer })),
    ...writtenCards().flatMap(({ name, kind, queries }) =>
      queries.map((text) => ({ kind, text, answer: name })),
    ),
  ]
}

const MAX_FOUND = 10

type Bench = typeof import('../lib/vault.ts')

/** Asks the vault of a checkout all questions. */
async function scoresIn(checkout: string, cards: readonly Named[], all: readonly Question[]) {
  const { call, fillCards, openVault, register, settleIndex }: Bench = await import(
    join(checkout, 'bench/lib/vault.ts')
  )
  const vault = await openVault()
  try {
    const owner = await register(vault.url, 'evaluator')
    const ids = await fillCards(
      vault.url,
      owner,
      cards.map(({ card }) => card),
    )
    await settleIndex(vault)
    const nameOf = new Map(ids.map((id, n) => [id, cards[n]?.name ?? '']))
    const scores = new Map<string, QueryScore[]>()
    for (const { kind, text, answer } of all) {
      const { results } = await call(
        vault.url,
        'POST',
        '/api/v1/search',
        { query: text.padEnd(3), limit: MAX_FOUND },
        owner.headers,
      )
      const found = results.map(({ card_id }: { card_id: string }) => nameOf.get(card_id) ?? '')
      scores.set(kind, [...(scores.get(kind) ?? []), scoreQuery(found, new Map([[answer, 1]]))])
    }
    return scores
  } finally {
    await vault.stop()
  }
}

/** Queries as people type them: quotation marks, slips, two words, Japanese, and other words than the card has. */
export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: { against: { type: 'string' }, quick: { type: 'boolean', default: false } },
  })
  const cards = [...readCards().map(described), ...writtenCards()]
  const all = questions(cards).filter((_, n) => !values.quick || n % 10 === 0)
  const here = await scoresIn(join(import.meta.dirname, '../..'), cards, all)
  const there = values.against ? await scoresIn(values.against, cards, all) : undefined
  const rowOf = (by: string, kind: string, scores: readonly QueryScore[]): Table['rows'][number] => {
    const first = scores.filter(({ mrr10 }) => mrr10 === 1).length
    return { kind, queries: scores.length, by, ...meansOf(scores), first: percent(first, scores.length) }
  }
  const rows = [...here].flatMap(([kind, scores]) => [
    ...(there ? [rowOf('there', kind, there.get(kind) ?? [])] : []),
    rowOf('here', kind, scores),
  ])
  return [{ title: `queries as people type them, ${cards.length} cards`, rows }]
}
