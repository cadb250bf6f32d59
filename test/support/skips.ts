import { describe, test } from 'vitest'

/**
 * A group of tests that a machine may be unable to run. `missing` says what it lacks; then the group is one skipped
 * test, and the report names it at the end (skip-report.ts).
 */
export function describeWhere(name: string, missing: string | undefined, define: () => void): void {
  if (missing === undefined) describe(name, define)
  else describe(name, () => test('cannot run here', ({ skip }) => skip(missing)))
}

export const NOT_LINUX =
  process.platform === 'linux' ? undefined : 'this looks at processes as Linux shows them'
