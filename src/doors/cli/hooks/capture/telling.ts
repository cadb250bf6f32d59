import { tellingLines } from '../../../../text/failure.ts'
import { bothEnds } from '../failures.ts'

/** The most useful part of an output: the telling lines of a failure, the two ends of anything else. */
export function telling(output: string, hasFailed: boolean, most: number): string {
  const lines = hasFailed ? tellingLines(output).join('\n') : ''
  return bothEnds(lines || output.trim(), most)
}
