import { parseArgs } from 'node:util'
import { contextFor, type Viewer } from '../../src/core/context.ts'
import { EVIDENCE, evidenceFor } from '../../src/features/recall/judge.ts'
import { LOOKED_AT, questionOf } from '../../src/features/recall/recall.ts'
import { findOwnAndTeam } from '../../src/features/search/hits.ts'
import { percent, readCollection } from '../lib/collections.ts'
import { fitLogistic, type Sample, sigmoid } from '../lib/logistic.ts'
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
import { type Case, cardsOf, casesOf, KINDS, VAULTS } from '../recall/cases.ts'

type Filled = { owner: Person; nameOf: ReadonlyMap<string, string> }

type Outcome = Case & { delivered: string | undefined; chars: number }

async function ask({ url }: OpenVault, filled: readonly Filled[], one: Case): Promise<Outcome> {
  const { owner, nameOf } = filled[one.vault] as Filled
  const body = { moment: one.moment, text: one.text }
  const { items, chars } = await call(url, 'POST', '/api/v1/recall', body, owner.headers)
  return { ...one, delivered: items[0] ? (nameOf.get(items[0].id) ?? 'unknown') : undefined, chars }
}

/** Right cards get more weight, because they are rarer than wrong ones. */
const WEIGHTS = { right: 1.5, wrong: 1, besideRight: 0.5 }

type Judged = { x: number[]; isRight: boolean }
type JudgedCase = Case & { cards: Judged[] }

/** The features of every card that could be delivered. */
async function judgedCases(
  vault: OpenVault,
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

/** What floors would do with these coefficients. */
function floorRows(judged: readonly JudgedCase[], beta: readonly number[]): Table['rows'] {
  const sure = ({ x }: Judged) => sigmoid(x.reduce((sum, value, i) => sum + value * (beta[i] ?? 0), 0))
  const best = judged.map(({ answer, cards }) => {
    const first = cards.map((card) => ({ ...card, sure: sure(card) })).sort((a, b) => b.sure - a.sure)[0]
    return { hasAnswer: answer !== undefined, first }
  })
  const withAnswer = best.filter(({ hasAnswer }) => hasAnswer).length
  return FLOORS_TRIED.map((floor) => {
    const said = best.filter(({ first }) => (first?.sure ?? 0) >= floor)
    const right = said.filter(({ first }) => first?.isRight).length
    const wrong = said.filter(({ hasAnswer }) => !hasAnswer).length
    return {
      floor,
      right: percent(right, withAnswer),
      'wrong without one': percent(wrong, best.length - withAnswer),
    }
  })
}

/** The coefficients that fit the tuning half best, for src/features/recall/judge.ts. */
async function fitCoefficients(
  vault: OpenVault,
  filled: readonly Filled[],
  cases: readonly Case[],
): Promise<Table[]> {
  const tables: Table[] = []
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
    const rows = ['constant', ...EVIDENCE].map((name, i) => ({ name, fitted: beta[i]?.toFixed(2) ?? '' }))
    tables.push({ title: `${moment}: coefficients`, rows })
    tables.push({ title: `${moment}: floors`, rows: floorRows(judged, beta) })
  }
  return tables
}

const isRight = ({ answer, delivered }: Outcome) => answer !== undefined && delivered === answer
const isWrong = ({ answer, delivered }: Outcome) => delivered !== undefined && delivered !== answer
const share = (some: readonly Outcome[], test: (one: Outcome) => boolean) =>
  percent(some.filter(test).length, some.length)

const rowOf = (cases: string, some: readonly Outcome[]) => {
  const said = some.filter(({ chars }) => chars > 0)
  const mean = said.reduce((sum, { chars }) => sum + chars, 0) / Math.max(1, said.length)
  return {
    cases,
    asked: some.length,
    right: share(some, isRight),
    wrong: share(some, isWrong),
    'characters, where something is said': Math.round(mean),
  }
}

function tableOf(half: Case['half'], outcomes: readonly Outcome[]): Table {
  const rows = KINDS.flatMap((kind) => {
    const all = outcomes.filter((one) => one.half === half && one.kind === kind)
    const sorts = [...Map.groupBy(all, ({ sort }) => sort)]
    return [rowOf(kind, all), ...sorts.map(([sort, some]) => rowOf(`– ${sort}`, some))]
  })
  return { title: `${half} half`, rows }
}

function printWrong(outcomes: readonly Outcome[]): void {
  for (const one of outcomes)
    if (one.half === 'tuning' && (isWrong(one) || (one.answer !== undefined && !isRight(one))))
      console.log(
        `--- ${one.kind}, ${one.sort}: ${one.answer ?? 'none'}, delivered ${one.delivered ?? 'none'}\n${one.text.slice(0, 600)}`,
      )
}

/**
 * Whether recall brings the card that fits, and is silent where none does. The texts of folders are further cards. Half of the
 * cases are for tuning. --fit prints the coefficients that fit this half best, --wrong its cases that went wrong.
 */
export async function run(args: string[]): Promise<Table[]> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      engine: { type: 'string', default: 'sqlite' },
      fit: { type: 'boolean', default: false },
      wrong: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
    },
  })
  const collections = positionals.map(readCollection)
  const cases = casesOf(collections).filter((_, n) => !values.quick || n % 20 === 0)
  const vault = await openVault(engineOf(values.engine))
  try {
    const filled: Filled[] = []
    for (const which of VAULTS) {
      const cards = cardsOf(which, collections)
      const owner = await register(vault.url, `evaluator-${which}`)
      const ids = await fillCards(
        vault.url,
        owner,
        cards.map(({ card }) => card),
      )
      filled.push({ owner, nameOf: new Map(ids.map((id, n) => [id, cards[n]?.name ?? ''])) })
    }
    await settleIndex(vault)
    if (values.fit) return await fitCoefficients(vault, filled, cases)
    const outcomes: Outcome[] = []
    for (const one of cases) outcomes.push(await ask(vault, filled, one))
    if (values.wrong) printWrong(outcomes)
    return [tableOf('tuning', outcomes), tableOf('reporting', outcomes)]
  } finally {
    await vault.stop()
  }
}
