import { expect, test } from 'vitest'
import { killWhileBooking } from './booking.ts'

/** In the middle of the transaction; the other moments are in booking.faults.ts. */
const MIDDLE = [3]

test.each(['sqlite', 'postgres'] as const)(
  'a process killed while an event is being booked, on %s, has booked nothing, and the next delivery books it once',
  async (engine) => {
    await expect(killWhileBooking(engine, MIDDLE)).resolves.toBeUndefined()
  },
)
