import { Circle, CircleCheck, CircleX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { CARD_FIELDS } from '#server/shared/card-fields.ts'
import { cx } from '../../lib/cx.ts'
import { whenLoaded } from '../../lib/loadable.tsx'
import { Skeleton } from '../../ui/states.tsx'
import type { CardContent } from './draft.ts'
import { ruleWords } from './refusals.ts'
import * as strings from './strings.ts'

type Props = {
  content: CardContent & { cites?: readonly string[] }
  evidences: readonly { kind?: string; content: string }[]
  evidenceCount: number
  isWanted?: boolean
}

/** The library's rules, with what the card still needs. Closed unless the card is for the library. */
export function LibraryRules(props: Props & { isFor: boolean }) {
  const [isOpen, setOpen] = useState(props.isFor)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="text-sm text-soft hover:text-ink">{strings.whatPublishingAsks}</summary>
      <div className="pt-3">{isOpen && <ReviewChecklist {...props} />}</div>
    </details>
  )
}

export function ReviewChecklist(props: Props) {
  const review = useReview(props)
  return review ? (
    <ReviewList review={review} content={props.content} />
  ) : (
    <Skeleton className="w-2/3" aria-hidden />
  )
}

export function ReviewList({ review, content }: { review: Reviewed; content: Props['content'] }) {
  const ready = review.passed
  // Before the first word no rule is broken.
  const isEmpty = !content.title.trim() && !content.symptom.trim() && !content.fix_summary.trim()
  return (
    <section aria-label={strings.review}>
      <h2 className={cx('text-sm font-semibold', ready ? 'text-ok' : 'text-ink')}>
        {isEmpty ? strings.whatPublishingAsks : ready ? strings.readyToPublish : strings.notReadyToPublish}
      </h2>
      <ul className="mt-3 grid gap-1.5">
        {review.rules.map((rule) => (
          <li key={rule.id} className="flex items-start gap-2 text-sm">
            {rule.ok && !isEmpty ? (
              <CircleCheck size={16} className="mt-0.5 shrink-0 text-ok" aria-label={strings.done} />
            ) : isEmpty || ready ? (
              <Circle
                size={16}
                className="mt-0.5 shrink-0 text-faint"
                aria-label={ready ? strings.betterWith : strings.toDo}
              />
            ) : (
              <CircleX size={16} className="mt-0.5 shrink-0 text-bad" aria-label={strings.missing} />
            )}
            <span className={rule.ok || isEmpty || ready ? 'text-soft' : 'text-ink'}>{rule.label}</span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-xs text-faint">{strings.reviewHint}</p>
    </section>
  )
}

export type Reviewed = {
  passed: boolean
  /** A moderator may have let danger pass, which only the server knows. */
  isSafe: boolean
  rules: { id: string; label: string; ok: boolean }[]
}

/** Stands before the last line: both are about content that a public card must not contain. */
const NO_DANGER = { id: 'no_danger', label: strings.nothingDangerous }

const loadRules = () =>
  Promise.all([
    import('#server/shared/card-checks.ts'),
    import('#server/review/find-danger.ts'),
    import('#server/shared/pieces.ts'),
  ])

type Rules = Awaited<ReturnType<typeof loadRules>>

/** Runs the server's publish rules and scanners in the browser, when the person pauses typing. */
export function useReview({ content, evidences, evidenceCount, isWanted = true }: Props): Reviewed | null {
  const [reviewed, setReviewed] = useState<Reviewed | null>(null)
  const text = JSON.stringify([content, evidences, evidenceCount])
  useEffect(() => {
    if (!isWanted) return setReviewed(null)
    let current = true
    const review = async ([checks, danger, { UNCHARGED }]: Rules) => {
      const [given, proofs, count] = JSON.parse(text) as [Props['content'], Props['evidences'], number]
      const card = Object.fromEntries(
        [...CARD_FIELDS, 'cites' as const].map((field) => [field, given[field] ?? undefined]),
      ) as CardContent
      const evidence = proofs.map(({ kind = 'text', content }) => ({ kind, content }))
      const secrets = [
        ...(await checks.secretsInContent(UNCHARGED, card)),
        ...(await checks.secretsInCites(UNCHARGED, given.cites ?? [])),
        ...(await checks.secretsInEvidences(UNCHARGED, evidence)).flat(),
      ]
      const subject = { ...card, evidence_count: count, secrets }
      const words = ruleWords(card.card_type)
      const found = await checks.dangerInCard(UNCHARGED, card, evidence, danger.FIXED_POLICY)
      const isSafe = !found.some(({ severity }) => severity === 'block')
      if (!current) return
      setReviewed({
        passed: checks.reviewCard(subject).passed && isSafe,
        isSafe,
        rules: checks.REVIEW_RULES.flatMap((rule) => [
          ...(rule.id === 'no_secrets' ? [{ ...NO_DANGER, ok: isSafe }] : []),
          { id: rule.id, label: words[rule.id] ?? rule.id, ok: rule.passes(subject) },
        ]),
      })
    }
    const timer = setTimeout(() => whenLoaded(loadRules(), review), 200)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [text, isWanted])
  return reviewed
}
