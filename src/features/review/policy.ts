import { findAcross, findDanger } from './find-danger.ts'
import { allowedHosts } from './hosts.ts'
import type { DangerRuleId, Finding, IsAllowedHost, Severity } from './rule.ts'

/** What a workspace says about dangerous text. */
export type DangerPolicy = {
  /** The severity of each rule there. A rule that is left out keeps its own. */
  severities: Partial<Record<DangerRuleId, Severity | undefined>>
  isAllowedHost: IsAllowedHost
}

export const dangerPolicy = (
  severities: DangerPolicy['severities'] = {},
  addedHosts: readonly string[] = [],
): DangerPolicy => ({ severities, isAllowedHost: allowedHosts(addedHosts) })

/** The rules without a policy, as in the public library. */
export const FIXED_POLICY: DangerPolicy = dangerPolicy()

/** What a workspace with this policy says about a text. */
export const dangerIn = (text: string, policy: DangerPolicy): Finding[] =>
  findDanger(text, policy.isAllowedHost).map((finding) => ({
    ...finding,
    severity: policy.severities[finding.rule] ?? finding.severity,
  }))

/** What a workspace says about sentences that are split over several fields. */
export const dangerAcross = (
  fields: readonly string[],
  policy: DangerPolicy,
): (Finding & { field: number })[] =>
  findAcross(fields).map((finding) => ({
    ...finding,
    severity: policy.severities[finding.rule] ?? finding.severity,
  }))
