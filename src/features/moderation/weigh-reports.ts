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
  /** Accounts younger than this many days. */
  young: { days: 7, factor: 0.1 },
  recent: { days: 30, factor: 0.5 },
  anonymous: 0.05,
  mostAnonymous: 0.5,
  threshold: 3,
  /** Each person for whom the card worked raises the threshold, up to this much. */
  perConfirmation: 0.5,
  mostForConfirmations: 5,
  /** The reports must come from this many groups that are not connected with each other. */
  leastGroups: 3,
} as const

const DAY_MS = 86_400_000

function weightOfPerson(reporter: Reporter, now: Date): number {
  const { young, recent, unproven, trusted, person } = REPORT_WEIGHTS
  const days = (now.getTime() - Date.parse(reporter.since)) / DAY_MS
  const byAge = days < young.days ? young.factor : days < recent.days ? recent.factor : 1
  const byRecord = (reporter.upheld + 2) / (reporter.upheld + 2 * reporter.dismissed + 2)
  const byAddress = reporter.isProven ? 1 : unproven
  return (reporter.isTrusted ? trusted : person) * byAge * byRecord * byAddress
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

/** A group weighs as much as its heaviest member. */
export function weighReports(reports: Reports, now: Date): Weighed {
  const groups = groupsOf(reports)
  const heaviest = new Map<string, number>()
  for (const reporter of reports.reporters) {
    const group = groups.get(reporter.userId) ?? reporter.userId
    heaviest.set(group, Math.max(heaviest.get(group) ?? 0, weightOfPerson(reporter, now)))
  }
  const ofPeople = [...heaviest.values()].reduce((sum, weight) => sum + weight, 0)
  const { anonymous, mostAnonymous } = REPORT_WEIGHTS
  const ofNobody = Math.min(mostAnonymous, anonymous * reports.anonymous)
  return { weight: Math.round((ofPeople + ofNobody) * 100) / 100, groups: heaviest.size }
}

export const thresholdFor = (peopleWhoConfirmed: number): number =>
  REPORT_WEIGHTS.threshold +
  Math.min(REPORT_WEIGHTS.mostForConfirmations, REPORT_WEIGHTS.perConfirmation * peopleWhoConfirmed)

export const hidesCard = ({ weight, groups }: Weighed, threshold: number): boolean =>
  weight >= threshold && groups >= REPORT_WEIGHTS.leastGroups
