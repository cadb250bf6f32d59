import { Circle, CircleCheck, CircleX } from 'lucide-react'
import { cx } from '../../lib/cx.ts'
import { Skeleton } from '../../ui/states.tsx'
import { standing } from './review-standing.ts'
import { useReview } from './use-review.ts'

type Props = {
  content: Parameters<typeof useReview>[0]
  evidences: readonly { content: string }[]
  evidenceCount: number
}

/** The rules for publishing, each met or not, while the card is being written. */
export function ReviewChecklist({ content, evidences, evidenceCount }: Props) {
  const review = useReview(content, evidences, evidenceCount)
  if (!review)
    return (
      <div className="grid gap-2" aria-hidden>
        <Skeleton className="w-2/3" />
        <Skeleton className="h-1.5 w-full" />
      </div>
    )
  const ready = review.passed
  // Nobody has done anything wrong before the first word.
  const isEmpty = !content.title.trim() && !content.symptom.trim() && !content.fix_summary.trim()
  return (
    <section aria-label="Review">
      <div className="flex items-baseline justify-between gap-2">
        <h2 className={cx('text-sm font-semibold', ready ? 'text-ok' : 'text-ink')}>
          {isEmpty ? 'What publishing asks for' : ready ? 'Ready to publish' : 'Not ready to publish yet'}
        </h2>
        <span className="text-xs text-faint tabular-nums">{isEmpty ? '' : standing(review)}</span>
      </div>
      <div aria-hidden className="mt-2 h-1.5 overflow-hidden rounded-full bg-sunken">
        <div
          className={cx('h-full rounded-full transition-[width]', ready ? 'bg-ok' : 'bg-warn')}
          style={{ width: isEmpty ? 0 : `${review.score}%` }}
        />
      </div>
      <ul className="mt-3 grid gap-1.5">
        {review.rules.map((rule) => (
          <li key={rule.id} className="flex items-start gap-2 text-sm">
            {rule.ok && !isEmpty ? (
              <CircleCheck size={16} className="mt-0.5 shrink-0 text-ok" aria-label="Done:" />
            ) : isEmpty ? (
              <Circle size={16} className="mt-0.5 shrink-0 text-faint" aria-label="To do:" />
            ) : (
              <CircleX size={16} className="mt-0.5 shrink-0 text-bad" aria-label="Missing:" />
            )}
            <span className={rule.ok || isEmpty ? 'text-soft' : 'text-ink'}>
              {rule.label}
              {rule.hard && !rule.ok && !isEmpty && <span className="text-faint"> · required</span>}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-xs text-faint">
        Saving and sharing with your team do not need this, except the last line.
      </p>
    </section>
  )
}
