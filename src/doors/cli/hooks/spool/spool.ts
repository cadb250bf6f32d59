import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../../../core/day.ts'
import { mayBeSentBy } from '../../account.ts'
import { settingsFolder } from '../../folders.ts'
import { oneSpelling } from '../../profile.ts'
import { replaceFile } from '../../replace-file.ts'

/**
 * Turns wait here until the vault has them: one file each, named so that the order of names is the order of turns. They are
 * redacted before they are written.
 */
export type Waiting = {
  /** The vault it belongs to. It is sent to no other. */
  url: string
  /** The account it belongs to; undefined if an earlier version wrote it. */
  account?: string | undefined
  agent: string
  /** The same at every try, so that the vault stores it once. */
  idempotencyKey: string
  input: Record<string, unknown>
}

export type SpoolLimits = { entries: number; bytes: number; ageMs: number }

const LONGEST_REASON = 300

const LIMITS: SpoolLimits = { entries: 500, bytes: 16 * 1024 * 1024, ageMs: 30 * DAY_MS }

const spoolFolder = (): string => join(settingsFolder(), 'spool')

/** Who holds it sends. */
export const lockFile = (): string => join(spoolFolder(), 'lock')

const ENTRY = /^\d{18}-[0-9a-f-]{36}\.json$/

/** Oldest first. */
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

/** Drops the oldest entries if there are too many, and those that are too old to matter. */
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

/** The time in microseconds, never the same twice in one program. */
function ownTime(): string {
  lastTime = Math.max(lastTime + 1, Math.floor((performance.timeOrigin + performance.now()) * 1000))
  return String(lastTime).padStart(18, '0')
}

/** A file appears complete or not at all, so that a sender never reads half of one, and a full disk keeps no half. */
export function put(waiting: Omit<Waiting, 'idempotencyKey'>, limits = LIMITS): void {
  mkdirSync(spoolFolder(), { recursive: true, mode: 0o700 })
  const key = randomUUID()
  const name = `${ownTime()}-${key}.json`
  replaceFile(join(spoolFolder(), name), JSON.stringify({ ...waiting, idempotencyKey: key }), 0o600)
  trimSpool(limits)
}

/** Undefined for a file that is gone or not ours. */
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

/** Whether this account of this vault may send it. */
export const isFor = (waiting: Waiting, url: string, account: string): boolean =>
  waiting.url === url && mayBeSentBy(account, waiting.account)

export const drop = (name: string): void => rmSync(join(spoolFolder(), name), { force: true })

/** Until then nothing is sent to this vault for this account: it has said that it has no room. */
export type Pause = { url: string; account: string; until: number; waitMs: number; reason: string }

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

/** Each pause is twice as long as the one before, up to an hour. */
export function pauseSending(url: string, account: string, reason: string): void {
  const before = pauseOf(url, account)?.waitMs ?? 0
  const waitMs = Math.min(Math.max(FIRST_PAUSE_MS, before * 2), MAX_PAUSE_MS)
  const until = Date.now() + waitMs
  const pause: Pause = { url, account, until, waitMs, reason: reason.slice(0, LONGEST_REASON) }
  replaceFile(pauseFile(), JSON.stringify(pause), 0o600)
}

export const endPause = (): void => rmSync(pauseFile(), { force: true })
