import type { Role } from '../../api/team.ts'
import { ROLES } from './roles.ts'

/** The policy as the form shows it; keys without a field of their own are kept as they are. */
export type PolicyForm = {
  allowPublish: boolean
  inviteDomains: string
  defaultRole: Role
  /** Days as typed; empty for the default. */
  reviewAfterDays: string
  trustHalfLifeDays: string
  keepMissedSearches: boolean
  others: Record<string, unknown>
}

export function readPolicy(policy: Record<string, unknown> | null): PolicyForm {
  const {
    allow_publish,
    invite_domains,
    default_role,
    review_after_days,
    trust_half_life_days,
    keep_missed_searches,
    ...others
  } = policy ?? {}
  return {
    allowPublish: allow_publish !== false,
    inviteDomains: Array.isArray(invite_domains) ? invite_domains.join(', ') : '',
    defaultRole: ROLES.find((role) => role.value === default_role)?.value ?? 'viewer',
    reviewAfterDays: daysText(review_after_days),
    trustHalfLifeDays: daysText(trust_half_life_days),
    keepMissedSearches: keep_missed_searches !== false,
    others,
  }
}

const daysText = (days: unknown): string => (typeof days === 'number' ? String(days) : '')

const daysOf = (key: string, text: string): Record<string, number> =>
  text.trim() === '' ? {} : { [key]: Number(text) }

export const domainsOf = (text: string) => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((domain) => domain.trim().replace(/^@/, '').toLowerCase())
      .filter(Boolean),
  ),
]

/** Only what differs from the default is written, so that a policy says no more than was decided. */
export function writePolicy({
  allowPublish,
  inviteDomains,
  defaultRole,
  reviewAfterDays,
  trustHalfLifeDays,
  keepMissedSearches,
  others,
}: PolicyForm): Record<string, unknown> {
  const domains = domainsOf(inviteDomains)
  return {
    ...others,
    ...(allowPublish ? {} : { allow_publish: false }),
    ...(domains.length ? { invite_domains: domains } : {}),
    ...(defaultRole === 'viewer' ? {} : { default_role: defaultRole }),
    ...daysOf('review_after_days', reviewAfterDays),
    ...daysOf('trust_half_life_days', trustHalfLifeDays),
    ...(keepMissedSearches ? {} : { keep_missed_searches: false }),
  }
}
