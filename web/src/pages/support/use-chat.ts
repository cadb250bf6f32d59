import { useEffect, useRef, useState } from 'react'
import { askSupportStream, type ChatMessage, type Source } from '../../api/support.ts'
import { serverEvents } from './sse.ts'

export type Message = ChatMessage & { id: number; sources?: Source[]; state?: 'writing' | 'stopped' }

/** As much of the conversation as the server accepts. */
const HISTORY_MESSAGES = 20
const HISTORY_CHARS = 8000

/** A conversation whose answers appear as they are written. Leaving the page or stopping ends the work on the server too. */
export function useChat() {
  const [messages, setMessages] = useState<readonly Message[]>([])
  const [error, setError] = useState<Error | null>(null)
  const running = useRef<AbortController | null>(null)
  const conversation = useRef<string | undefined>(undefined)
  const lastId = useRef(0)
  useEffect(() => () => running.current?.abort(), [])

  const update = (id: number, change: (message: Message) => Message) =>
    setMessages((all) => all.map((message) => (message.id === id ? change(message) : message)))

  /** Whether it was answered, or stopped on purpose. What failed before its first word leaves no trace in the conversation. */
  async function ask(text: string): Promise<boolean> {
    const controller = new AbortController()
    running.current = controller
    setError(null)
    const history = messages.filter((message) => message.content).slice(-HISTORY_MESSAGES)
    const question: Message = { id: ++lastId.current, role: 'user', content: text }
    const reply: Message = { id: ++lastId.current, role: 'assistant', content: '', state: 'writing' }
    setMessages((all) => [...all, question, reply])
    let isBegun = false
    try {
      const input = {
        message: text,
        asked_in: 'web_app' as const,
        ...(conversation.current ? { conversation_id: conversation.current } : {}),
        ...(history.length
          ? {
              history: history.map(({ role, content }) => ({
                role,
                content: content.slice(0, HISTORY_CHARS),
              })),
            }
          : {}),
      }
      for await (const { event, data } of serverEvents(await askSupportStream(input, controller.signal))) {
        const payload = JSON.parse(data) as {
          text?: string
          conversation_id?: string
          sources?: Source[]
          detail?: string
        }
        if (event === 'delta') {
          isBegun = true
          update(reply.id, (message) => ({ ...message, content: message.content + (payload.text ?? '') }))
        }
        if (event === 'error') throw new Error(payload.detail ?? 'The answer broke off.')
        if (event === 'done') {
          conversation.current = payload.conversation_id
          update(reply.id, (message) => ({ ...message, sources: payload.sources ?? [] }))
        }
      }
      update(reply.id, ({ state: _, ...message }) => message)
      return true
    } catch (cause) {
      const isStopped = controller.signal.aborted
      if (isBegun || isStopped) update(reply.id, (message) => ({ ...message, state: 'stopped' }))
      else setMessages((all) => all.filter(({ id }) => id !== question.id && id !== reply.id))
      if (!isStopped) setError(cause instanceof Error ? cause : new Error('The answer broke off.'))
      return isStopped
    } finally {
      if (running.current === controller) running.current = null
    }
  }

  return {
    messages,
    error,
    ask,
    stop: () => running.current?.abort(),
    isWriting: messages.at(-1)?.state === 'writing',
  }
}
