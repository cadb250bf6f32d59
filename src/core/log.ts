import { write, writeSync } from 'node:fs'
import { Counter } from 'prom-client'
import type { Services } from './context.ts'

const BUSY_MS = 100
const MOST_PAUSES = 10
/** A reader that is too slow, or gone, costs no more memory than this. Later lines are dropped until there is room. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024

const isBusy = (error: NodeJS.ErrnoException) => error.code === 'EAGAIN' || error.code === 'EBUSY'

/**
 * Where log lines go. What cannot be written is dropped, and the next lines are tried again: a log on a full disk, or on a
 * terminal that has closed, must not stop the service. Pino's own output ends the process then, and tries for ever to write
 * the last lines before it does.
 */
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
    if (this.#waitingBytes + bytes.length > MOST_WAITING_BYTES) return
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (!this.#isWriting) this.#writeNext()
  }

  /** All that waits, at once. */
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

  /** For the end of the process. A slow reader has a second for the last lines. */
  writeRest(): void {
    let rest = this.#take()
    for (let pauses = 0; rest.length > 0 && pauses < MOST_PAUSES; )
      try {
        rest = rest.subarray(writeSync(this.#fd, rest))
      } catch (error) {
        if (!isBusy(error as NodeJS.ErrnoException)) return
        pauses++
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS)
      }
  }
}

/** While the database is away, requests and jobs fail for one reason: a line for each of them helps nobody. */
const OUTAGE_LINE_EVERY_MS = 10_000

type Lines = { lastAt: number; notLogged: number }

/** By message: each part of the program says it for itself. */
const outageLines = new WeakMap<Services['database'], Map<string, Lines>>()

function linesOf(database: Services['database'], message: string): Lines {
  const known = outageLines.get(database) ?? new Map<string, Lines>()
  outageLines.set(database, known)
  const lines = known.get(message) ?? { lastAt: Number.NEGATIVE_INFINITY, notLogged: 0 }
  known.set(message, lines)
  return lines
}

/** Where a name leads to several addresses, Node's error has no text of its own. */
const reasonOf = ({ message, code }: { message?: string; code?: string }) => message || code

type Failure = { message: string; details?: Record<string, unknown>; level?: 'warn' | 'error' }

/**
 * Logs what failed. That the database cannot be used is one line without a stack, at most every ten seconds for each
 * message and process, with the number of failures since the last one. Anything else is logged whole.
 */
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

/** Of the whole process, as its other metrics. The log tells the reason; a number is what an alert can be set on. */
export const jobFailures = new Counter({
  name: 'job_failures_total',
  help: 'Executions of background jobs that failed, by job.',
  labelNames: ['job'],
  registers: [],
})
