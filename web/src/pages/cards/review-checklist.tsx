import { Circle, CircleCheck, CircleX } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ReviewRule } from '#server/shared/card-checks.ts'
import { cx } from '../../lib/cx.ts'
import { plural } from '../../lib/format.ts'
import { whenLoaded } from '../../lib/loadable.tsx'
import { Skeleton } from '../../ui/states.tsx'
import type { CardContent } from './draft.ts'
import * as strings from './strings.ts'

type Props = {
  content: Parameters<typeof useReview>[0]
  evidences: readonly { content: string }[]
  evidenceCount: number
}

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
  // Before the first word no rule is broken.
  const isEmpty = !content.title.trim() && !content.symptom.trim() && !content.fix_summary.trim()
  return (
    <section aria-label={strings.review}>
      <div className="flex items-baseline justify-between gap-2">
        <h2 className={cx('text-sm font-semibold', ready ? 'text-ok' : 'text-ink')}>
          {isEmpty ? strings.whatPublishingAsks : ready ? strings.readyToPublish : strings.notReadyToPublish}
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
              <CircleCheck size={16} className="mt-0.5 shrink-0 text-ok" aria-label={strings.done} />
            ) : isEmpty ? (
              <Circle size={16} className="mt-0.5 shrink-0 text-faint" aria-label={strings.toDo} />
            ) : (
              <CircleX size={16} className="mt-0.5 shrink-0 text-bad" aria-label={strings.missing} />
            )}
            <span className={rule.ok || isEmpty ? 'text-soft' : 'text-ink'}>
              {rule.label}
              {rule.hard && !rule.ok && !isEmpty && (
                <span className="text-faint">{strings.requiredMark}</span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-xs text-faint">{strings.reviewHint}</p>
    </section>
  )
}

export function standing({
  passed,
  score,
  threshold,
  rules,
}: Pick<Reviewed, 'passed' | 'score' | 'threshold' | 'rules'>): string {
  if (passed) return strings.points(score)
  if (score < threshold) return strings.pointsNeeded(score, threshold)
  const required = rules.filter((rule) => rule.hard && !rule.ok).length
  return `${plural(required, strings.requiredLine)} missing`
}

type Reviewed = {
  passed: boolean
  score: number
  threshold: number
  rules: { id: string; hard: boolean; label: string; ok: boolean }[]
}

type Limits = typeof import('#server/shared/card-checks.ts')['LIMITS']

/** Labels of the checklist say what is wanted; messages of the rules say what to fix. */
const labels = (limits: Limits): Record<string, string> => ({
  title_length: strings.titleLength(limits.titleCharacters),
  title_words: strings.titleWords(limits.titleWords),
  symptom_length: strings.problemLength(limits.textCharacters),
  symptom_words: strings.problemWords(limits.textDistinctWords),
  fix_length: strings.solutionLength(limits.textCharacters),
  fix_words: strings.solutionWords(limits.textDistinctWords),
  fix_is_not_symptom: strings.solutionSaysMore,
  no_placeholder: strings.noPlaceholderText,
  debug_grounds: strings.causeStepOrEvidence,
  no_secrets: strings.noSecrets,
})

/** Merged into the last line: both are about content that a public card must not contain. */
const NO_DANGER = { id: 'no_danger', hard: true, label: strings.nothingDangerous }

const loadRules = () =>
  Promise.all([
    import('#server/shared/card-checks.ts'),
    import('#server/shared/card-checks.ts'),
    import('#server/shared/card-checks.ts'),
    import('#server/review/find-danger.ts'),
    import('#server/shared/pieces.ts'),
  ])

type Rules = Awaited<ReturnType<typeof loadRules>>

/** Runs the server's publish rules and secret scanner in the browser, when the person pauses typing. */
function useReview(
  content: CardContent,
  evidences: readonly { content: string }[],
  evidenceCount: number,
): Reviewed | null {
  const [reviewed, setReviewed] = useState<Reviewed | null>(null)
  const text = JSON.stringify([content, evidences, evidenceCount])
  useEffect(() => {
    let current = true
    const review = async ([rules, texts, danger, policy, { UNCHARGED }]: Rules) => {
      const [card, proofs, count] = JSON.parse(text) as [CardContent, { content: string }[], number]
      const evidence = proofs.map(({ content }) => ({ kind: 'text', content }))
      const secrets = [
        ...(await texts.secretsInContent(UNCHARGED, card)),
        ...(await texts.secretsInEvidences(UNCHARGED, evidence)).flat(),
      ]
      const subject = { ...card, evidence_count: count, secrets }
      const words = labels(rules.LIMITS)
      const { passed, score } = rules.reviewCard(subject)
      const found = await danger.dangerInCard(UNCHARGED, card, evidence, policy.FIXED_POLICY)
      const isSafe = !found.some(({ severity }) => severity === 'block')
      const told = (rule: ReviewRule) =>
        words[rule.id] ?? (typeof rule.message === 'string' ? rule.message : rule.message(subject))
      if (!current) return
      setReviewed({
        passed: passed && isSafe,
        score,
        threshold: rules.REVIEW_THRESHOLD,
        rules: rules.REVIEW_RULES.flatMap((rule) => [
          ...(rule.id === 'no_secrets' ? [{ ...NO_DANGER, ok: isSafe }] : []),
          { id: rule.id, hard: rule.hard, label: told(rule), ok: rule.passes(subject) },
        ]),
      })
    }
    const timer = setTimeout(() => whenLoaded(loadRules(), review), 200)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [text])
  return reviewed
}
