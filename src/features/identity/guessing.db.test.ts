import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { DAY_MS } from '../../shared/time.ts'
import { dropOldFailures, limitGuessers, recordFailure } from './passwords.ts'

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]

onBothEngines(
  'failures of a host',
  (t) => {
    let hosts = 0

    /** A host that many people share, with a clock of its own. */
    const sharedHost = () => {
      let at = Date.now()
      let people = 0
      const ctx = { ...contextFor(t.app.services), ip: `192.0.2.${++hosts}`, now: () => new Date(at) }
      const somebody = () => `person-${++people}@host-${hosts}.example`
      return {
        ctx,
        wait: (ms: number) => {
          at += ms
        },
        fail: () => recordFailure(ctx, somebody()),
        attempt: () => limitGuessers(ctx, somebody()),
      }
    }

    test('that come slowly keep nobody out, however many there were', async () => {
      const { fail, attempt, wait } = sharedHost()
      for (let i = 0; i < 60; i++) {
        await fail()
        await attempt()
        wait(2 * HOUR)
      }
    })

    test('that come once a minute, now sooner and now later, keep nobody out', async () => {
      const { fail, attempt, wait } = sharedHost()
      for (let i = 0; i < 120; i++) {
        await fail()
        await attempt()
        wait((i % 2 === 0 ? 50 : 70) * SECOND)
      }
    })

    test('that come fast hold everybody of the host, and fall with time', async () => {
      const { fail, attempt, wait } = sharedHost()
      for (let i = 0; i < 60; i++) {
        await fail()
        wait(10 * SECOND)
      }
      await fail()
      await expect(attempt()).rejects.toMatchObject({ status: 429 })
      wait(15 * MINUTE)
      await attempt()
      // Those that are left count on: a host has not the free ones anew.
      for (let i = 0; i < 25; i++) await fail()
      await expect(attempt()).rejects.toMatchObject({ status: 429 })
    })

    test('of one who guesses as fast as it is let are one a minute in the end', async () => {
      const { ctx, fail, attempt, wait } = sharedHost()
      for (let i = 0; i < 50; i++) await fail()
      let guesses = 0
      for (let second = 0; second < 3600; second += 20) {
        const isHeld = await attempt().then(
          () => false,
          () => true,
        )
        if (!isHeld) guesses++
        if (!isHeld) await fail()
        wait(20 * SECOND)
      }
      expect(guesses).toBeLessThan(60 + 10)
      wait(2 * DAY_MS)
      await dropOldFailures(ctx)
      await attempt()
    })

    test('are all counted when they come at once', async () => {
      const { fail, attempt } = sharedHost()
      for (let i = 0; i < 5; i++) await Promise.all(Array.from({ length: 11 }, fail))
      await expect(attempt()).rejects.toMatchObject({ status: 429 })
    })

    test('do not free an address: its sixth try waits, at a host where nobody else fails', async () => {
      const { ctx, wait } = sharedHost()
      for (let i = 0; i < 5; i++) await recordFailure(ctx, 'one@host.example')
      for (let i = 0; i < 5; i++) {
        await expect(limitGuessers(ctx, 'one@host.example')).rejects.toMatchObject({ status: 429 })
        await limitGuessers(ctx, `other-${i}@host.example`)
        wait(2 ** i * SECOND)
        await recordFailure(ctx, 'one@host.example')
      }
    })
  },
  { RATE_LIMIT: 'on' },
)
