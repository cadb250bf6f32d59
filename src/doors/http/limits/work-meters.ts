import type { FastifyRequest } from 'fastify'
import type { Services } from '../../../core/context.ts'
import type { Meter } from '../../../core/work.ts'
import { findSecrets } from '../../../features/redaction/redact.ts'
import { findDanger } from '../../../features/review/find-danger.ts'
import { termsOf } from '../../../text/analyse.ts'
import { refuseSpentWork, type WorkLimit, workLimitOf } from './rate-limit.ts'

/** Below this a call says nothing about the speed of the machine. */
const UNPRICED_MS = 5
const SAMPLE_BYTES = 32 * 1024
const TRIES = 5
/** Processor time differs by so much between two runs over the same text. */
const TOLERANCE = 1.3

const cpuMs = (run: () => unknown): number => {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Returns how many bytes of an ordinary log this machine redacts, reviews and indexes in a millisecond. */
function measureBytesPerMs(): number {
  const line = (i: number) =>
    `2026-01-02T03:04:${i % 60}Z INFO worker ${i % 7} finished job ${i} of queue mail\n`
  const log = Array.from({ length: SAMPLE_BYTES / line(0).length }, (_, i) => line(i)).join('')
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < TRIES; i++)
    best = Math.min(
      best,
      cpuMs(() => [findSecrets(log), findDanger(log), termsOf(log)]),
    )
  return (TOLERANCE * log.length) / best
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
