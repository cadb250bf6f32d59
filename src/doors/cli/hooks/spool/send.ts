import { findProfile } from '../../profile.ts'
import { postJson } from '../post-json.ts'
import { noteRun } from '../run-log.ts'
import { type Lock, takeLock } from './lock.ts'
import { drop, read, trimSpool, type Waiting, waitingFiles } from './spool.ts'

const TIMEOUT_MS = 10_000

/** The vault has refused it for what it is; it would refuse it tomorrow too. */
const isRefused = (status: number): boolean =>
  status >= 400 && status < 500 && ![401, 403, 408, 409, 425, 429].includes(status)

type Outcome = 'sent' | 'refused' | 'later'

async function sendOne({ url, idempotencyKey, input }: Waiting, apiKey: string): Promise<Outcome> {
  try {
    const options = { apiKey, timeoutMs: TIMEOUT_MS, idempotencyKey }
    const { status } = await postJson(`${url}/mcp/tools/append_context_turn`, input, options)
    if (status === 200) return 'sent'
    return isRefused(status) ? 'refused' : 'later'
  } catch {
    return 'later'
  }
}

/** One after another: the first that cannot be sent now stops it, as the order would be lost otherwise. */
async function sendAll(lock: Lock, url: string, apiKey: string): Promise<number> {
  let sent = 0
  for (const name of waitingFiles()) {
    const waiting = read(name)
    if (waiting && waiting.url !== url) continue
    const outcome = waiting ? await sendOne(waiting, apiKey) : 'refused'
    if (outcome === 'later' || !lock.renew()) return sent
    drop(name)
    if (outcome === 'sent') sent += 1
    else if (waiting) noteRun(waiting.agent, 'capture', REFUSED)
  }
  return sent
}

const REFUSED = { ms: 0, chars: 0, error: 'The vault refused a turn; it was dropped.' }

/**
 * Sends what waits, oldest first, and says how many went. Turns of another vault wait until that one is used again. Whoever
 * finds the lock taken leaves: the one that has it sends theirs too, or the next hook does.
 */
export async function sendWaiting(): Promise<number> {
  const { url, apiKey } = findProfile()
  if (!apiKey || waitingFiles().length === 0) return 0
  let all = 0
  // What was put while the last entry was on its way would otherwise wait for the next hook.
  for (let rounds = 0; rounds < 3; rounds++) {
    const lock = takeLock()
    if (!lock) return all
    let sent = 0
    try {
      trimSpool()
      sent = await sendAll(lock, url, apiKey)
    } finally {
      lock.release()
    }
    all += sent
    if (sent === 0) break
  }
  return all
}
