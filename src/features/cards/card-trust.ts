import { z } from 'zod'
import { Time } from '../../core/schemas.ts'
import { fromJson } from '../../db/columns.ts'
import type { Closeness, VerdictOutcome } from '../../db/knowledge-schema.ts'
import type { CardType } from '../../shared/card-fields.ts'
import { DAY_MS } from '../../shared/time.ts'
import { type AccountAge, accountAge, factorOfAge } from '../identity/index.ts'

export type Judgement = {
  userId: string
  outcome: Exclude<VerdictOutcome, 'withdrawn'>
  isBeforeChange: boolean
  /** Empty if the card's readers must not see it. */
  environment: Record<string, string>
  at: string
  closeness: Closeness
  /** The judged card is this person's n-th of the same owner. */
  nthOfOwner: number
  isReturned: boolean
  /** The address is proven, or the server has no mail to prove it. */
  isProven: boolean
  since: string
  /** The judge belongs to the card's private workspace, or to the private team that published the card. */
  isMember: boolean
  /** The judge is the owner, or an editor of that workspace or of the one where the card is. */
  mayEdit: boolean
}

export type CardFacts = {
  cardType: CardType
  isPublic: boolean
  /** Members count in full: strangers do not read the card, or its team sees it as its own. */
  isForMembers: boolean
  halfLifeDays: number
  /** When the card's current readers first saw it. */
  seenSince: string | null
  now: Date
}

const WEIGHTS = {
  /** Counts like this many earlier judgements, so that one verdict moves a card but does not decide. */
  prior: {
    debug_fix: { worked: 3, failed: 1 },
    how_to: { worked: 3, failed: 1 },
    lesson_learned: { worked: 3, failed: 1 },
    reference: { worked: 3, failed: 1 },
    decision: { worked: 4, failed: 1 },
  } satisfies Record<CardType, { worked: number; failed: number }>,
  owner: 0.2,
  /** For public cards only: on a team's own cards all judges are members. */
  team: 0.6,
  beforeChange: 0.3,
  returned: 0.25,
  stale: 1.2,
  /** Limit for one person on one card, over all environments. */
  mostPerPerson: 1.5,
  /** Limit for all accounts of one age on one card: creating more accounts must not decide. */
  mostOfAge: { young: 0.5, recent: 2, established: Number.POSITIVE_INFINITY } satisfies Record<
    AccountAge,
    number
  >,
} as const

const ofTheSameOwner = (nth: number): number => 1 / Math.sqrt(Math.max(1, nth))

const isColleague = (judgement: Judgement, card: CardFacts): boolean =>
  card.isForMembers && judgement.isMember

const ageOf = (judgement: Judgement, card: CardFacts): AccountAge =>
  isColleague(judgement, card) ? 'established' : accountAge(judgement.since, card.now)

const CLOSENESS_WEIGHTS = { owner: WEIGHTS.owner, team: WEIGHTS.team, stranger: 1 }

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
    (judgement.isBeforeChange ? WEIGHTS.beforeChange : 1) *
    2 ** (-ageDays / card.halfLifeDays)
  )
}

/** Summaries count people with at least this weight. */
const FULL_WEIGHT = 0.5

/** Accounts of one age count only up to a common limit: new accounts must not raise the count. */
function peopleOfFullWeight(judgements: readonly Judgement[], card: CardFacts): Set<string> {
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

type Weighed = { judgement: Judgement; weight: number }

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

/** Limits apply per person and account age, because many new accounts may belong to one person. */
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

type Belief = { value: number; low: number; high: number }

/** 80 % interval: the true value lies between `low` and `high` in four of five cases. */
const SPREAD = 1.2816

/** Beta-Binomial from the prior of the card's type and the judgements. */
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

type EnvironmentGroup = {
  name: string
  version: string
  worked: number
  failed: number
}

/** Trust stored in the card's row. All counts are of people of full weight. */
export type StoredTrust = Belief & {
  worked: number
  failed: number
  stale: number
  /** How many of these people have said nothing since the fix last changed. */
  before_change: number
  people: number
  last_confirmed_at: string | null
  environments: EnvironmentGroup[]
  /** When the card's current readers first saw it. Environments are only for these readers. */
  seen_since?: string | null
}

const MAX_GROUPS = 12

/** Agents read strangers' names with every hit, so only a tool name or a version is accepted. */
const NAME = /^[\w@][\w@/.+#-]{0,29}$/
const VERSION = /^(?:[\w.+~^-]{1,20}|[a-z][\w-]{0,15} \d[\w.]{0,10})$/i

/** Groups versions by their first number; `0.x` versions by the second. */
const majorOf = (version: string): string => /^[v^~>=\s]*(0\.\d+|\d+(?=\.|$))/.exec(version)?.[1] ?? version

type Saying = Pick<Judgement, 'userId'>
const countPeople = (judgements: readonly Saying[]): number =>
  new Set(judgements.map(({ userId }) => userId)).size

function groupsOf(judgements: readonly Judgement[]): EnvironmentGroup[] {
  const groups = new Map<string, EnvironmentGroup>()
  const counted = new Set<string>()
  for (const { userId, outcome, environment } of judgements) {
    if (outcome === 'stale') continue
    for (const [name, version] of Object.entries(environment)) {
      const major = majorOf(version)
      if (!NAME.test(name) || !VERSION.test(major)) continue
      const key = `${name.toLowerCase()} ${major}`
      const group = groups.get(key) ?? { name, version: major, worked: 0, failed: 0 }
      groups.set(key, group)
      const said = `${userId} ${outcome} ${key}`
      if (!counted.has(said)) group[outcome] += 1
      counted.add(said)
    }
  }
  const said = (group: EnvironmentGroup) => group.worked + group.failed
  return [...groups.values()]
    .sort((a, b) => said(b) - said(a) || (a.name + a.version < b.name + b.version ? -1 : 1))
    .slice(0, MAX_GROUPS)
}

/** Returns null if there are no judgements. */
export function trustFrom(judgements: readonly Judgement[], card: CardFacts): StoredTrust | null {
  if (judgements.length === 0) return null
  const people = peopleOfFullWeight(judgements, card)
  const named = judgements.filter(({ userId }) => people.has(userId))
  const count = (outcome: Judgement['outcome']) => countPeople(named.filter((one) => one.outcome === outcome))
  return {
    ...beliefOf(weighAll(judgements, card), card.cardType),
    worked: count('worked'),
    failed: count('failed'),
    stale: count('stale'),
    before_change: people.size - countPeople(named.filter(({ isBeforeChange }) => !isBeforeChange)),
    people: people.size,
    last_confirmed_at: lastConfirmedAt(named),
    environments: groupsOf(named),
    seen_since: card.seenSince,
  }
}

export const lastConfirmedAt = (judgements: readonly Judgement[]): string | null =>
  judgements.reduce<string | null>(
    (last, { outcome, at }) => (outcome === 'worked' && (last === null || at > last) ? at : last),
    null,
  )

/** Returns when anybody last called the card failed or outdated, unless somebody who may edit it confirmed it later. */
export function lastDoubtedAt(judgements: readonly Judgement[]): string | null {
  const times = judgements.filter(({ outcome }) => outcome !== 'worked').map(({ at }) => at)
  const last = times.toSorted().at(-1)
  const confirmed = lastConfirmedAt(judgements.filter(({ mayEdit }) => mayEdit))
  return last === undefined || (confirmed !== null && confirmed >= last) ? null : last
}

/** Returns the trust without environments, for everybody who may see the card. */
export const trustCounts = (trust: string | null): Omit<StoredTrust, 'environments'> | null =>
  trust === null ? null : fromJson(trust)

type Row = { trust: string | null; seen_since: string | null }

/** Returns the stored trust; without environments if the card has new readers since they were gathered. */
export function storedTrust({ trust, seen_since }: Row): StoredTrust | null {
  if (trust === null) return null
  const stored = fromJson<StoredTrust>(trust)
  return (stored.seen_since ?? null) === seen_since ? stored : { ...stored, environments: [] }
}

const DISTRUSTED_BELOW = 0.5

export const isDistrusted = (trust: Belief | null): boolean => trust !== null && trust.high < DISTRUSTED_BELOW

const MAX_SUMMARY_LENGTH = 120

const people = (count: number): string => (count === 1 ? '1 person' : `${count} people`)

function dayOf(at: string, now: Date): string {
  const date = new Date(at)
  const isThisYear = date.getUTCFullYear() === now.getUTCFullYear()
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
    ...(isThisYear ? {} : { year: 'numeric' }),
  }).format(date)
}

function versionsSaid(trust: StoredTrust, outcome: 'worked' | 'failed'): string {
  const told = trust.environments.filter((group) => group[outcome] > 0)
  const name = told[0]?.name
  const shown = told.filter((group) => group.name === name).slice(0, 2)
  if (shown.length === 0) return ''
  const there = shown.reduce((sum, group) => sum + group[outcome], 0)
  const where = `${name} ${shown.map(({ version }) => version).join(' and ')}`
  return there < trust[outcome] ? `, ${there} on ${where}` : `, ${where}`
}

export function trustSummary(trust: StoredTrust, now: Date): string {
  const { worked, failed, stale, last_confirmed_at } = trust
  const last = last_confirmed_at === null ? '' : `, last on ${dayOf(last_confirmed_at, now)}`
  const said = [
    worked > 0 ? `worked for ${people(worked)}${last}${versionsSaid(trust, 'worked')}` : '',
    failed > 0 ? `failed for ${people(failed)}${versionsSaid(trust, 'failed')}` : '',
    stale > 0 ? `called outdated by ${people(stale)}` : '',
  ].filter((part) => part !== '')
  if (said.length === 0) return 'Too early to tell'
  const all = said.length > 1 ? 'all ' : ''
  const when = trust.before_change === trust.people ? `, ${all}before the last edit` : ''
  const text = said.join('; ')
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  const room = MAX_SUMMARY_LENGTH - when.length
  return `${sentence.length <= room ? sentence : `${sentence.slice(0, room - 1)}…`}${when}`
}

export const Trust = z
  .object({
    value: z.number().describe('0 to 1: how likely it works for the next person'),
    low: z.number().describe('The true value lies between low and high in four of five cases'),
    high: z.number(),
    worked: z
      .int()
      .describe('How many people it worked for. On cards that strangers read, new accounts are left out'),
    failed: z.int(),
    stale: z.int(),
    before_change: z
      .int()
      .describe('How many of the people have said nothing since the fix was last changed'),
    people: z.int(),
    last_confirmed_at: Time.nullable().describe('When it last worked for one of these people'),
    summary: z.string().describe('In words, at most 120 characters'),
  })
  .meta({ id: 'CardTrust' })

export function presentTrust(
  row: Parameters<typeof storedTrust>[0],
  now: Date,
): z.input<typeof Trust> | null {
  const trust = storedTrust(row)
  return trust && { ...trust, summary: trustSummary(trust, now) }
}
