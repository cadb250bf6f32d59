/**
 * Feeds the rules of mining transcripts with a known error and its cure, and transcripts that only look like it, and counts what
 * the rules take for a cure. Half of the transcripts come from scenes that were used to write the rules. The other half were written
 * later and are only measured. Every second transcript has the form of captured turns, which do not say when a file was edited.
 * Start it with `npm run eval:mining`.
 */
import { parseArgs } from 'node:util'
import { sessionFrom } from '../src/features/mining/captured.ts'
import { mine } from '../src/features/mining/rules/mine.ts'
import type { Session, Step } from '../src/features/mining/rules/session.ts'
import { HELD_OUT_NON_PAIRS } from './mining/held-out-non-pairs.ts'
import { HELD_OUT_PAIRS } from './mining/held-out-pairs.ts'
import { MORE_NON_PAIRS } from './mining/more-non-pairs.ts'
import { MORE_PAIRS } from './mining/more-pairs.ts'
import { NON_PAIRS } from './mining/non-pairs.ts'
import { PAIRS } from './mining/pairs.ts'
import { played, type Scene } from './mining/script.ts'
import { asTurns } from './mining/turns.ts'

const { values } = parseArgs({ options: { misses: { type: 'boolean', default: false } } })

const TRANSCRIPTS = 200
const LEAST_PRECISION = 0.9
const LEAST_RECALL = 0.8

type Half = 'build' | 'measure'
type Count = { transcripts: number; known: number; found: number; wrong: number; misses: string[] }

const session = (steps: readonly Step[], isCaptured: boolean): Session =>
  isCaptured ? sessionFrom(asTurns(steps)) : { steps, environment: {} }

const counts: Record<Half, Count> = {
  build: { transcripts: 0, known: 0, found: 0, wrong: 0, misses: [] },
  measure: { transcripts: 0, known: 0, found: 0, wrong: 0, misses: [] },
}

function count(scene: Scene, half: Half, seed: number): void {
  const { steps, pair } = played(scene, seed)
  const isCaptured = seed % 2 === 1
  const { candidates } = mine(session(steps, isCaptured))
  const into = counts[half]
  const right = candidates.filter(({ command }) => command === pair)
  into.transcripts += 1
  into.known += pair === undefined ? 0 : 1
  into.found += Math.min(right.length, 1)
  into.wrong += candidates.length - Math.min(right.length, 1)
  const isMissed = pair !== undefined && right.length === 0
  if (isMissed || candidates.length > right.length)
    into.misses.push(`${isMissed ? 'missed' : 'wrong'}: ${scene.name}${isCaptured ? ' (turns)' : ''}`)
}

const SCENES: Record<Half, readonly (readonly Scene[])[]> = {
  build: [
    [...PAIRS, ...MORE_PAIRS],
    [...NON_PAIRS, ...MORE_NON_PAIRS],
  ],
  measure: [HELD_OUT_PAIRS, HELD_OUT_NON_PAIRS],
}

for (const half of ['build', 'measure'] as const)
  for (const [offset, scenes] of SCENES[half].entries())
    for (let i = 0; i < TRANSCRIPTS / 2; i++) {
      const [at, round] = [i % scenes.length, Math.floor(i / scenes.length)]
      count(scenes[at] as Scene, half, offset * 10_000 + round * 1000 + at + round)
    }

const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole)
const percent = (value: number) => `${(100 * value).toFixed(1)} %`

let isGood = true
for (const half of ['build', 'measure'] as const) {
  const { transcripts, known, found, wrong, misses } = counts[half]
  const [precision, recall] = [share(found, found + wrong), share(found, known)]
  console.log(
    `${half.padEnd(8)} ${transcripts} transcripts, ${known} pairs: precision ${percent(precision)} (${found} of ${found + wrong}), recall ${percent(recall)} (${found} of ${known})`,
  )
  if (values.misses)
    for (const [name, all] of Map.groupBy(misses, (miss) => miss)) console.log(`  ${name} × ${all.length}`)
  if (half === 'measure') isGood = precision >= LEAST_PRECISION && recall >= LEAST_RECALL
}
if (!isGood) {
  console.error(
    `Below the bars of ${percent(LEAST_PRECISION)} precision and ${percent(LEAST_RECALL)} recall.`,
  )
  process.exitCode = 1
}
