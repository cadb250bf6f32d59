import { findDanger } from './find-danger.ts'
import { allowedHosts } from './hosts.ts'
import type { DangerRuleId, Finding, IsAllowedHost, Severity } from './rule.ts'

/** What a workspace says about dangerous text. */
export type DangerPolicy = {
  /** How much findings of a rule weigh there; rules that are left out weigh as they do by themselves. */
  severities: Partial<Record<DangerRuleId, Severity | undefined>>
  isAllowedHost: IsAllowedHost
}

export const dangerPolicy = (
  severities: DangerPolicy['severities'] = {},
  addedHosts: readonly string[] = [],
): DangerPolicy => ({ severities, isAllowedHost: allowedHosts(addedHosts) })

/** The rules by themselves; those of the public library, which no policy changes. */
export const FIXED_POLICY: DangerPolicy = dangerPolicy()

/** What a workspace with this policy says about a text. */
export const dangerIn = (text: string, policy: DangerPolicy): Finding[] =>
  findDanger(text, policy.isAllowedHost).map((finding) => ({
    ...finding,
    severity: policy.severities[finding.rule] ?? finding.severity,
  }))
