import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { COEFFICIENTS, CONSTANT, FLOOR } from '../src/features/search/confidence.ts'
import { drawReliability } from './confidence/diagram.ts'
import { fitModel, NAMES, scoresBy, scoresHeldOut } from './confidence/fit.ts'
import { areaUnderCurve, expectedCalibrationError, type Judged } from './confidence/measures.ts'
import { type Asked, collectSamples, NOBODY } from './confidence/samples.ts'
import { PROGRAMMING, symptomFix } from './confidence/symptom-fix.ts'
import { readCollection } from './search/collections.ts'
import { openVault } from './search/vault.ts'

const USAGE = `npm run eval:confidence -- <folder> [<folder> …] [--draw file.svg] [--code folder]

Asks every collection, and symptom-fix, its own queries and those of the others, in vaults of 10 cards to all of them, prints how
well the score tells them apart, and the coefficients that fit these collections best, for src/features/search/confidence.ts.
A collection that --code names is about programming, as symptom-fix is; these two are not asked each other's queries.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { draw: { type: 'string' }, code: { type: 'string', multiple: true, default: [] } },
})
const folders = [...positionals, ...values.code]
if (folders.length === 0) {
  console.error(USAGE)
  process.exit(2)
}

/** What is larger is a whole collection. */
const LARGEST_PART = 1000

/** Prints the effect of other floors. */
const FLOORS = [0.4, 0.45, FLOOR, 0.55]

type Scores = (asked: Asked) => number[]

const judgedOf = (asked: readonly Asked[], scoresOf: Scores): Judged[] =>
  asked
    .filter(({ isForeign, judged }) => isForeign || judged >= 0)
    .map((one) => ({ score: Math.max(0, ...scoresOf(one)), label: one.isForeign ? 0 : 1 }))

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

/** The share of foreign queries with a hit, and the share of judged cards among the first ten that are hits. */
function report(name: string, asked: readonly Asked[], scoresOf: Scores, floor = FLOOR): void {
  const foreign = asked.filter(({ isForeign }) => isForeign)
  const found = asked.filter(({ isForeign, judged }) => !isForeign && judged >= 0)
  const hits = foreign.filter((one) => scoresOf(one).some((score) => score >= floor)).length
  const kept = found.filter((one) => (scoresOf(one)[one.judged] ?? 0) >= floor).length
  const judged = judgedOf(asked, scoresOf)
  console.log(
    `${name.padEnd(28)} foreign with a hit ${percent(hits, foreign.length)} of ${foreign.length}, kept ${percent(kept, found.length)} of ${found.length}, AUC ${areaUnderCurve(judged).toFixed(3)}, ECE ${expectedCalibrationError(judged).toFixed(3)}`,
  )
}

function reportAll(asked: readonly Asked[], scoresOf: Scores): void {
  const foreign = asked.filter(({ of }) => of !== NOBODY)
  const typed = foreign.filter(({ kind }) => kind === 'clean')
  report('all', foreign, scoresOf)
  for (const floor of FLOORS) report(`clean, floor ${floor}`, typed, scoresOf, floor)
  for (const [name, some] of Map.groupBy(foreign, ({ kind }) => kind)) report(name, some, scoresOf)
  for (const [name, some] of Map.groupBy(foreign, ({ from }) => from)) report(name, some, scoresOf)
  const bySize = ({ size }: Asked) => (size <= LARGEST_PART ? `${size} cards` : 'more cards')
  for (const [name, some] of Map.groupBy(foreign, bySize)) report(name, some, scoresOf)
  for (const [name, some] of Map.groupBy(typed, bySize)) report(`clean, ${name}`, some, scoresOf)
  report(
    'near, without an answer',
    asked.filter(({ of }) => of === NOBODY),
    scoresOf,
  )
}

const vault = await openVault('sqlite')
try {
  const collections = folders.map((folder) => ({
    ...readCollection(folder),
    ...(values.code.some((code) => basename(code) === basename(folder)) ? { subject: PROGRAMMING } : {}),
  }))
  const asked = await collectSamples(vault, [...collections, symptomFix()])
  const model = [CONSTANT, ...NAMES.map((name) => COEFFICIENTS[name])]
  const asItIs: Scores = (one) => scoresBy(model, one)
  reportAll(asked, asItIs)
  console.log('\nheld out: each collection by a fit without its cards and questions')
  const heldOut = scoresHeldOut(asked)
  reportAll(asked, (one) => heldOut.get(one) ?? [])
  const [constant, ...rest] = fitModel(asked)
  console.log(`\nfitted: constant ${constant?.toFixed(2)} (is ${CONSTANT})`)
  NAMES.forEach((name, i) => {
    console.log(`  ${name} ${rest[i]?.toFixed(2)} (is ${COEFFICIENTS[name]})`)
  })
  const typed = asked.filter(({ kind, of }) => kind === 'clean' && of !== NOBODY)
  if (values.draw) writeFileSync(values.draw, drawReliability(judgedOf(typed, asItIs)))
} finally {
  await vault.destroy()
}
