import { BookOpen, CircleStop, LifeBuoy, SendHorizontal } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { z } from 'zod'
import type { OutputOf } from '#server/core/capability.ts'
import type { SupportChatRequest, supportChat } from '#server/features/support/chat.ts'
import { request } from '../../api/client.ts'
import { cx } from '../../lib/cx.ts'
import { neighbourGetsFocus } from '../../lib/focus.ts'
import { useShowsCredits } from '../../session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Textarea } from '../../ui/field.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { ErrorText, Notice, Skeleton } from '../../ui/states.tsx'
import * as strings from './strings.ts'

export function Chat({ onAsked, onTicket }: { onAsked: (text: string) => void; onTicket: () => void }) {
  const { messages, error, ask, stop, isWriting } = useChat()
  const showsCredits = useShowsCredits()
  const examples = [
    strings.exampleConnect,
    ...(showsCredits ? [strings.exampleCredits] : []),
    strings.exampleMemory,
  ]
  const [text, setText] = useState('')
  const end = useRef<HTMLDivElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const answered = messages.at(-1)?.content.length ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view follows the answer while it grows
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [messages.length, answered])
  const send = (question: string) => {
    if (!question.trim() || isWriting) return
    onAsked(question.trim())
    setText('')
    void ask(question.trim()).then((isAnswered) => {
      if (!isAnswered) setText((written) => written || question)
    })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(text)
  }
  return (
    <div className="grid gap-5">
      {messages.length === 0 ? (
        <div className="grid gap-3 py-4">
          <p className="text-sm text-soft">{strings.askInYourWords}</p>
          <ul className="flex flex-wrap gap-2">
            {examples.map((example) => (
              <li key={example}>
                <Button
                  onClick={({ currentTarget }) => {
                    neighbourGetsFocus(currentTarget, () => (form.current ? [form.current] : []))
                    send(example)
                  }}
                >
                  {example}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <ol aria-label={strings.conversation} aria-live="polite" aria-busy={isWriting} className="grid gap-5">
          {messages.map((message) => (
            <Said key={message.id} message={message} />
          ))}
        </ol>
      )}
      {error && (
        <Notice tone="bad">
          <ErrorText error={error} />
          {/try again/i.test(error.message) ? strings.orWrite : strings.askAgainOrWrite}
        </Notice>
      )}
      <div ref={end} />
      <form
        ref={form}
        onSubmit={submit}
        className="sticky bottom-14 flex items-end gap-2 bg-page py-3 md:bottom-0"
      >
        <Textarea
          aria-label={strings.yourQuestion}
          placeholder={strings.yourQuestion}
          rows={1}
          maxLength={4000}
          className="min-h-10 py-2"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            send(text)
          }}
        />
        {isWriting ? (
          <IconButton label={strings.stop} look="plain" className="h-10 w-10" onClick={stop}>
            <CircleStop size={16} />
          </IconButton>
        ) : (
          <IconButton
            type="submit"
            label={strings.ask}
            look="primary"
            className="h-10 w-10"
            disabled={!text.trim()}
          >
            <SendHorizontal size={16} />
          </IconButton>
        )}
      </form>
      {messages.length > 0 && !isWriting && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
          <LifeBuoy size={16} aria-hidden className="text-faint" />
          {strings.notWhatYouNeeded}
          <Button size="sm" onClick={onTicket}>
            {strings.writeToAPerson}
          </Button>
        </p>
      )}
    </div>
  )
}

function Said({ message }: { message: Message }) {
  const isMine = message.role === 'user'
  // The answer itself links the page that it was taken from.
  const sources = message.sources?.filter(({ url }) => !message.content.includes(`(${url})`)) ?? []
  return (
    <li className={cx('grid gap-2', isMine && 'justify-items-end')}>
      <span className="sr-only">{isMine ? strings.you : strings.support}</span>
      {isMine ? (
        <p className="max-w-[85%] rounded-md bg-chosen px-3 py-2 text-base break-words whitespace-pre-wrap">
          {message.content}
        </p>
      ) : (
        <div className="min-w-0">
          {message.content ? (
            <LazyMarkdown isWrapped>{message.content}</LazyMarkdown>
          ) : (
            message.state === 'writing' && <Skeleton className="w-48" />
          )}
          {message.state === 'stopped' && <p className="mt-1 text-xs text-faint">{strings.stopped}</p>}
        </div>
      )}
      {sources.length > 0 && (
        <ul aria-label={strings.sources} className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
          {sources.map((source) => (
            <li key={source.url}>
              <a
                href={source.url}
                className="inline-flex items-center gap-1 rounded-sm text-accent hover:underline"
              >
                <BookOpen size={12} aria-hidden />
                {source.title}
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

type Message = ChatMessage & { id: number; sources?: Source[]; state?: 'writing' | 'stopped' }

/** The server's limit. */
const HISTORY_MESSAGES = 20
const HISTORY_CHARS = 8000

/** A conversation with streamed answers. Leaving the page or stopping ends the work on the server too. */
function useChat() {
  const [messages, setMessages] = useState<readonly Message[]>([])
  const [error, setError] = useState<Error | null>(null)
  const running = useRef<AbortController | null>(null)
  const conversation = useRef<string | undefined>(undefined)
  const lastId = useRef(0)
  useEffect(() => () => running.current?.abort(), [])

  const update = (id: number, change: (message: Message) => Message) =>
    setMessages((all) => all.map((message) => (message.id === id ? change(message) : message)))

  /** Returns true if it was answered or stopped. A failure before the first word leaves no trace in the conversation. */
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
        if (event === 'error') throw new Error(payload.detail ?? strings.answerBrokeOff)
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
      if (!isStopped) setError(cause instanceof Error ? cause : new Error(strings.answerBrokeOff))
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

type ServerEvent = { event: string; data: string }

/** Parses Server-Sent Events without comments (heartbeats). A last event without its blank line counts. */
export async function* serverEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent, void, void> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader()
  let rest = ''
  try {
    while (true) {
      const { done, value } = await reader.read()
      rest += value ?? ''
      const blocks = rest.split(/\r?\n\r?\n/)
      rest = done ? '' : (blocks.pop() ?? '')
      for (const block of blocks) {
        const parsed = parseBlock(block)
        if (parsed) yield parsed
      }
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parseBlock(block: string): ServerEvent | null {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [field, value = ''] = splitField(line)
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  return data.length ? { event, data: data.join('\n') } : null
}

const splitField = (line: string): [string, string?] => {
  const colon = line.indexOf(':')
  return colon < 0 ? [line] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
}

type ChatInput = z.input<typeof SupportChatRequest>
type ChatMessage = NonNullable<ChatInput['history']>[number]
type Source = OutputOf<typeof supportChat>['sources'][number]

async function askSupportStream(input: ChatInput, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const response = await request('/api/v1/chat/support/stream', {
    method: 'POST',
    body: JSON.stringify(input),
    signal,
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
  })
  if (!response.body) throw new Error(strings.answerHasNoBody)
  return response.body
}
