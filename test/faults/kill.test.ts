import { expect, test } from 'vitest'
import { killAgainAndAgain } from './kill.ts'

test.concurrent.each(['sqlite', 'postgres'] as const)(
  'nothing acknowledged is lost on %s when processes are killed in the middle of writing',
  async (engine) => {
    const { kills } = await killAgainAndAgain(engine, engine === 'sqlite' ? 2 : 3)
    expect(kills).toMatchObject({ 'whole program': 1, worker: 1 })
  },
  240_000,
)
