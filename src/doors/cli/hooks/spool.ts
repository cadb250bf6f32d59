import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../../shared/time.ts'
import { accountOf, mayBeSentBy } from '../account.ts'
import { type Posted, postJson } from '../http-request.ts'
import { replaceFile, settingsFolder } from '../local-files.ts'
import { findProfile, oneSpelling, type Profile } from '../profile.ts'
import { type Lock, noteRun, takeLock } from './state.ts'

/** A waiting turn: one redacted file each, whose name sorts by time. */
type Waiting = {
  /** The only vault that gets the turn. */
  url: string
  /** The account that the turn belongs to; undefined if an earlier version wrote it. */
  account?: string | undefined
  agent: string
  /** Equal at every retry, so that the vault stores the turn once. */
  idempotencyKey: string
  input: Record<string, unknown>
}

type SpoolLimits = { entries: number; bytes: number; ageMs: number }

const MAX_REASON_LENGTH = 300

const LIMITS: SpoolLimits = { entries: 500, bytes: 16 * 1024 * 1024, ageMs: 30 * DAY_MS }

const spoolFolder = (): string => join(settingsFolder(), 'spool')

const lockFile = (): string => join(spoolFolder(), 'lock')

const ENTRY = /^\d{18}-[0-9a-f-]{36}\.json$/

export function waitingFiles(): string[] {
  try {
    return readdirSync(spoolFolder(), { withFileTypes: true })
      .filter((entry) => entry.isFile() && ENTRY.test(entry.name))
      .map((entry) => entry.name)
      .sort()
  } catch {
    return []
  }
}

const sizeOf = (name: string): { size: number; mtimeMs: number } =>
  statSync(join(spoolFolder(), name), { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 }

/** Deletes entries that are too many (oldest first) or too old. */
export function trimSpool(limits = LIMITS, now = Date.now()): void {
  const kept = waitingFiles().map((name) => ({ name, ...sizeOf(name) }))
  let bytes = kept.reduce((sum, { size }) => sum + size, 0)
  for (const [at, { name, size, mtimeMs }] of kept.entries()) {
    if (kept.length - at <= limits.entries && bytes <= limits.bytes && now - mtimeMs <= limits.ageMs) continue
    drop(name)
    bytes -= size
  }
}

let lastTime = 0

/** Returns the time in microseconds, unique within one program. */
function ownTime(): string {
  lastTime = Math.max(lastTime + 1, Math.floor((performance.timeOrigin + performance.now()) * 1000))
  return String(lastTime).padStart(18, '0')
}

/** Writes a file atomically, so that a sender never reads half of it and a full disk keeps no half. */
export function put(waiting: Omit<Waiting, 'idempotencyKey'>, limits = LIMITS): void {
  mkdirSync(spoolFolder(), { recursive: true, mode: 0o700 })
  const key = randomUUID()
  const name = `${ownTime()}-${key}.json`
  replaceFile(join(spoolFolder(), name), JSON.stringify({ ...waiting, idempotencyKey: key }), 0o600)
  trimSpool(limits)
}

export function read(name: string): Waiting | undefined {
  try {
    const { url, account, agent, idempotencyKey, input } = JSON.parse(
      readFileSync(join(spoolFolder(), name), 'utf8'),
    )
    return typeof url === 'string' && typeof idempotencyKey === 'string' && typeof input === 'object'
      ? {
          url: oneSpelling(url),
          account: account === undefined ? undefined : String(account),
          agent: String(agent),
          idempotencyKey,
          input,
        }
      : undefined
  } catch {
    return undefined
  }
}

export const isFor = (waiting: Waiting, url: string, account: string): boolean =>
  waiting.url === url && mayBeSentBy(account, waiting.account)

const drop = (name: string): void => rmSync(join(spoolFolder(), name), { force: true })

/** A pause in sending for one vault and account, because the vault has no room. */
type Pause = { url: string; account: string; until: number; waitMs: number; reason: string }

const FIRST_PAUSE_MS = 60_000
const MAX_PAUSE_MS = 3_600_000

const pauseFile = (): string => join(spoolFolder(), 'pause.json')

export function pauseOf(url: string, account: string): Pause | undefined {
  try {
    const pause: Pause = JSON.parse(readFileSync(pauseFile(), 'utf8'))
    return pause.url === url && pause.account === account ? pause : undefined
  } catch {
    return undefined
  }
}

/** Pauses sending; each pause doubles the last one, up to an hour. */
function pauseSending(url: string, account: string, reason: string): void {
  const before = pauseOf(url, account)?.waitMs ?? 0
  const waitMs = Math.min(Math.max(FIRST_PAUSE_MS, before * 2), MAX_PAUSE_MS)
  const until = Date.now() + waitMs
  const pause: Pause = { url, account, until, waitMs, reason: reason.slice(0, MAX_REASON_LENGTH) }
  replaceFile(pauseFile(), JSON.stringify(pause), 0o600)
}

const endPause = (): void => rmSync(pauseFile(), { force: true })

const TIMEOUT_MS = 10_000
/** Longer than one turn takes to send, in ms. */
const STALE_MS = 60_000

/** Whether the answer is the vault's: a proxy or a network's sign-in page stores nothing. */
const isToolAnswer = (body: unknown): boolean => (body as { success?: unknown } | null)?.success === true

/** Whether a refusal is the vault's: a sentence with a code, or a list of input errors. */
function isOfVault(body: unknown): boolean {
  const { detail, code } = (body ?? {}) as { detail?: unknown; code?: unknown }
  if (typeof detail === 'string') return typeof code === 'string'
  return Array.isArray(detail) && detail.length > 0 && detail.every((issue) => typeof issue?.msg === 'string')
}

/** Returns why the vault accepts nothing for now: the account's quota or the disk is full. */
function reasonToPause({ status, body }: Posted): string | undefined {
  const { detail, code } = (body ?? {}) as { detail?: unknown; code?: unknown }
  const isFull = (status === 413 && code === 'storage_full') || (status === 503 && isOfVault(body))
  return isFull ? String(detail) : undefined
}

/** Whether the vault or a proxy refuses this turn itself, so that a retry would not help. */
const isRefused = ({ status, body }: Posted): boolean =>
  status === 413 ||
  (status >= 400 && status < 500 && ![401, 403, 408, 409, 425, 429].includes(status) && isOfVault(body))

type Outcome = 'sent' | 'refused' | 'later' | { pause: string }

async function sendOne({ url, idempotencyKey, input }: Waiting, apiKey: string): Promise<Outcome> {
  try {
    const options = { apiKey, timeoutMs: TIMEOUT_MS, idempotencyKey }
    const posted = await postJson(`${url}/mcp/tools/append_context_turn`, input, options)
    if (posted.status === 200 && isToolAnswer(posted.body)) return 'sent'
    const pause = reasonToPause(posted)
    if (pause !== undefined) return { pause }
    return isRefused(posted) ? 'refused' : 'later'
  } catch {
    return 'later'
  }
}

/** Sends turns one after another and stops at the first failure, to keep the order. */
async function sendAll(lock: Lock, profile: Profile): Promise<number> {
  const account = accountOf(profile)
  const pause = pauseOf(profile.url, account)
  if (pause && pause.until > Date.now()) return 0
  let sent = 0
  for (const name of waitingFiles()) {
    const waiting = read(name)
    if (waiting && !isFor(waiting, profile.url, account)) continue
    const outcome = waiting ? await sendOne(waiting, profile.apiKey) : 'refused'
    if (typeof outcome === 'object') {
      pauseSending(profile.url, account, outcome.pause)
      return sent
    }
    if (outcome === 'later' || !lock.renew()) return sent
    if (outcome === 'sent' && pause) endPause()
    drop(name)
    if (outcome === 'sent') sent += 1
    else if (waiting) noteRun(waiting.agent, 'capture', REFUSED)
  }
  return sent
}

const REFUSED = { ms: 0, chars: 0, error: 'The vault refused a turn; it was dropped.' }

/**
 * Sends oldest first; turns of another vault or account wait. If another program holds the lock, that program
 * or the next hook sends these turns.
 */
export async function sendWaiting(): Promise<number> {
  const { apiKey, ...rest } = findProfile()
  if (!apiKey || waitingFiles().length === 0) return 0
  let all = 0
  // Turns that arrive meanwhile would wait for the next hook.
  for (let rounds = 0; rounds < 3; rounds++) {
    const lock = takeLock(lockFile(), STALE_MS)
    if (!lock) return all
    let sent = 0
    try {
      trimSpool()
      sent = await sendAll(lock, { ...rest, apiKey })
    } finally {
      lock.release()
    }
    all += sent
    if (sent === 0) break
  }
  return all
}
