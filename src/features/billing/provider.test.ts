import pino from 'pino'
import { expect, test, vi } from 'vitest'
import type { PaymentProvider } from '../../adapters/payments.ts'
import type { Ctx } from '../../core/context.ts'
import { TIMEOUTS } from '../../doors/http/connections.ts'
import { askProvider, MAX_MS } from './subscriptions.ts'

test('a provider that never answers is a 503 before the connection of the caller is closed', async () => {
  expect(2 * MAX_MS).toBeLessThan(TIMEOUTS.idleTimeoutMs)
  const payments = {} as PaymentProvider
  const ctx = { adapters: { payments }, log: pino({ level: 'silent' }) } as unknown as Ctx
  vi.useFakeTimers()
  try {
    const asked = expect(askProvider(ctx, () => new Promise(() => {}))).rejects.toMatchObject({
      status: 503,
      code: 'unavailable',
    })
    await vi.advanceTimersByTimeAsync(MAX_MS)
    await asked
  } finally {
    vi.useRealTimers()
  }
})
