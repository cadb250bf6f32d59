import { Bot, ChevronRight, MessageSquareText, ShieldCheck, StickyNote } from 'lucide-react'
import { useId, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { formatClock, formatTime, plural } from '../../../lib/format.ts'
import { plainLine } from '../../../lib/plain-line.ts'
import { Badge } from '../../../ui/badge.tsx'
import { LazyMarkdown } from '../../../ui/lazy-markdown.tsx'
import { MakeCard } from '../make-card.tsx'
import { DeleteEvents } from './delete-events.tsx'
import {
  eventsOf,
  headlineOf,
  isSaidByHeadline,
  noteName,
  rawIdsOf,
  secretsRemoved,
} from './exchange-text.ts'
import { Said } from './said.tsx'
import type { Exchange } from './timeline.ts'

/** One exchange: a line that opens to what was said. */
export function ExchangeRow({ exchange, startsOpen }: { exchange: Exchange; startsOpen: boolean }) {
  const [open, setOpen] = useState(startsOpen)
  const panelId = useId()
  const first = eventsOf(exchange)[0]
  if (!first) return null
  return (
    <li className="relative -ml-px border-l-2 border-transparent pl-4 has-[>button[aria-expanded=true]]:border-accent">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={panelId}
        onClick={() => setOpen(!open)}
        className="flex w-full items-start gap-2 rounded-md px-2 py-2 text-left transition-colors hover:bg-hover"
      >
        <ChevronRight
          size={16}
          aria-hidden
          className={cx('mt-0.5 shrink-0 text-faint transition-transform', open && 'rotate-90')}
        />
        <ExchangeLine exchange={exchange} open={open} />
        <time
          dateTime={first.created_at}
          title={formatTime(first.created_at)}
          className="shrink-0 text-xs leading-5 text-faint tabular-nums"
        >
          {formatClock(first.created_at)}
        </time>
      </button>
      {open && <ExchangePanel exchange={exchange} id={panelId} />}
    </li>
  )
}

function ExchangeLine({ exchange, open }: { exchange: Exchange; open: boolean }) {
  return (
    <span className="min-w-0 grow">
      <span className={cx('block text-sm font-medium', !open && 'line-clamp-2')}>{headlineOf(exchange)}</span>
      {!open && exchange.message && exchange.report && (
        <span className="mt-0.5 flex items-start gap-1.5 text-sm text-soft">
          <Bot size={14} aria-label="Agent" className="mt-1 shrink-0 text-faint" />
          <span className="line-clamp-2">{plainLine(exchange.report.text)}</span>
        </span>
      )}
      <ExchangeBadges exchange={exchange} />
    </span>
  )
}

function ExchangeBadges({ exchange }: { exchange: Exchange }) {
  const removed = secretsRemoved(exchange)
  return (
    <span className="mt-1 flex flex-wrap gap-1 empty:hidden">
      {exchange.notes.map((note) => (
        <Badge key={note.raw_id} icon={<StickyNote size={12} aria-hidden />}>
          {noteName(note)}
        </Badge>
      ))}
      {removed > 0 && (
        <Badge tone="ok" icon={<ShieldCheck size={12} aria-hidden />}>
          {plural(removed, 'secret')} removed
        </Badge>
      )}
    </span>
  )
}

function ExchangePanel({ exchange, id }: { exchange: Exchange; id: string }) {
  return (
    <div id={id} className="grid animate-enter gap-4 pt-1 pr-2 pb-5 pl-8">
      {exchange.message && !isSaidByHeadline(exchange) && (
        <Said
          who="You"
          icon={<MessageSquareText size={14} aria-hidden />}
          entry={exchange.message}
          side="message"
        >
          {(text) => <p className="text-base whitespace-pre-wrap">{text}</p>}
        </Said>
      )}
      {exchange.report && (
        <Said who="Agent" icon={<Bot size={14} aria-hidden />} entry={exchange.report} side="report">
          {(text) => <LazyMarkdown>{text}</LazyMarkdown>}
        </Said>
      )}
      {exchange.notes.map((note) => (
        <Said
          key={note.raw_id}
          who={noteName(note)}
          icon={<StickyNote size={14} aria-hidden />}
          entry={{ event: note, text: note.content }}
          side="note"
        >
          {(text) => <LazyMarkdown>{text}</LazyMarkdown>}
        </Said>
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <MakeCard rawIds={rawIdsOf(exchange)} />
        <DeleteEvents events={eventsOf(exchange)} />
      </div>
    </div>
  )
}
