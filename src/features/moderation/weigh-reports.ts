/** How much reports weigh, and from which weight on they hide a card until somebody looks. */

export type Reporter = {
  userId: string
  /** Since when the account exists. */
  since: string
  /** The address is proven, or nobody can prove one because there is no mail. */
  isProven: boolean
  /** Decisions of moderators about cards that this person reported: for them, and against them. */
  upheld: number
  dismissed: number
  /** Somebody else has used a card of theirs, and it worked. */
  isTrusted: boolean
}

/** Two people who share a team, or praise each other's cards: they speak as one. */
export type Bond = { a: string; b: string }

export type Reports = { reporters: readonly Reporter[]; bonds: readonly Bond[]; anonymous: number }

/** Everything that the rule is made of, in one table. The guide says the same in words. */
export const REPORT_WEIGHTS = {
  person: 1,
  trusted: 1.5,
  unproven: 0.1,
  /** Accounts younger than so many days. */
  young: { days: 7, factor: 0.1 },
  recent: { days: 30, factor: 0.5 },
  anonymous: 0.05,
  mostAnonymous: 0.5,
  threshold: 3,
  /** A card that worked for people needs more: half a person for each, up to so much. */
  perConfirmation: 0.5,
  mostForConfirmations: 5,
  /** Groups of people who have nothing to do with each other. */
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

/** Who is bound to whom, over any number of steps. */
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

/** Each group weighs as much as the heaviest of its people. */
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
