import { useRef } from 'react'
import { local, randomId } from '../lib/storage.ts'
import type { SendOptions } from './client.ts'

type Attempt = { text: string; key: string }

const NONE: Attempt = { text: '', key: '' }

/**
 * Sends the same input with the same key until it is answered: a retry after a lost answer does nothing twice. Under
 * `keptAs` the browser keeps the key, also after the page was left or loaded again.
 */
export function useAttempt(keptAs?: string) {
  const attempt = useRef(NONE)
  return async <Answer>(input: unknown, send: (options: SendOptions) => Promise<Answer>): Promise<Answer> => {
    const text = JSON.stringify(input)
    if (keptAs) attempt.current = local.read<Attempt>(keptAs) ?? attempt.current
    if (text !== attempt.current.text) attempt.current = { text, key: randomId() }
    if (keptAs) local.write(keptAs, attempt.current)
    const answer = await send({ headers: { 'Idempotency-Key': attempt.current.key } })
    // Who says the same once more means it.
    attempt.current = NONE
    if (keptAs) local.remove(keptAs)
    return answer
  }
}
