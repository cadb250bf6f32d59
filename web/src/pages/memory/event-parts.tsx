import { useQuery } from '@tanstack/react-query'
import { FilePlus2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { turnParts } from '#server/features/memory/turn-content.ts'
import type { MemoryEvent } from '../../api/types.ts'
import { LinkButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { eventQuery } from './memory-queries.ts'

type ExchangeTextProps = {
  who: string
  icon: ReactNode
  entry: Entry
  side: 'message' | 'report' | 'note'
  children: (text: string) => ReactNode
}

/** One side of an exchange. A text that the list cut is read in full before it shows. */
export function ExchangeText({ who, icon, entry, side, children }: ExchangeTextProps) {
  const whole = useQuery({ ...eventQuery(entry.event.raw_id), enabled: entry.event.truncated })
  const text = whole.data ? textOf(whole.data, side) : entry.text
  return (
    <section aria-label={who} className="grid gap-1">
      <div className="flex items-center gap-1.5 text-xs text-faint">
        {icon}
        <span className="grow">{who}</span>
        <CopyButton text={text} label={`Copy: ${who}`} />
      </div>
      <div className="min-w-0 break-words">{children(text)}</div>
      {whole.isFetching && <p className="text-xs text-faint">Reading the rest …</p>}
      {whole.error && <p className="text-xs text-bad">The rest did not load. {whole.error.message}</p>}
    </section>
  )
}

function textOf(event: MemoryEvent, side: ExchangeTextProps['side']): string {
  if (event.event_type !== 'turn') return event.content
  const parts = turnParts(event.content)
  return (side === 'message' ? parts.message : parts.report) ?? ''
}

export type Entry = { event: MemoryEvent; text: string }

export function MakeCard({ rawIds }: { rawIds: readonly [string, ...string[]] }) {
  const [from, ...also] = rawIds
  return (
    <LinkButton
      to="/cards/new"
      search={{ from, also: also.length > 0 ? also.join(',') : undefined }}
      size="sm"
      className="justify-self-start"
    >
      <FilePlus2 size={14} aria-hidden />
      Make a card
    </LinkButton>
  )
}
