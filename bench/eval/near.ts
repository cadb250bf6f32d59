import { parseArgs } from 'node:util'
import { ALIKE_COEFFICIENTS, ALIKE_CONSTANT, type Features, FIRST_HITS, FLOOR } from '../../src/text/query.ts'
import { percent } from '../lib/collections.ts'
import { fitLogistic } from '../lib/logistic.ts'
import type { Table } from '../lib/measure.ts'
import {
  call,
  engineOf,
  fillCards,
  type OpenVault,
  openVault,
  type Person,
  register,
  settleIndex,
} from '../lib/vault.ts'
import { type Case, described, halfOfNear, isInFirst, named, readSet } from '../recall/cases.ts'
import { readCards, readQueries, readUnanswerable } from '../symptom-fix/data.ts'
import { type Asked, ask } from './confidence.ts'

/** Each of two vaults has half of the cards, and every query is asked in both: only one has its card. */
const VAULTS = [0, 1] as const
type Which = (typeof VAULTS)[number]
const vaultOf = (n: number): Which => (isInFirst(n) ? 0 : 1)

type Question = { kind: string; half: Case['half']; text: string; vault: Which; answer?: string }

const inBoth = (kind: string, half: Case['half'], text: string, n: number, answer: string): Question[] => [
  { kind: `${kind}: its card`, half, text, vault: vaultOf(n), answer },
  { kind: `${kind}: card missing`, half, text, vault: vaultOf(n) === 0 ? 1 : 0 },
]

const failuresOf = (kind: string, name: string): Question[] =>
  readSet(name).flatMap(({ id, queries, near_query }, n) => [
    ...queries.flatMap((text) => inBoth(kind, halfOfNear(n), text, n, id)),
    ...(near_query === undefined ? [] : VAULTS).map((vault) => ({
      kind: `${kind}: of the near failure`,
      half: halfOfNear(n),
      text: near_query as string,
      vault,
    })),
  ])

function questions(): Question[] {
  const numberOf = new Map(readCards().map(({ id }, n) => [id, n]))
  return [
    ...failuresOf('30 tools', 'near-failures'),
    ...failuresOf('24 trades', 'more-failures'),
    ...readQueries().flatMap(({ text, answer }, i) =>
      inBoth('symptom-fix', halfOfNear(i), text, numberOf.get(answer) ?? 0, answer),
    ),
    ...readUnanswerable().flatMap(({ text }, i) =>
      VAULTS.map((vault) => ({ kind: 'symptom-fix: without an answer', half: halfOfNear(i), text, vault })),
    ),
  ]
}

type Filled = { owner: Person; nameOf: Map<string, string> }

/** The share of the found cards whose search stays sure. */
const KEPT = 0.9
const NAMES = Object.keys(ALIKE_COEFFICIENTS) as (keyof typeof ALIKE_COEFFICIENTS)[]

/** Fits the confidence among cards of one trade to the tuning half, for src/text/query.ts. */
async function fitAlike(
  vault: OpenVault,
  filled: readonly Filled[],
  all: readonly Question[],
): Promise<Table> {
  const asked: (Asked & { label: 0 | 1 })[] = []
  for (const [i, { text, vault: which, answer }] of all.entries()) {
    const { owner: person, nameOf } = filled[which] as Filled
    const judgements = new Map([[`${i}`, new Map(answer === undefined ? [] : [[answer, 1]])]])
    const scope = {
      name: 'near',
      from: 'near',
      person,
      nameOf,
      collection: { name: 'near', texts: [], queries: [], judgements },
    }
    const one = await ask(vault, scope, { _id: `${i}`, text }, 'clean')
    asked.push({ ...one, hits: one.hits.slice(0, FIRST_HITS), label: answer === undefined ? 0 : 1 })
  }
  const usable = asked.filter(({ hits, label, judged }) =>
    label === 0 ? hits.length > 0 : judged >= 0 && judged < hits.length,
  )
  let model = [0, ...NAMES.map((name) => (name === 'coverage' ? 1 : 0))]
  const logitBy = (hit: Features) =>
    NAMES.reduce((sum, name, i) => sum + hit[name] * (model[i + 1] as number), model[0] as number)
  const surest = ({ hits }: Asked) =>
    hits.reduce((best, hit) => (logitBy(hit) > logitBy(best) ? hit : best)) as Features
  for (let round = 0; round < FIT_ROUNDS; round++)
    model = fitLogistic(
      usable.map((one) => ({
        x: [1, ...NAMES.map((name) => surest(one)[name])],
        label: one.label,
        weight: 1,
      })),
    )
  const found = usable
    .filter(({ label }) => label === 1)
    .map((one) => logitBy(surest(one)))
    .sort((a, b) => b - a)
  const constant = (model[0] as number) - (found[Math.ceil(KEPT * found.length) - 1] as number)
  return {
    title: 'coefficients among cards of one trade',
    rows: [
      { name: 'constant', is: ALIKE_CONSTANT, fitted: constant.toFixed(2) },
      ...NAMES.map((name, i) => ({
        name,
        is: ALIKE_COEFFICIENTS[name],
        fitted: (model[i + 1] as number).toFixed(2),
      })),
    ],
  }
}

/** The model decides which hit is the surest, so fitting is repeated. */
const FIT_ROUNDS = 5

type Result = { card_id: string; score: number }

/** Whether search finds the card that answers, and shows no hit where none does, if all cards are about failures. */
export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: {
      engine: { type: 'string', default: 'sqlite' },
      quick: { type: 'boolean', default: false },
      fit: { type: 'boolean', default: false },
    },
  })
  const engine = engineOf(values.engine)
  const sets = [
    readSet('near-failures').map(named),
    readSet('more-failures').map(named),
    readCards().map(described),
  ]
  const vault = await openVault(engine)
  try {
    const filled: Filled[] = []
    for (const which of VAULTS) {
      const cards = sets.flatMap((set) => set.filter((_, n) => vaultOf(n) === which))
      const owner = await register(vault.url, `evaluator-${which}`)
      const ids = await fillCards(
        vault.url,
        owner,
        cards.map(({ card }) => card),
      )
      filled.push({ owner, nameOf: new Map(ids.map((id, n) => [id, cards[n]?.name ?? ''])) })
    }
    await settleIndex(vault)
    if (values.fit)
      return [
        await fitAlike(
          vault,
          filled,
          questions().filter(({ half }) => half === 'tuning'),
        ),
      ]
    const counted = new Map<string, { asked: number; hit: number; first: number }>()
    for (const one of questions().filter((_, n) => !values.quick || n % 20 === 0)) {
      const { owner, nameOf } = filled[one.vault] as (typeof filled)[number]
      const body = { query: one.text, limit: 10 }
      const { results } = await call(vault.url, 'POST', '/api/v1/search', body, owner.headers)
      const found = (results as Result[])
        .filter(({ score }) => score >= FLOOR)
        .map(({ card_id }) => nameOf.get(card_id))
      const key = `${one.half}: ${one.kind}`
      const counts = counted.get(key) ?? { asked: 0, hit: 0, first: 0 }
      counts.asked++
      if (one.answer === undefined ? found.length > 0 : found.includes(one.answer)) counts.hit++
      if (one.answer !== undefined && found[0] === one.answer) counts.first++
      counted.set(key, counts)
    }
    const rows = [...counted].sort().map(([queries, { asked, hit, first }]) => ({
      queries,
      asked,
      'a hit': percent(hit, asked),
      first: queries.endsWith('its card') ? percent(first, asked) : '',
    }))
    return [{ title: `search among cards about failures, ${engine}`, rows }]
  } finally {
    await vault.stop()
  }
}
