import { parseArgs } from 'node:util'
import { contextFor, type Viewer } from '../src/core/context.ts'
import { LOOKED_AT, questionOf } from '../src/features/recall/fitting.ts'
import { EVIDENCE, evidenceFor } from '../src/features/recall/judge.ts'
import { findOwnAndTeam } from '../src/features/search/find-cards.ts'
import { fitLogistic, type Sample, sigmoid } from './confidence/logistic.ts'
import { type Case, cardsOf, casesOf, KINDS, VAULTS } from './recall/cases.ts'
import { type Filled, fill } from './recall/fill.ts'
import { readCollection } from './search/collections.ts'
import { type BenchVault, openVault } from './search/vault.ts'
import { report } from './support/report.ts'

const USAGE = `npm run eval:recall -- [<folder> …] [--engine sqlite|postgres] [--fit] [--wrong]

Whether recall brings the card that fits, and is silent where none does: 300 failures with a fitting card, 300 without, 300
successful outputs, 200 prompts with and 200 without something to say, and 150 failures with a near one each, for which the
card is wrong, asked through POST /api/v1/recall. The texts of a
folder (corpus.jsonl, queries.jsonl, qrels.tsv) are further cards of the vault. Half of the cases are for tuning; the figures
are of the other half.
  --fit    prints the coefficients that fit the tuning half best, for src/features/recall/floors.ts
  --wrong  prints the cases of the tuning half that went wrong`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'sqlite' },
    fit: { type: 'boolean', default: false },
    wrong: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const { engine } = values
if (values.help || (engine !== 'sqlite' && engine !== 'postgres')) {
  console.error(USAGE)
  process.exit(2)
}

type Outcome = Case & { delivered: string | undefined; chars: number }

async function ask({ app }: BenchVault, filled: readonly Filled[], one: Case): Promise<Outcome> {
  const { owner, nameOf } = filled[one.vault] as Filled
  const answer = await app.server.inject({
    method: 'POST',
    url: '/api/v1/recall',
    headers: { authorization: `Bearer ${owner.token}` },
    payload: { moment: one.moment, text: one.text },
  })
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.payload}`)
  const { items, chars } = answer.json()
  return { ...one, delivered: items[0] ? (nameOf.get(items[0].id) ?? 'unknown') : undefined, chars }
}

/** Right cards get more weight, because they are rarer than wrong ones. */
const WEIGHTS = { right: 1.5, wrong: 1, besideRight: 0.5 }

type Judged = { x: number[]; isRight: boolean }
type JudgedCase = Case & { cards: Judged[] }

/** The features of every card that could be delivered. */
async function judgedCases(
  vault: BenchVault,
  filled: readonly Filled[],
  cases: readonly Case[],
): Promise<JudgedCase[]> {
  const judged: JudgedCase[] = []
  for (const one of cases) {
    const question = questionOf(one.moment, one.text)
    if ('silence' in question) continue
    const { owner, nameOf } = filled[one.vault] as Filled
    const viewer: Viewer = {
      userId: owner.userId,
      scopes: new Set(),
      isAdmin: false,
      credential: { kind: 'session', id: '' },
    }
    const ctx = { ...contextFor(vault.app.services), viewer }
    const found = await findOwnAndTeam(ctx, question.query, LOOKED_AT)
    const evidenceOf = evidenceFor(question, found.information)
    const cards = found.cards.map((card) => {
      const evidence = evidenceOf(card)
      const isRight = one.answer !== undefined && nameOf.get(card.row.card_id) === one.answer
      return { x: [1, ...EVIDENCE.map((name) => evidence[name])], isRight }
    })
    judged.push({ ...one, cards })
  }
  return judged
}

const FLOORS_TRIED = [0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6]

function printFloors(judged: readonly JudgedCase[], beta: readonly number[]): void {
  const sure = ({ x }: Judged) => sigmoid(x.reduce((sum, value, i) => sum + value * (beta[i] ?? 0), 0))
  const best = judged.map(({ answer, cards }) => {
    const first = cards.map((card) => ({ ...card, sure: sure(card) })).sort((a, b) => b.sure - a.sure)[0]
    return { hasAnswer: answer !== undefined, first }
  })
  for (const floor of FLOORS_TRIED) {
    const said = best.filter(({ first }) => (first?.sure ?? 0) >= floor)
    const right = said.filter(({ first }) => first?.isRight).length
    const wrong = said.filter(({ hasAnswer }) => !hasAnswer).length
    const withAnswer = best.filter(({ hasAnswer }) => hasAnswer).length
    console.log(
      `  floor ${floor}: right ${percent(right / withAnswer)}, wrong without one ${percent(wrong / (best.length - withAnswer))}`,
    )
  }
}

async function printFit(vault: BenchVault, filled: readonly Filled[], cases: readonly Case[]): Promise<void> {
  for (const moment of ['failure', 'prompt'] as const) {
    const tuning = cases.filter(
      (one) => one.moment === moment && one.half === 'tuning' && one.kind !== 'success',
    )
    const judged = await judgedCases(vault, filled, tuning)
    const samples = judged.flatMap(({ answer, cards }) =>
      cards.map(({ x, isRight }): Sample => {
        const weight = isRight ? WEIGHTS.right : answer ? WEIGHTS.besideRight : WEIGHTS.wrong
        return { x, label: isRight ? 1 : 0, weight }
      }),
    )
    const beta = fitLogistic(samples)
    const named = ['constant', ...EVIDENCE].map((name, i) => `${name}: ${beta[i]?.toFixed(2)}`)
    console.log(`fitted on the tuning half, ${moment}: ${named.join(', ')}`)
    printFloors(judged, beta)
  }
}

const percent = (part: number) => `${(100 * part).toFixed(1)} %`
const isRight = ({ answer, delivered }: Outcome) => answer !== undefined && delivered === answer
const isWrong = ({ answer, delivered }: Outcome) => delivered !== undefined && delivered !== answer
const share = (some: readonly Outcome[], test: (one: Outcome) => boolean) =>
  some.filter(test).length / Math.max(1, some.length)

function tell(half: Case['half'], outcomes: readonly Outcome[]): void {
  const some = outcomes.filter((one) => one.half === half)
  console.log(`\n${half} half`)
  for (const kind of KINDS) {
    const all = some.filter((one) => one.kind === kind)
    console.log(
      `${kind.padEnd(16)} ${all.length}: right ${percent(share(all, isRight))}, wrong ${percent(share(all, isWrong))}`,
    )
    for (const [sort, those] of Map.groupBy(all, ({ sort }) => sort))
      console.log(
        `  ${sort.padEnd(24)} ${those.length}: right ${percent(share(those, isRight))}, wrong ${percent(share(those, isWrong))}`,
      )
  }
}

/** Bars of the product: right deliveries, useless deliveries, and how many characters an agent has to read. */
function judge(outcomes: readonly Outcome[]): void {
  const some = outcomes.filter(({ half }) => half === 'reporting')
  const of = (kind: Case['kind']) => some.filter((one) => one.kind === kind)
  const said = some.filter(({ chars }) => chars > 0)
  const mean = said.reduce((sum, { chars }) => sum + chars, 0) / Math.max(1, said.length)
  const rows = [
    {
      what: 'fitting card delivered',
      measured: share(of('failure with'), isRight),
      bar: '≥ 85 %',
      met: (v: number) => v >= 0.85,
    },
    {
      what: 'wrong card delivered, failures without one',
      measured: share(of('failure without'), isWrong),
      bar: '≤ 5 %',
      met: (v: number) => v <= 0.05,
    },
    {
      what: 'a word said on successful output',
      measured: share(of('success'), isWrong),
      bar: '≤ 1 %',
      met: (v: number) => v <= 0.01,
    },
  ].map(({ what, measured, bar, met }) => ({
    what: `recall: ${what}`,
    measured: percent(measured),
    bar,
    met: met(measured),
  }))
  const all = [
    ...rows,
    {
      what: 'recall: mean injected text',
      measured: `${Math.round(mean)} characters`,
      bar: '≤ 900',
      met: mean <= 900,
    },
  ]
  console.log()
  for (const { what, measured, bar, met } of all)
    console.log(`${met ? 'met ' : 'MISSED'} ${what}: ${measured} (${bar})`)
  report(all)
  if (all.some(({ met }) => !met)) process.exitCode = 1
}

function printWrong(outcomes: readonly Outcome[]): void {
  for (const one of outcomes)
    if (one.half === 'tuning' && (isWrong(one) || (one.answer !== undefined && !isRight(one))))
      console.log(
        `--- ${one.kind}, ${one.sort}: ${one.answer ?? 'none'}, delivered ${one.delivered ?? 'none'}\n${one.text.slice(0, 600)}`,
      )
}

const vault = await openVault(engine)
try {
  const collections = positionals.map(readCollection)
  const filled: Filled[] = []
  for (const which of VAULTS)
    filled.push(await fill(vault, `evaluator-${which}`, cardsOf(which, collections)))
  const cases = casesOf(collections)
  if (values.fit) await printFit(vault, filled, cases)
  const outcomes: Outcome[] = []
  for (const one of cases) outcomes.push(await ask(vault, filled, one))
  if (values.wrong) printWrong(outcomes)
  tell('tuning', outcomes)
  tell('reporting', outcomes)
  judge(outcomes)
} finally {
  await vault.destroy()
}
