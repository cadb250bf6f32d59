import { useEffect, useState } from 'react'
import type { ReviewRule } from '#server/shared/card-checks.ts'
import { whenLoaded } from '../../lib/when-loaded.ts'
import type { CardContent } from './draft.ts'

export type Reviewed = {
  passed: boolean
  score: number
  threshold: number
  rules: { id: string; hard: boolean; label: string; ok: boolean }[]
}

type Limits = typeof import('#server/shared/card-checks.ts')['LIMITS']

/** The rules' messages say what to fix; a checklist says what is wanted. */
const labels = (limits: Limits): Record<string, string> => ({
  title_length: `Title of at least ${limits.titleCharacters} characters`,
  title_words: `Title of at least ${limits.titleWords} words`,
  symptom_length: `Problem or goal in at least ${limits.textCharacters} characters`,
  symptom_words: `Problem or goal in ${limits.textDistinctWords} different words`,
  fix_length: `Solution in at least ${limits.textCharacters} characters`,
  fix_words: `Solution in ${limits.textDistinctWords} different words`,
  fix_is_not_symptom: 'Solution says more than the problem',
  no_placeholder: 'No placeholder text such as TODO',
  debug_grounds: 'A root cause, a step or evidence',
  no_secrets: 'No secrets',
})

/** Shown with the last line: both say what a public card must not contain. */
const NO_DANGER = { id: 'no_danger', hard: true, label: 'Nothing dangerous for readers' }

const loadRules = () =>
  Promise.all([
    import('#server/shared/card-checks.ts'),
    import('#server/shared/card-checks.ts'),
    import('#server/shared/card-checks.ts'),
    import('#server/review/find-danger.ts'),
    import('#server/shared/pieces.ts'),
  ])

type Rules = Awaited<ReturnType<typeof loadRules>>

/** Applies the server's own publish rules and secret scanner in the browser, when the person pauses typing. */
export function useReview(
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
