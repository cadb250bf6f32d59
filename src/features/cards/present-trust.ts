import { z } from 'zod'
import { Time } from '../../core/schemas.ts'
import { storedTrust } from '../trust/stored-trust.ts'
import { trustSummary } from '../trust/summary.ts'

export const Trust = z
  .object({
    value: z.number().describe('0 to 1: how likely it works for the next person'),
    low: z.number().describe('The true value lies between low and high in four of five cases'),
    high: z.number(),
    worked: z
      .int()
      .describe('How many people it worked for. New accounts, and others that count little, are left out'),
    failed: z.int(),
    stale: z.int(),
    before_change: z
      .int()
      .describe('How many of the people have said nothing since the fix was last changed'),
    people: z.int(),
    last_confirmed_at: Time.nullable().describe('When it last worked for one of these people'),
    summary: z.string().describe('In words, at most 120 characters'),
  })
  .meta({ id: 'CardTrust' })

/** Null as long as nobody has given a verdict or feedback. */
export function presentTrust(
  row: Parameters<typeof storedTrust>[0],
  now: Date,
): z.input<typeof Trust> | null {
  const trust = storedTrust(row)
  return trust && { ...trust, summary: trustSummary(trust, now) }
}
