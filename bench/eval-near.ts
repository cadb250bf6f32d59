import { parseArgs } from 'node:util'
import { FLOOR } from '../src/features/search/confidence.ts'
import { type Case, described } from './recall/cases.ts'
import { fill } from './recall/fill.ts'
import { halfOf, isInFirst, named, readSet } from './recall/near-failures.ts'
import { type BenchVault, openVault } from './search/vault.ts'
import { readCards, readQueries, readUnanswerable } from './symptom-fix/data.ts'

const USAGE = `npm run eval:near -- [--engine sqlite|postgres]

Whether search finds the card that answers, and shows no hit where none does, if all cards are about programs that fail. Each of
two vaults has half of the cards of recall/near-failures.jsonl, recall/more-failures.jsonl and symptom-fix, and every query
is asked in both: only one has its card.`

const { values } = parseArgs({
  options: { engine: { type: 'string', default: 'sqlite' }, help: { type: 'boolean', default: false } },
})
const { engine } = values
if (values.help || (engine !== 'sqlite' && engine !== 'postgres')) {
  console.error(USAGE)
  process.exit(2)
}

const VAULTS = [0, 1] as const
type Vault = (typeof VAULTS)[number]
const vaultOf = (n: number): Vault => (isInFirst(n) ? 0 : 1)

const SETS = [
  readSet('near-failures').map(named),
  readSet('more-failures').map(named),
  readCards().map(described),
]

type Asked = { kind: string; half: Case['half']; text: string; vault: Vault; answer?: string }

/** In the vault with the card, and in the other. */
const inBoth = (kind: string, half: Case['half'], text: string, n: number, answer: string): Asked[] => [
  { kind: `${kind}: its card`, half, text, vault: vaultOf(n), answer },
  { kind: `${kind}: card missing`, half, text, vault: vaultOf(n) === 0 ? 1 : 0 },
]

const ofFailures = (kind: string, name: string): Asked[] =>
  readSet(name).flatMap(({ id, queries, near_query }, n) => [
    ...queries.flatMap((text) => inBoth(kind, halfOf(n), text, n, id)),
    ...(near_query === undefined ? [] : VAULTS).map((vault) => ({
      kind: `${kind}: of the near failure`,
      half: halfOf(n),
      text: near_query as string,
      vault,
    })),
  ])

const numberOf = new Map(readCards().map(({ id }, n) => [id, n]))
const ASKED: Asked[] = [
  ...ofFailures('30 tools', 'near-failures'),
  ...ofFailures('24 trades', 'more-failures'),
  ...readQueries().flatMap(({ text, answer }, i) =>
    inBoth('symptom-fix', halfOf(i), text, numberOf.get(answer) ?? 0, answer),
  ),
  ...readUnanswerable().flatMap(({ text }, i) =>
    VAULTS.map((vault) => ({ kind: 'symptom-fix: without an answer', half: halfOf(i), text, vault })),
  ),
]

const cardsIn = (which: Vault) => SETS.flatMap((set) => set.filter((_, n) => vaultOf(n) === which))
const fillWith = (vault: BenchVault, which: Vault) => fill(vault, `evaluator-${which}`, cardsIn(which))

type Result = { card_id: string; score: number }

const vault = await openVault(engine)
try {
  const filled = [await fillWith(vault, 0), await fillWith(vault, 1)] as const
  const hits = async ({ text, vault: which }: Asked): Promise<(string | undefined)[]> => {
    const { owner, nameOf } = filled[which]
    const answer = await vault.app.server.inject({
      method: 'POST',
      url: '/api/v1/search',
      headers: { authorization: `Bearer ${owner.token}` },
      payload: { query: text, limit: 10 },
    })
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.payload}`)
    const results: Result[] = answer.json().results
    return results.filter(({ score }) => score >= FLOOR).map(({ card_id }) => nameOf.get(card_id))
  }
  const counted = new Map<string, { asked: number; hit: number; first: number }>()
  for (const one of ASKED) {
    const found = await hits(one)
    const key = `${one.half.padEnd(10)} ${one.kind}`
    const counts = counted.get(key) ?? { asked: 0, hit: 0, first: 0 }
    counts.asked++
    if (one.answer === undefined ? found.length > 0 : found.includes(one.answer)) counts.hit++
    if (one.answer !== undefined && found[0] === one.answer) counts.first++
    counted.set(key, counts)
  }
  const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`
  for (const [key, { asked, hit, first }] of [...counted].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(
      `${key.padEnd(44)} ${asked}: a hit ${percent(hit, asked)}${key.endsWith('its card') ? `, first ${percent(first, asked)}` : ''}`,
    )
} finally {
  await vault.destroy()
}
