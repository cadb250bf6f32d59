import { fromJson } from '../../db/columns.ts'
import {
  type Belief,
  beliefOf,
  type CardFacts,
  type Judgement,
  peopleOfFullWeight,
  weighAll,
} from './weigh.ts'

/** How many people had an outcome with one version of one name of the environment. */
export type EnvironmentGroup = {
  name: string
  version: string
  worked: number
  failed: number
}

/** Stored in the card's own row, so that no reader has to count. All counts are of people of full weight. */
export type StoredTrust = Belief & {
  worked: number
  failed: number
  stale: number
  /** How many of the people have said nothing since the fix was last changed. */
  before_change: number
  people: number
  last_confirmed_at: string | null
  environments: EnvironmentGroup[]
  /** Since when its readers see the card; the environments are for them alone. */
  seen_since?: string | null
}

const MOST_GROUPS = 12

/** Strangers write both, and agents read them with every hit: only what looks like the name of a tool and like a version. */
const NAME = /^[\w@][\w@/.+#-]{0,29}$/
const VERSION = /^(?:[\w.+~^-]{1,20}|[a-z][\w-]{0,15} \d[\w.]{0,10})$/i

/** `24.1.3` and `24.1.0` are one group: the first number of a version matters most, and of `0.x` the second. */
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
    .slice(0, MOST_GROUPS)
}

/** Null without judgements: then nothing is shown. */
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

/** What everybody may know who may know of the card. */
export const trustCounts = (trust: string | null): Omit<StoredTrust, 'environments'> | null =>
  trust === null ? null : fromJson(trust)

type Row = { trust: string | null; seen_since: string | null }

/** Without environments where the card has come to other readers since they were gathered. */
export function storedTrust({ trust, seen_since }: Row): StoredTrust | null {
  if (trust === null) return null
  const stored = fromJson<StoredTrust>(trust)
  return (stored.seen_since ?? null) === seen_since ? stored : { ...stored, environments: [] }
}

/** Only if even the upper bound is below one half, so that a single vote does not distrust a card. */
export const DISTRUSTED_BELOW = 0.5

export const isDistrusted = (trust: Belief | null): boolean => trust !== null && trust.high < DISTRUSTED_BELOW
