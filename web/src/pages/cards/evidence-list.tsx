import { Link } from '@tanstack/react-router'
import type { Evidence } from '../../api/types.ts'
import { CopyButton } from '../../ui/copy-button.tsx'

/** Logs, outputs, links: shown as they were given, never rendered. */
export function EvidenceList({
  evidences,
  sourceEventId,
}: {
  evidences: Evidence[]
  /** The event in the reader's own memory that the card was made from. */
  sourceEventId?: string | undefined
}) {
  return (
    <ul className="grid gap-3">
      {evidences.map((evidence, index) => (
        <li key={index} className="overflow-hidden rounded-md border border-line">
          <div className="flex items-center justify-between gap-2 border-b border-line bg-sunken py-0.5 pr-1 pl-3">
            <span className="truncate text-xs text-soft">
              <span className="font-mono">{evidence.kind}</span>
              {sourceEventId && evidence.kind === 'memory' && (
                <>
                  {' · '}
                  <Link
                    to="/memory/events/$rawId"
                    params={{ rawId: sourceEventId }}
                    className="underline hover:text-ink"
                  >
                    open the exchange
                  </Link>
                </>
              )}
              {evidence.from_card_id && (
                <>
                  {' · '}
                  <Link
                    to="/cards/$cardId"
                    params={{ cardId: evidence.from_card_id }}
                    className="underline hover:text-ink"
                  >
                    from a merged card
                  </Link>
                </>
              )}
            </span>
            <CopyButton text={evidence.content} label={`Copy ${evidence.kind}`} />
          </div>
          <pre
            tabIndex={0}
            className="max-h-72 overflow-auto px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap wrap-break-word focus-visible:-outline-offset-2"
          >
            {evidence.content}
          </pre>
        </li>
      ))}
    </ul>
  )
}
