import type { Services } from './context.ts'

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
