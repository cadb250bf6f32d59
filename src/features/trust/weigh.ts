import { DAY_MS } from '../../core/day.ts'
import type { CardType } from '../../db/tables/cards.ts'
import type { Closeness, VerdictOutcome } from '../../db/tables/verdicts.ts'
import { type AccountAge, accountAge, factorOfAge } from '../identity/users/account-age.ts'

/** The present judgement of one person about a card, with everything that decides its weight. */
export type Judgement = {
  /** Null for a vote. */
  verdictId: string | null
  userId: string
  outcome: Exclude<VerdictOutcome, 'withdrawn'>
  /** A vote is feedback after reading; a verdict is given after use. */
  isVote: boolean
  /** Given before the fix was last changed. */
  isBeforeChange: boolean
  /** Empty where the readers of the card may not know it. */
  environment: Record<string, string>
  at: string
  closeness: Closeness
  /** This is the person's n-th judged card of the same owner. */
  nthOfOwner: number
  /** The owner has praised a card of this person too. */
  isReturned: boolean
  /** The address is proven, or nobody can prove one because there is no mail. */
  isProven: boolean
  /** When the account of the judge was made. */
  since: string
  /** Belongs to the private workspace that the card is in, or to the private team that it was published from. */
  isMember: boolean
}

export type CardFacts = {
  cardType: CardType
  isPublic: boolean
  /** Each member counts in full: strangers do not read the card, or its team sees it so. */
  isForMembers: boolean
  halfLifeDays: number
  /** When the card came to its readers of today. */
  seenSince: string | null
  now: Date
}

/** Everything that moves trust, in one table. `bench/trust.ts` shows what follows from it. */
const WEIGHTS = {
  /** Counts like this many earlier judgements of strangers, so that one verdict moves a card but does not decide. */
  prior: {
    debug_fix: { worked: 3, failed: 1 },
    how_to: { worked: 3, failed: 1 },
    lesson_learned: { worked: 3, failed: 1 },
    reference: { worked: 3, failed: 1 },
    decision: { worked: 4, failed: 1 },
  } satisfies Record<CardType, { worked: number; failed: number }>,
  verdict: 1,
  vote: 0.4,
  owner: 0.2,
  /** For public cards only: on a team's own cards all judges are members. */
  team: 0.6,
  beforeChange: 0.3,
  returned: 0.25,
  stale: 1.2,
  /** The limit for one person and card, whatever the number of environments. */
  mostPerPerson: 1.5,
  /** The limit for all accounts of an age on one card: making more of them must not decide. */
  mostOfAge: { young: 0.5, recent: 2, established: Number.POSITIVE_INFINITY } satisfies Record<
    AccountAge,
    number
  >,
} as const

/** The first judged card of an owner counts in full, the fourth half. */
const ofTheSameOwner = (nth: number): number => 1 / Math.sqrt(Math.max(1, nth))

const isColleague = (judgement: Judgement, card: CardFacts): boolean =>
  card.isForMembers && judgement.isMember

const ageOf = (judgement: Judgement, card: CardFacts): AccountAge =>
  isColleague(judgement, card) ? 'established' : accountAge(judgement.since, card.now)

const CLOSENESS_WEIGHTS = { owner: WEIGHTS.owner, team: WEIGHTS.team, stranger: 1 }

/** How much the person counts, whatever they said and when. A member counts 1 among members. */
function weightOfPerson(judgement: Judgement, card: CardFacts): number {
  if (isColleague(judgement, card)) return 1
  if (!judgement.isProven) return 0
  const { closeness, nthOfOwner, isReturned } = judgement
  return (
    factorOfAge(ageOf(judgement, card)) *
    (closeness === 'team' && !card.isPublic ? 1 : CLOSENESS_WEIGHTS[closeness]) *
    ofTheSameOwner(nthOfOwner) *
    (isReturned ? WEIGHTS.returned : 1)
  )
}

function weightOf(judgement: Judgement, card: CardFacts): number {
  const ageDays = Math.max(0, (card.now.getTime() - Date.parse(judgement.at)) / DAY_MS)
  return (
    weightOfPerson(judgement, card) *
    (judgement.isVote ? WEIGHTS.vote : WEIGHTS.verdict) *
    (judgement.isBeforeChange ? WEIGHTS.beforeChange : 1) *
    2 ** (-ageDays / card.halfLifeDays)
  )
}

/** Summaries name people who count at least this much. */
const FULL_WEIGHT = 0.5

/**
 * The people of full weight. Accounts of an age are named only up to their limit together, the first to speak first:
 * making more of them must not add a name.
 */
export function peopleOfFullWeight(judgements: readonly Judgement[], card: CardFacts): Set<string> {
  const left: Record<AccountAge, number> = { ...WEIGHTS.mostOfAge }
  const people = new Set<string>()
  for (const judgement of judgements.toSorted((a, b) => (a.at < b.at ? -1 : 1))) {
    const weight = weightOfPerson(judgement, card)
    const age = ageOf(judgement, card)
    if (people.has(judgement.userId) || weight < FULL_WEIGHT || left[age] < FULL_WEIGHT) continue
    left[age] -= FULL_WEIGHT
    people.add(judgement.userId)
  }
  return people
}

export type Weighed = { judgement: Judgement; weight: number }

/** Lowers the weights of judgements with the same key until they weigh together at most `most`. */
function limited<Key>(
  weighed: readonly Weighed[],
  keyOf: (judgement: Judgement) => Key,
  most: (key: Key) => number,
): Weighed[] {
  const sums = new Map<Key, number>()
  for (const { judgement, weight } of weighed)
    sums.set(keyOf(judgement), (sums.get(keyOf(judgement)) ?? 0) + weight)
  return weighed.map(({ judgement, weight }) => {
    const key = keyOf(judgement)
    return { judgement, weight: weight * Math.min(1, most(key) / (sums.get(key) ?? 1)) }
  })
}

/** A person with many environments is still one person, and a crowd of new accounts may be one person too. */
export function weighAll(judgements: readonly Judgement[], card: CardFacts): Weighed[] {
  const weighed = judgements.map((judgement) => ({ judgement, weight: weightOf(judgement, card) }))
  const ofPeople = limited(
    weighed,
    ({ userId }) => userId,
    () => WEIGHTS.mostPerPerson,
  )
  return limited(
    ofPeople,
    (judgement) => ageOf(judgement, card),
    (age) => WEIGHTS.mostOfAge[age],
  )
}

export type Belief = { value: number; low: number; high: number }

/** The true value lies between `low` and `high` in four of five cases. */
const SPREAD = 1.2816

/** Beta-Binomial: the prior of the card's type, and the judgements. */
export function beliefOf(weighed: readonly Weighed[], cardType: CardType): Belief {
  let { worked, failed }: { worked: number; failed: number } = WEIGHTS.prior[cardType]
  for (const { judgement, weight } of weighed)
    if (judgement.outcome === 'worked') worked += weight
    else failed += weight * (judgement.outcome === 'stale' ? WEIGHTS.stale : 1)
  const all = worked + failed
  const value = worked / all
  const deviation = Math.sqrt((worked * failed) / (all * all * (all + 1)))
  return {
    value: rounded(value),
    low: rounded(Math.max(0, value - SPREAD * deviation)),
    high: rounded(Math.min(1, value + SPREAD * deviation)),
  }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000
