import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import {
  COEFFICIENTS,
  CONSTANT,
  confidenceOf,
  type Features,
  FLOOR,
} from '../src/features/search/confidence.ts'
import { drawReliability } from './confidence/diagram.ts'
import { fitLogistic } from './confidence/logistic.ts'
import { areaUnderCurve, expectedCalibrationError, type Judged } from './confidence/measures.ts'
import { type Asked, collectSamples } from './confidence/samples.ts'
import { readCollection } from './search/collections.ts'
import { openVault } from './search/vault.ts'

const USAGE = `npm run eval:confidence -- <folder> <folder> [<folder> …] [--draw file.svg]

Asks every collection its own queries and those of the others, in vaults of 10 cards to all of them, prints how well the
score tells them apart, and the coefficients that fit these collections best, for src/features/search/confidence.ts.`

const { values, positionals } = parseArgs({ allowPositionals: true, options: { draw: { type: 'string' } } })
if (positionals.length < 2) {
  console.error(USAGE)
  process.exit(2)
}

/** What another floor would do. */
const FLOORS = [0.4, 0.45, 0.48, 0.5, 0.55]

const NAMES = Object.keys(COEFFICIENTS) as (keyof Features)[]

/** Each collection, size and kind weighs the same, so that the largest does not decide alone. */
const GROUP_WEIGHT = 30
const groupOf = ({ from, size, isForeign, kind }: Asked) =>
  `${from} ${size} ${isForeign} ${kind.startsWith('long')}`

function printFit(asked: readonly Asked[]): void {
  const groups = Map.groupBy(asked, groupOf)
  const samples = asked.flatMap((one) => {
    const hit = one.hits[one.isForeign ? 0 : one.judged]
    if (!hit) return []
    const weight = GROUP_WEIGHT / (groups.get(groupOf(one))?.length ?? 1)
    const label = one.isForeign ? (0 as const) : (1 as const)
    return [{ x: [1, ...NAMES.map((name) => hit[name])], label, weight }]
  })
  const [constant, ...rest] = fitLogistic(samples)
  console.log(`\nfitted: constant ${constant?.toFixed(2)} (is ${CONSTANT})`)
  NAMES.forEach((name, i) => {
    console.log(`  ${name} ${rest[i]?.toFixed(2)} (is ${COEFFICIENTS[name]})`)
  })
}

const judgedOf = (asked: readonly Asked[]): Judged[] =>
  asked
    .filter(({ isForeign, judged }) => isForeign || judged >= 0)
    .map(({ hits, isForeign }) => ({
      score: Math.max(0, ...hits.map(confidenceOf)),
      label: isForeign ? 0 : 1,
    }))

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

/** The share of foreign queries with a hit, and of judged cards among the first ten that are one. */
function report(name: string, asked: readonly Asked[], floor = FLOOR): void {
  const foreign = asked.filter(({ isForeign }) => isForeign)
  const found = asked.filter(({ isForeign, judged }) => !isForeign && judged >= 0)
  const isHit = (hit: Features | undefined) => hit !== undefined && confidenceOf(hit) >= floor
  const hits = foreign.filter((one) => one.hits.some(isHit)).length
  const kept = found.filter((one) => isHit(one.hits[one.judged])).length
  const judged = judgedOf(asked)
  console.log(
    `${name.padEnd(24)} foreign with a hit ${percent(hits, foreign.length)} of ${foreign.length}, kept ${percent(kept, found.length)} of ${found.length}, AUC ${areaUnderCurve(judged).toFixed(3)}, ECE ${expectedCalibrationError(judged).toFixed(3)}`,
  )
}

const vault = await openVault('sqlite')
try {
  const asked = await collectSamples(vault, positionals.map(readCollection))
  report('all', asked)
  const typed = asked.filter(({ kind }) => kind === 'clean')
  for (const floor of FLOORS) report(`clean, floor ${floor}`, typed, floor)
  for (const name of positionals.map((folder) => basename(folder)))
    report(
      `clean, all of ${name}`,
      typed.filter(({ from, size }) => from === name && size > 1000),
    )
  for (const [name, some] of Map.groupBy(asked, ({ kind }) => kind)) report(name, some)
  for (const [name, some] of Map.groupBy(asked, ({ from }) => from)) report(name, some)
  for (const [size, some] of Map.groupBy(asked, ({ size }) => size))
    if (size <= 1000) report(`${size} cards`, some)
  printFit(asked)
  if (values.draw) writeFileSync(values.draw, drawReliability(judgedOf(typed)))
} finally {
  await vault.destroy()
}
