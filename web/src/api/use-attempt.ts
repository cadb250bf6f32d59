import { useRef } from 'react'
import { randomId } from '../lib/random.ts'
import type { SendOptions } from './client.ts'

/** Sends the same input with the same key until it is answered: a retry after a lost answer does nothing twice. */
export function useAttempt() {
  const attempt = useRef({ text: '', key: '' })
  return async <Answer>(input: unknown, send: (options: SendOptions) => Promise<Answer>): Promise<Answer> => {
    const text = JSON.stringify(input)
    if (text !== attempt.current.text) attempt.current = { text, key: randomId() }
    const answer = await send({ headers: { 'Idempotency-Key': attempt.current.key } })
    // Who says the same once more means it.
    attempt.current = { text: '', key: '' }
    return answer
  }
}
