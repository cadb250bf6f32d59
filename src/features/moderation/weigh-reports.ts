import { accountAge, factorOfAge } from '../identity/users/account-age.ts'

/** How much reports weigh, and from which weight on they hide a card until a moderator looks. */

export type Reporter = {
  userId: string
  /** Since when the account exists. */
  since: string
  /** The e-mail address is proven, or the server has no mail and nobody can prove one. */
  isProven: boolean
  /** How many of their earlier reports moderators agreed with, and how many they did not. */
  upheld: number
  dismissed: number
  /** Somebody else has used a card of theirs, and it worked. */
  isTrusted: boolean
}

/** Two people who share a team or praise each other's cards. Their reports count as one. */
export type Bond = { a: string; b: string }

export type Reports = { reporters: readonly Reporter[]; bonds: readonly Bond[]; anonymous: number }

/** All numbers of the rule. docs/guide/moderation.md explains them. */
const REPORT_WEIGHTS = {
  person: 1,
  trusted: 1.5,
  unproven: 0.1,
  anonymous: 0.05,
  /** Readers without an account and accounts that anybody makes in a minute, all together. */
  mostUnknown: 0.5,
  threshold: 3,
  /** Each person for whom the card worked raises the threshold, up to this much. */
  perConfirmation: 0.5,
  mostForConfirmations: 5,
  /** The reports must come from this many groups of established people that are not connected with each other. */
  leastGroups: 3,
} as const

type Standing = { weight: number; isUnknown: boolean; isEstablished: boolean }

function standingOf(reporter: Reporter, now: Date): Standing {
  const { unproven, trusted, person } = REPORT_WEIGHTS
  const age = accountAge(reporter.since, now)
  const byRecord = (reporter.upheld + 2) / (reporter.upheld + 2 * reporter.dismissed + 2)
  const byAddress = reporter.isProven ? 1 : unproven
  return {
    weight: (reporter.isTrusted ? trusted : person) * factorOfAge(age) * byRecord * byAddress,
    isUnknown: age === 'young' || !reporter.isProven,
    isEstablished: age === 'established' && reporter.isProven,
  }
}

/** The group of each reporter: people who are connected directly or through others. */
function groupsOf({ reporters, bonds }: Reports): Map<string, string> {
  const leader = new Map(reporters.map(({ userId }) => [userId, userId]))
  const find = (id: string): string => {
    let at = id
    while (leader.get(at) !== at) at = leader.get(at) ?? at
    return at
  }
  for (const { a, b } of bonds) if (leader.has(a) && leader.has(b)) leader.set(find(a), find(b))
  return new Map(reporters.map(({ userId }) => [userId, find(userId)]))
}

export type Weighed = { weight: number; groups: number }

const sumOf = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0)

/** A group is its heaviest member. */
export function weighReports(reports: Reports, now: Date): Weighed {
  const groups = groupsOf(reports)
  const heaviest = new Map<string, Standing>()
  for (const reporter of reports.reporters) {
    const group = groups.get(reporter.userId) ?? reporter.userId
    const standing = standingOf(reporter, now)
    if (standing.weight > (heaviest.get(group)?.weight ?? 0)) heaviest.set(group, standing)
  }
  const all = [...heaviest.values()]
  const known = all.filter(({ isUnknown }) => !isUnknown).map(({ weight }) => weight)
  const unknown = all.filter(({ isUnknown }) => isUnknown).map(({ weight }) => weight)
  const { anonymous, mostUnknown } = REPORT_WEIGHTS
  const ofUnknown = Math.min(mostUnknown, sumOf(unknown) + anonymous * reports.anonymous)
  return {
    weight: Math.round((sumOf(known) + ofUnknown) * 100) / 100,
    groups: all.filter(({ isEstablished }) => isEstablished).length,
  }
}

export const thresholdFor = (peopleWhoConfirmed: number): number =>
  REPORT_WEIGHTS.threshold +
  Math.min(REPORT_WEIGHTS.mostForConfirmations, REPORT_WEIGHTS.perConfirmation * peopleWhoConfirmed)

export const hidesCard = ({ weight, groups }: Weighed, threshold: number): boolean =>
  weight >= threshold && groups >= REPORT_WEIGHTS.leastGroups
