import type { Analyst } from '../../core/pieces.ts'
import { findAcross, findDangerInPieces } from './find-danger.ts'
import { allowedHosts } from './hosts.ts'
import type { DangerRuleId, Finding, IsAllowedHost, Severity } from './rule.ts'

/** What a workspace says about dangerous text. */
export type DangerPolicy = {
  /** The severity of each rule there. A rule that is left out keeps its own. */
  severities: Partial<Record<DangerRuleId, Severity | undefined>>
  isAllowedHost: IsAllowedHost
  /** What `isAllowedHost` adds to the known hosts. */
  addedHosts: readonly string[]
}

export const dangerPolicy = (
  severities: DangerPolicy['severities'] = {},
  addedHosts: readonly string[] = [],
): DangerPolicy => ({ severities, isAllowedHost: allowedHosts(addedHosts), addedHosts })

/** The rules without a policy, as in the public library. */
export const FIXED_POLICY: DangerPolicy = dangerPolicy()

/** What a workspace with this policy says about a text. */
export async function dangerIn(work: Analyst, text: string, policy: DangerPolicy): Promise<Finding[]> {
  const found = await work.about(`danger ${policy.addedHosts.join(' ')}`, text, (text) =>
    findDangerInPieces(text, policy.isAllowedHost),
  )
  return found.map((finding) => ({
    ...finding,
    severity: policy.severities[finding.rule] ?? finding.severity,
  }))
}

/** What a workspace says about sentences that are split over several fields. */
export async function dangerAcross(
  work: Analyst,
  fields: readonly string[],
  policy: DangerPolicy,
): Promise<(Finding & { field: number })[]> {
  // biome-ignore lint/correctness/useYield: one piece
  const found = await work.about('danger across', fields.join('\n\n'), function* () {
    return findAcross(fields)
  })
  return found.map((finding) => ({
    ...finding,
    severity: policy.severities[finding.rule] ?? finding.severity,
  }))
}
