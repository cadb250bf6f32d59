import { useRef } from 'react'
import { local, randomId } from '../lib/storage.ts'
import type { SendOptions } from './client.ts'

type Attempt = { text: string; key: string }

const NONE: Attempt = { text: '', key: '' }

/**
 * Sends the same input with the same key until it is answered, so that a retry after a lost answer does
 * nothing twice. Under `keptAs` the key survives leaving or reloading the page.
 */
export function useAttempt(keptAs?: string) {
  const attempt = useRef(NONE)
  return async <Answer>(input: unknown, send: (options: SendOptions) => Promise<Answer>): Promise<Answer> => {
    const text = JSON.stringify(input)
    if (keptAs) attempt.current = local.read<Attempt>(keptAs) ?? attempt.current
    if (text !== attempt.current.text) attempt.current = { text, key: randomId() }
    if (keptAs) local.write(keptAs, attempt.current)
    const answer = await send({ headers: { 'Idempotency-Key': attempt.current.key } })
    // An intended repetition gets a new key.
    attempt.current = NONE
    if (keptAs) local.remove(keptAs)
    return answer
  }
}
