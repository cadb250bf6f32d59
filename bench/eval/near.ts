import { parseArgs } from 'node:util'
import { FLOOR } from '../../src/text/query.ts'
import { percent } from '../lib/collections.ts'
import type { Table } from '../lib/measure.ts'
import { call, engineOf, fillCards, openVault, register, settleIndex } from '../lib/vault.ts'
import { type Case, described, halfOfNear, isInFirst, named, readSet } from '../recall/cases.ts'
import { readCards, readQueries, readUnanswerable } from '../symptom-fix/data.ts'

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

type Result = { card_id: string; score: number }

/** Whether search finds the card that answers, and shows no hit where none does, if all cards are about failures. */
export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: { engine: { type: 'string', default: 'sqlite' }, quick: { type: 'boolean', default: false } },
  })
  const engine = engineOf(values.engine)
  const sets = [
    readSet('near-failures').map(named),
    readSet('more-failures').map(named),
    readCards().map(described),
  ]
  const vault = await openVault(engine)
  try {
    const filled = []
    for (const which of VAULTS) {
      const cards = sets.flatMap((set) => set.filter((_, n) => vaultOf(n) === which))
      const owner = await register(vault.url, `evaluator-${which}`)
      const ids = await fillCards(
        vault.url,
        owner,
        cards.map(({ card }) => card),
      )
      filled.push({ owner, nameOf: new Map(ids.map((id, n) => [id, cards[n]?.name])) })
    }
    await settleIndex(vault)
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
