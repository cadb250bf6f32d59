import { tellingLines } from '../../../../text/failure.ts'
import { bothEnds } from '../failures.ts'

/** The part of an output that says what happened: of a failure its telling lines, of anything else the two ends. */
export function telling(output: string, hasFailed: boolean, most: number): string {
  const lines = hasFailed ? tellingLines(output).join('\n') : ''
  return bothEnds(lines || output.trim(), most)
}
