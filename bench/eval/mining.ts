import { parseArgs } from 'node:util'
import { sessionFrom } from '../../src/features/mining/job.ts'
import { mine } from '../../src/shared/mining.ts'
import { percent } from '../lib/collections.ts'
import type { Table } from '../lib/measure.ts'
import { HELD_OUT_NON_PAIRS, HELD_OUT_PAIRS } from '../mining/held-out.ts'
import { NON_PAIRS, PAIRS } from '../mining/scenes.ts'
import { asTurns, played, type Scene } from '../mining/script.ts'

/** The rules were written with the first half. The other half only measures. */
const HALVES: Record<string, readonly (readonly Scene[])[]> = {
  build: [PAIRS, NON_PAIRS],
  measure: [HELD_OUT_PAIRS, HELD_OUT_NON_PAIRS],
}

type Count = { known: number; found: number; wrong: number; misses: string[] }

/** Every second transcript has the form of captured turns, which do not say when a file was edited. */
function countScene(scene: Scene, seed: number, into: Count): void {
  const { steps, pair } = played(scene, seed)
  const isCaptured = seed % 2 === 1
  const { candidates } = mine(isCaptured ? sessionFrom(asTurns(steps)) : { steps, environment: {} })
  const right = candidates.filter(({ command }) => command === pair)
  into.known += pair === undefined ? 0 : 1
  into.found += Math.min(right.length, 1)
  into.wrong += candidates.length - Math.min(right.length, 1)
  const isMissed = pair !== undefined && right.length === 0
  if (isMissed || candidates.length > right.length)
    into.misses.push(`${isMissed ? 'missed' : 'wrong'}: ${scene.name}${isCaptured ? ' (turns)' : ''}`)
}

/** Plays transcripts with a known error and its cure, and such that only look like it. --misses names what went wrong. */
export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: { misses: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
  })
  const transcripts = values.quick ? 20 : 100
  const rows = Object.entries(HALVES).map(([half, kinds]) => {
    const count: Count = { known: 0, found: 0, wrong: 0, misses: [] }
    for (const [offset, scenes] of kinds.entries())
      for (let i = 0; i < transcripts; i++) {
        const [at, round] = [i % scenes.length, Math.floor(i / scenes.length)]
        countScene(scenes[at] as Scene, offset * 10_000 + round * 1000 + at + round, count)
      }
    const { known, found, wrong, misses } = count
    if (values.misses)
      for (const [name, all] of Map.groupBy(misses, (miss) => miss))
        console.log(`${half}: ${name} × ${all.length}`)
    return {
      half,
      transcripts: 2 * transcripts,
      precision: `${percent(found, found + wrong)} (${found} of ${found + wrong})`,
      recall: `${percent(found, known)} (${found} of ${known})`,
    }
  })
  return [{ title: 'errors that were cured, in played transcripts', rows }]
}
