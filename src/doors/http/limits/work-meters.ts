import type { FastifyRequest } from 'fastify'
import type { Services } from '../../../core/context.ts'
import type { Meter } from '../../../core/work.ts'
import { findSecrets } from '../../../features/redaction/redact.ts'
import { findDanger } from '../../../features/review/find-danger.ts'
import { termsOf } from '../../../text/analyse.ts'
import { refuseSpentWork, type WorkLimit, workLimitOf } from './rate-limit.ts'

/** Below this a call says nothing about the speed of the machine. */
const UNPRICED_MS = 10
const SAMPLE_CHARACTERS = 32 * 1024
/** Clocks of processor time may have steps of 10 ms. */
const SAMPLED_MS = 60
/** No machine is faster, so a clock that stands still makes nothing expensive. */
const MAX_BYTES_PER_MS = 100_000
/** Processor time of the same work differs by so much. */
const TOLERANCE = 1.25

/** Returns how many bytes of an ordinary log this machine redacts, reviews and indexes in a millisecond. */
function measureBytesPerMs(): number {
  const line = (i: number) =>
    `2026-01-02T03:04:${i % 60}Z INFO worker ${i % 7} finished job ${i} of queue mail\n`
  const log = Array.from({ length: SAMPLE_CHARACTERS / line(0).length }, (_, i) => line(i)).join('')
  const before = process.threadCpuUsage()
  for (let bytes = log.length; ; bytes += log.length) {
    for (const analyse of [findSecrets, findDanger, termsOf]) analyse(log)
    const { user, system } = process.threadCpuUsage(before)
    const bytesPerMs = (1000 * bytes) / (user + system)
    if (user + system >= 1000 * SAMPLED_MS || bytes > SAMPLED_MS * MAX_BYTES_PER_MS)
      return TOLERANCE * Math.min(bytesPerMs, MAX_BYTES_PER_MS)
  }
}

/**
 * Charges callers for work by what it costs. Work is counted as bytes of an ordinary log that cost as much. A call
 * that begins in an unspent minute is done whole, and what is beyond the minute is owed by the next ones.
 */
export class WorkMeters {
  readonly #services: Services
  readonly #turns = new Map<string, Promise<void>>()
  #bytesPerMs: number | undefined

  constructor(services: Services) {
    this.#services = services
  }

  of(request: FastifyRequest): Meter | undefined {
    const { config, limits } = this.#services
    if (!config.rateLimit) return undefined
    const limit = workLimitOf(request)
    let ms = 0
    return {
      charge: (more) => {
        ms += more
        if (this.#bytesPerMs === undefined && ms < UNPRICED_MS) return
        this.#bytesPerMs ??= measureBytesPerMs()
        limits.owe(limit.key, limit.perMinute, ms * this.#bytesPerMs)
        ms = 0
      },
      takeTurn: async () => {
        const end = await this.#takeTurn(limit)
        try {
          refuseSpentWork(this.#services, limit)
        } catch (error) {
          end()
          throw error
        }
        return end
      },
    }
  }

  /** In the order of asking. */
  async #takeTurn({ key }: WorkLimit): Promise<() => void> {
    const before = this.#turns.get(key)
    const { promise: mine, resolve: end } = Promise.withResolvers<void>()
    this.#turns.set(key, mine)
    await before
    return () => {
      if (this.#turns.get(key) === mine) this.#turns.delete(key)
      end()
    }
  }
}
