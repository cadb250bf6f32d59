import { BookOpen, CircleStop, LifeBuoy, SendHorizontal } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { neighbourGetsFocus } from '../../lib/neighbour-focus.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Textarea } from '../../ui/field.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import { Notice, Skeleton, Why } from '../../ui/states.tsx'
import { type Message, useChat } from './use-chat.ts'

const EXAMPLES = [
  'How do I connect Claude Code?',
  'When does a search cost credits?',
  'Who can read my agent’s memory?',
]

export function Chat({ onAsked, onTicket }: { onAsked: (text: string) => void; onTicket: () => void }) {
  const { messages, error, ask, stop, isWriting } = useChat()
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
          <p className="text-sm text-soft">Ask in your own words. For example:</p>
          <ul className="flex flex-wrap gap-2">
            {EXAMPLES.map((example) => (
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
        <ol aria-label="Conversation" aria-live="polite" aria-busy={isWriting} className="grid gap-5">
          {messages.map((message) => (
            <Said key={message.id} message={message} />
          ))}
        </ol>
      )}
      {error && (
        <Notice tone="bad">
          <Why error={error} /> Ask again, or write to us.
        </Notice>
      )}
      <div ref={end} />
      <form
        ref={form}
        onSubmit={submit}
        className="sticky bottom-14 flex items-end gap-2 bg-page py-3 md:bottom-0"
      >
        <Textarea
          aria-label="Your question"
          placeholder="Your question"
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
          <IconButton label="Stop" look="plain" className="h-10 w-10" onClick={stop}>
            <CircleStop size={16} />
          </IconButton>
        ) : (
          <IconButton type="submit" label="Ask" look="primary" className="h-10 w-10" disabled={!text.trim()}>
            <SendHorizontal size={16} />
          </IconButton>
        )}
      </form>
      {messages.length > 0 && !isWriting && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
          <LifeBuoy size={16} aria-hidden className="text-faint" />
          Not what you needed?
          <Button size="sm" onClick={onTicket}>
            Write to a person
          </Button>
        </p>
      )}
    </div>
  )
}

function Said({ message }: { message: Message }) {
  const isMine = message.role === 'user'
  return (
    <li className={cx('grid gap-2', isMine && 'justify-items-end')}>
      <span className="sr-only">{isMine ? 'You' : 'Support'}</span>
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
          {message.state === 'stopped' && <p className="mt-1 text-xs text-faint">Stopped.</p>}
        </div>
      )}
      {message.sources && message.sources.length > 0 && (
        <ul aria-label="Sources" className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
          {message.sources.map((source) => (
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
