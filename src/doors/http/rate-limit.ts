import type { FastifyRequest } from 'fastify'
import type { LimitClass } from '../../core/capability.ts'
import type { Services, Viewer } from '../../core/context.ts'
import { rateLimited } from '../../core/errors.ts'
import type { LimitState, Limits } from '../../core/limits.ts'
import type { Meter } from '../../core/work.ts'
import { findSecrets } from '../../redaction/redact.ts'
import { findDanger } from '../../review/find-danger.ts'
import { termsOf } from '../../text/analyse.ts'

const MIB = 1024 * 1024

export const PER_MINUTE: Record<LimitClass, number> = {
  auth: 10,
  support: 10,
  search: 120,
  write: 240,
  read: 600,
}

/** All credentials of one person together may use this many times the limit of one credential. */
const CREDENTIALS_WORTH = 5
/** Limit for each host of requests for addresses and methods that do not exist. */
export const MISSES_PER_MINUTE = 120
/** Limit for each host of requests for public pages, files and descriptions. */
export const FILES_PER_MINUTE = 3_000
/** Limit of wrong credentials for each host. Beyond ten times as many, credentials are not even looked up. */
export const WRONG_CREDENTIALS_PER_MINUTE = 60
const LOOKED_UP_WRONG_CREDENTIALS = 10 * WRONG_CREDENTIALS_PER_MINUTE
/** Bytes of bodies that one person, or one host without a credential, may send. */
export const BODY_BYTES_PER_MINUTE = { person: 32 * MIB, host: 8 * MIB }
/** Bytes of pictures and attachments. The largest ticket with all its attachments fits. */
export const UPLOAD_BYTES_PER_MINUTE = { person: 128 * MIB, host: 64 * MIB }

function refusePast(state: LimitState, detail?: string): void {
  if (state.exceeded) throw rateLimited(state, detail)
}

/** Classes whose requests cost money or can guess secrets. Their limit holds exactly over all processes. */
const COUNTED_TOGETHER: ReadonlySet<LimitClass> = new Set(['auth', 'support'])

function counterFor({ hit, hitTogether, hitAmongNodes }: Limits, limitClass: LimitClass) {
  if (COUNTED_TOGETHER.has(limitClass)) return hitTogether
  return limitClass === 'search' ? hitAmongNodes : hit
}

/** Counts against the credential, or the host without one; a promise only if another process counts. */
export function applyRateLimit(
  services: Services,
  limitClass: LimitClass,
  viewer: Viewer | null,
  request: FastifyRequest,
): void | Promise<void> {
  if (!services.config.rateLimit) return undefined
  const perMinute = PER_MINUTE[limitClass]
  // Sign-in routes always count by host; otherwise a session would bypass the limit.
  const counted = limitClass === 'auth' ? null : viewer
  const caller = counted ? counted.credential.id : request.clientHost
  const count = counterFor(services.limits, limitClass)
  const countCaller = () => count(`${limitClass}:${caller}`, perMinute)
  const refuseCaller = (state: LimitState) => {
    request.limit = state
    refusePast(state)
  }
  const countPerson = () =>
    counted && count(`${limitClass}:person:${counted.userId}`, CREDENTIALS_WORTH * perMinute)
  const refusePerson = (state: LimitState | null) => {
    if (state) refusePast(state, 'Too many requests of all your credentials together.')
  }
  return andThen(andThen(andThen(countCaller(), refuseCaller), countPerson), refusePerson)
}

const andThen = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  value instanceof Promise ? value.then(next) : next(value)

export function countMiss(services: Services, request: FastifyRequest): void {
  if (!services.config.rateLimit) return
  request.limit = services.limits.hit(`missed:${request.clientHost}`, MISSES_PER_MINUTE)
  refusePast(request.limit)
}

export function countFile(services: Services, request: FastifyRequest): void {
  if (!services.config.rateLimit) return
  refusePast(services.limits.hit(`files:${request.clientHost}`, FILES_PER_MINUTE))
}

const wrongCredentialsOf = (request: FastifyRequest) => `wrong:${request.clientHost}`

/** Refuses a host with very many wrong credentials before a look-up (brute force). */
export function limitGuessingHost(services: Services, request: FastifyRequest, isKnown: () => boolean): void {
  if (!services.config.rateLimit) return
  const state = services.limits.look(wrongCredentialsOf(request), LOOKED_UP_WRONG_CREDENTIALS)
  if (state.exceeded && !isKnown()) refusePast(state, 'Too many wrong credentials.')
}

export function countWrongCredential(services: Services, request: FastifyRequest): void {
  if (!services.config.rateLimit) return
  const state = services.limits.hit(wrongCredentialsOf(request), WRONG_CREDENTIALS_PER_MINUTE)
  refusePast(state, 'Too many wrong credentials.')
}

function countBytes(
  services: Services,
  request: FastifyRequest,
  what: string,
  perMinute: { person: number; host: number },
  bytes: number,
): void {
  if (!services.config.rateLimit) return
  const { viewer } = request
  const state = viewer
    ? services.limits.hit(`${what}:${viewer.userId}`, perMinute.person, bytes)
    : services.limits.hit(`${what}:${request.clientHost}`, perMinute.host, bytes)
  refusePast(state, 'Too much was sent.')
}

type WorkLimit = { key: string; perMinute: number }

/** The unit is bytes of an ordinary log that cost as much (`WorkMeters`). */
const workLimitOf = ({ viewer, clientHost }: FastifyRequest): WorkLimit =>
  viewer
    ? { key: `work:${viewer.userId}`, perMinute: BODY_BYTES_PER_MINUTE.person }
    : { key: `work:${clientHost}`, perMinute: BODY_BYTES_PER_MINUTE.host }

function refuseSpentWork(services: Services, { key, perMinute }: WorkLimit): void {
  const state = services.limits.look(key, perMinute)
  if (state.remaining === 0) throw rateLimited(state, 'Your last texts took long to analyse.')
}

/** Counts a body before it is parsed: many large bodies would block the process for everybody else. */
export function countBodyBytes(services: Services, request: FastifyRequest, bytes: number): void {
  countBytes(services, request, 'bytes', BODY_BYTES_PER_MINUTE, bytes)
  if (services.config.rateLimit) refuseSpentWork(services, workLimitOf(request))
}

/** Counts an upload before it is read. An upload without a stated length counts as `most` bytes. */
export function countUpload(services: Services, request: FastifyRequest, most: number): void {
  const stated = request.headers['content-length']
  const bytes = stated === undefined ? most : Math.min(Number(stated), most)
  countBytes(services, request, 'uploaded', UPLOAD_BYTES_PER_MINUTE, bytes)
}

/** A shorter call says nothing about the speed of the machine. */
const UNPRICED_MS = 10
const SAMPLE_CHARACTERS = 32 * 1024
/** Clocks of processor time may have steps of 10 ms. */
const SAMPLED_MS = 60
/** Upper bound of the speed, for a clock that stands still. */
const MAX_BYTES_PER_MS = 100_000
/** A door does more with an ordinary log than the sample does, and ordinary texts are never refused. */
const MARGIN = 1.5

/** Measures how many bytes of an ordinary log this machine redacts, reviews and indexes in a millisecond. */
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
      return Math.min(bytesPerMs, MAX_BYTES_PER_MS)
  }
}

/** A process that has just started is up to fifty times slower, so the speed is measured again and the best counts. */
const FIRST_TRIES = 3
const MEASURED_AGAIN_AFTER = 4
const WARM_MS = 10_000

/** A call that begins within the limit is done whole; the excess is charged to the next minute. */
export class WorkMeters {
  readonly #services: Services
  readonly #measure: () => number
  readonly #turns = new Map<string, Promise<void>>()
  #bytesPerMs: number | undefined
  #chargedMs = 0
  #measuredAt = 0

  constructor(services: Services, measure = measureBytesPerMs) {
    this.#services = services
    this.#measure = measure
  }

  #priceOf(ms: number): number {
    this.#chargedMs += ms
    const isDue = this.#chargedMs >= MEASURED_AGAIN_AFTER * this.#measuredAt && this.#measuredAt < WARM_MS
    if (this.#bytesPerMs === undefined || isDue) {
      const tries = Array.from({ length: this.#bytesPerMs === undefined ? FIRST_TRIES : 1 }, this.#measure)
      this.#bytesPerMs = Math.max(this.#bytesPerMs ?? 0, Math.max(...tries) / MARGIN)
      this.#measuredAt = this.#chargedMs
    }
    return ms * this.#bytesPerMs
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
        limits.owe(limit.key, limit.perMinute, this.#priceOf(ms))
        ms = 0
      },
      owe: (bytes) => limits.owe(limit.key, limit.perMinute, bytes),
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
