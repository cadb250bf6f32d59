import { accountOf } from '../../account.ts'
import { findProfile, type Profile } from '../../profile.ts'
import { type Lock, takeLock } from '../lock.ts'
import { type Posted, postJson } from '../post-json.ts'
import { noteRun } from '../run-log.ts'
import {
  drop,
  endPause,
  isFor,
  lockFile,
  pauseOf,
  pauseSending,
  read,
  trimSpool,
  type Waiting,
  waitingFiles,
} from './spool.ts'

const TIMEOUT_MS = 10_000
/** Longer than one turn may take to send. */
const STALE_MS = 60_000

/** A proxy, the sign-in page of a network or another service may answer in place of the vault, and has stored nothing. */
const isToolAnswer = (body: unknown): boolean => (body as { success?: unknown } | null)?.success === true

/** The vault refuses in one of two forms: a sentence with a code, or a list of what is wrong with the input. */
function isOfVault(body: unknown): boolean {
  const { detail, code } = (body ?? {}) as { detail?: unknown; code?: unknown }
  if (typeof detail === 'string') return typeof code === 'string'
  return Array.isArray(detail) && detail.length > 0 && detail.every((issue) => typeof issue?.msg === 'string')
}

/** Why the vault takes nothing for now: this account has no room for more text, or the vault none on its disk. */
function reasonToPause({ status, body }: Posted): string | undefined {
  const { detail, code } = (body ?? {}) as { detail?: unknown; code?: unknown }
  const isFull = (status === 413 && code === 'storage_full') || (status === 503 && isOfVault(body))
  return isFull ? String(detail) : undefined
}

/** The turn itself is refused, so a retry would not help: by the vault, or by a proxy for its size. */
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

/** One after another. The first one that cannot be sent now stops the loop, to keep the order. */
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
 * Sends the spool, oldest first, and returns how many turns were sent. Turns of another vault or of another account
 * wait until it is used again. A program that finds the lock taken leaves: its holder sends these turns too, or the
 * next hook does.
 */
export async function sendWaiting(): Promise<number> {
  const { apiKey, ...rest } = findProfile()
  if (!apiKey || waitingFiles().length === 0) return 0
  let all = 0
  // Turns that came in meanwhile would otherwise wait for the next hook.
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
