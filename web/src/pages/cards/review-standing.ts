import { plural } from '../../lib/format.ts'
import type { Reviewed } from './use-review.ts'

/** What is missing: points, or a required line. */
export function standing({
  passed,
  score,
  threshold,
  rules,
}: Pick<Reviewed, 'passed' | 'score' | 'threshold' | 'rules'>): string {
  if (passed) return `${score} of 100 points`
  if (score < threshold) return `${score} of ${threshold} points needed`
  const required = rules.filter((rule) => rule.hard && !rule.ok).length
  return `${plural(required, 'required line')} missing`
}
