import { expect, test } from 'vitest'
import { killAgainAndAgain } from './kill.ts'

// To PostgreSQL a worker that dies is a program that dies, so it dies there only in kill.faults.ts.
test.concurrent.each([
  ['sqlite', ['worker', 'whole program']],
  ['postgres', ['database server', 'whole program']],
] as const)(
  'nothing acknowledged is lost on %s when processes are killed in the middle of writing',
  async (engine, [first, last]) => {
    const { kills } = await killAgainAndAgain(engine, 2, [first, last])
    expect(kills).toEqual({ [first]: 1, [last]: 1 })
  },
  240_000,
)
