import { useId } from 'react'
import { formatClock, formatDay, formatTime } from '../../../lib/format.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { ExchangeRow } from './exchange-row.tsx'
import type { Session } from './timeline.ts'

type SessionProps = {
  session: Session
  isLatest: boolean
  onSession: ((sessionId: string) => void) | undefined
}

/** One session of an agent: when, by which client, and its exchanges, the latest first. */
export function SessionBlock({ session, isLatest, onSession }: SessionProps) {
  const headingId = useId()
  const sameDay = formatDay(session.startedAt) === formatDay(session.endedAt)
  return (
    <li aria-labelledby={headingId}>
      <div className="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 id={headingId} className="text-sm font-semibold">
          {formatDay(session.startedAt)}{' '}
          <span className="font-normal text-soft tabular-nums">
            {formatClock(session.startedAt)}
            {formatTime(session.startedAt) !== formatTime(session.endedAt) &&
              `–${sameDay ? formatClock(session.endedAt) : formatTime(session.endedAt)}`}
          </span>
        </h2>
        {session.clients.map((client) => (
          <Badge key={client}>{client}</Badge>
        ))}
        {session.sessionId && (
          <span className="max-w-40 truncate font-mono text-xs text-faint" title={session.sessionId}>
            {session.sessionId}
          </span>
        )}
        {session.sessionId && onSession && (
          <Button look="ghost" size="sm" onClick={() => onSession(session.sessionId ?? '')}>
            Only this session
          </Button>
        )}
      </div>
      <ol className="grid border-l border-line">
        {session.exchanges.toReversed().map((exchange, index) => (
          <ExchangeRow key={exchange.id} exchange={exchange} startsOpen={isLatest && index === 0} />
        ))}
      </ol>
    </li>
  )
}
