import { expect, test } from 'vitest'
import { killAgainAndAgain } from './kill.ts'

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 100)

test.each(['sqlite', 'postgres'] as const)(
  `nothing acknowledged is lost on %s in ${ROUNDS} kills`,
  async (engine) => {
    const report = await killAgainAndAgain(engine, ROUNDS)
    process.stdout.write(
      `${engine}: ${report.acknowledged} acknowledged writes, ${JSON.stringify(report.kills)}\n`,
    )
    expect(report.acknowledged).toBeGreaterThan(ROUNDS)
  },
  3_600_000,
)
