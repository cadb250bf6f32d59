import { BadgeCheck } from 'lucide-react'
import { type MouseEvent, useState } from 'react'
import type { Card, Verdict } from '../../../api/types.ts'
import { formatAgo, formatNumber, formatTime } from '../../../lib/format.ts'
import { neighbourGetsFocus } from '../../../lib/neighbour-focus.ts'
import { Tag } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { FormError, PartNotLoaded } from '../../../ui/states.tsx'
import { toastError } from '../../../ui/toast.tsx'
import { OUTCOMES, type Outcome, outcomeOf } from './outcomes.ts'
import { useTakeBack, useVerdicts, useVerify } from './use-verdicts.ts'
import { VerdictDialog } from './verdict-dialog.tsx'

/** Verdicts after use, of others and of the reader. Feedback after reading is below. */
export function Verdicts({ card }: { card: Card }) {
  const [saying, setSaying] = useState<Outcome | null>(null)
  const { query, items, total, own } = useVerdicts(card.card_id)
  const verify = useVerify(card, own)
  const takeBack = useTakeBack(card, own)
  const takeBackAndGoOn = ({ currentTarget }: MouseEvent) => {
    // The button goes with what was said, and the focus with it: the first one beside it gets that.
    const { parentElement } = currentTarget
    neighbourGetsFocus(currentTarget, () => (parentElement ? [parentElement] : []))
    takeBack.mutate()
  }
  return (
    <section aria-label="Verdicts" className="grid gap-3 border-t border-line pt-5">
      <p className="text-sm text-soft">Used it? Say what came of it.</p>
      <div className="flex flex-wrap gap-2">
        {card.can_edit && (
          <Button
            busy={verify.isPending}
            onClick={() => verify.mutate({ outcome: 'worked', environment: {} }, { onError: toastError })}
          >
            <BadgeCheck size={14} aria-hidden />
            Still true
          </Button>
        )}
        {OUTCOMES.map(({ value, label, icon: Icon }) => (
          <Button key={value} onClick={() => setSaying(value)}>
            <Icon size={14} aria-hidden />
            {label}
          </Button>
        ))}
        {own.verdicts.length > 0 && (
          <Button look="ghost" busy={takeBack.isPending} onClick={takeBackAndGoOn}>
            Take back what I said
          </Button>
        )}
      </div>
      <PartNotLoaded what="What people said after use" query={query} />
      {items.length > 0 && (
        <ul aria-label="What people said after use" className="grid gap-3">
          {items.map((verdict) => (
            <VerdictRow key={verdict.verdict_id} verdict={verdict} card={card} />
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <Button
          size="sm"
          className="justify-self-start"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show more of {formatNumber(total)}
        </Button>
      )}
      {query.isFetchNextPageError && <FormError error={query.error} />}
      {saying && <VerdictDialog card={card} start={saying} own={own} onClose={() => setSaying(null)} />}
    </section>
  )
}

function VerdictRow({ verdict, card }: { verdict: Verdict; card: Card }) {
  const { label, icon: Icon, tone } = outcomeOf(verdict.outcome)
  const who = verdict.is_mine ? 'You' : verdict.user_name
  return (
    <li className="grid gap-1.5 text-sm">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Icon size={14} className={tone} aria-hidden />
        <span className="font-medium">{label}</span>
        {Object.entries(verdict.environment).map(([name, version]) => (
          <Tag key={name}>
            {name} {version}
          </Tag>
        ))}
        <span className="text-xs text-faint">
          {who && (
            <>
              <bdi>{who}</bdi>
              {' · '}
            </>
          )}
          <span title={formatTime(verdict.created_at)}>{formatAgo(verdict.created_at)}</span>
          {verdict.card_version !== card.version && ` · version ${verdict.card_version}`}
        </span>
      </div>
      {verdict.note && <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{verdict.note}</p>}
      {verdict.evidence && (
        <details>
          <summary className="text-xs text-soft hover:text-ink">Output</summary>
          <div className="relative mt-1">
            <pre
              tabIndex={0}
              className="max-h-72 overflow-auto rounded-md bg-sunken py-2 pr-10 pl-3 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
            >
              {verdict.evidence}
            </pre>
            <div className="absolute top-1 right-1">
              <CopyButton text={verdict.evidence} label="Copy output" />
            </div>
          </div>
        </details>
      )}
    </li>
  )
}
