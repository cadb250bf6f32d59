import { write, writeSync } from 'node:fs'
import { Counter } from 'prom-client'
import type { Services } from './context.ts'

const BUSY_MS = 100
const MAX_PAUSES = 10
/** Memory limit for lines that wait for a slow reader. Later lines are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

const isBusy = (error: NodeJS.ErrnoException) => error.code === 'EAGAIN' || error.code === 'EBUSY'

/** Drops lines that cannot be written: a full disk would end the process with Pino's own output. */
export class LogOutput {
  readonly #fd: number
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #isWriting = false

  constructor(fd: number) {
    this.#fd = fd
  }

  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) return
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (!this.#isWriting) this.#writeNext()
  }

  #take(): Buffer {
    const bytes = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    return bytes
  }

  #writeNext(bytes = this.#take()): void {
    this.#isWriting = bytes.length > 0
    if (!this.#isWriting) return
    write(this.#fd, bytes, (error, written) => {
      if (error && isBusy(error)) setTimeout(() => this.#writeNext(bytes), BUSY_MS)
      else if (error) this.#writeNext()
      else this.#writeNext(written < bytes.length ? bytes.subarray(written) : undefined)
    })
  }

  /** Writes the last lines at the end of the process. A slow reader gets one second. */
  writeRest(): void {
    let rest = this.#take()
    for (let pauses = 0; rest.length > 0 && pauses < MAX_PAUSES; )
      try {
        rest = rest.subarray(writeSync(this.#fd, rest))
      } catch (error) {
        if (!isBusy(error as NodeJS.ErrnoException)) return
        pauses++
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS)
      }
  }
}

/** During a database outage, at most one line per message in this time (ms). */
const OUTAGE_LINE_EVERY_MS = 10_000

type Lines = { lastAt: number; notLogged: number }

/** Outage lines by message, for each database. */
const outageLines = new WeakMap<Services['database'], Map<string, Lines>>()

function linesOf(database: Services['database'], message: string): Lines {
  const known = outageLines.get(database) ?? new Map<string, Lines>()
  outageLines.set(database, known)
  const lines = known.get(message) ?? { lastAt: Number.NEGATIVE_INFINITY, notLogged: 0 }
  known.set(message, lines)
  return lines
}

/** Returns the reason. Node's error for a name with several addresses has a code but no message. */
const reasonOf = ({ message, code }: { message?: string; code?: string }) => message || code

type Failure = { message: string; details?: Record<string, unknown>; level?: 'warn' | 'error' }

export function logFailure(
  { database, log }: Pick<Services, 'database' | 'log'>,
  error: unknown,
  { message, details = {}, level = 'error' }: Failure,
): void {
  if (!database.isUnavailable(error)) {
    log[level]({ ...details, err: error }, message)
    return
  }
  const lines = linesOf(database, message)
  const now = performance.now()
  if (now - lines.lastAt < OUTAGE_LINE_EVERY_MS) {
    lines.notLogged++
    return
  }
  const { notLogged } = lines
  Object.assign(lines, { lastAt: now, notLogged: 0 })
  log[level]({ ...details, reason: reasonOf(error as Error), not_logged: notLogged }, message)
}

/** Counts failed jobs of the whole process, for alerts. */
export const jobFailures = new Counter({
  name: 'job_failures_total',
  help: 'Executions of background jobs that failed, by job.',
  labelNames: ['job'],
  registers: [],
})
