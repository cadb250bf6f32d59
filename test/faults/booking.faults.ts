import { expect, test } from 'vitest'
import { killWhileBooking } from './booking.ts'

test.each(['sqlite', 'postgres'] as const)(
  'at whatever moment a process is killed while it books an event, on %s, the next delivery books it once',
  async (engine) => {
    await expect(killWhileBooking(engine, [2, 3, 4, 5])).resolves.toBeUndefined()
  },
)
