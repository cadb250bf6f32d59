import { CircleCheck, CircleX, Clock } from 'lucide-react'
import type { Verdict } from '../../../api/types.ts'

export type Outcome = Verdict['outcome']

export const OUTCOMES = [
  { value: 'worked', label: 'Worked', icon: CircleCheck, tone: 'text-ok' },
  { value: 'failed', label: 'Failed', icon: CircleX, tone: 'text-bad' },
  { value: 'stale', label: 'No longer true', icon: Clock, tone: 'text-warn' },
] as const satisfies readonly { value: Outcome; label: string; icon: unknown; tone: string }[]

export const outcomeOf = (value: Outcome) => OUTCOMES.find((one) => one.value === value) ?? OUTCOMES[0]

/** For editors of the card: why a verdict counts less. */
export const WEIGHS_LESS: Record<NonNullable<Verdict['weighs_less']>[number], string> = {
  unproven_address: 'the e-mail address is not confirmed',
  new_account: 'the account is younger than 30 days',
  vote_on_reading: 'a vote, not a verdict after use',
  owner: 'it is the owner’s own card',
  same_team: 'from the same team',
  many_cards_of_owner: 'one of many verdicts on cards of the same owner',
  praises_each_other: 'the two people praise each other’s cards',
  before_last_change: 'before the fix was last changed',
  long_ago: 'some time ago',
}
