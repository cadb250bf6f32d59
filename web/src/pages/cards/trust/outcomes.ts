import { CircleCheck, CircleX, Clock } from 'lucide-react'
import type { Verdict } from '../../../api/types.ts'

export type Outcome = Verdict['outcome']

export const OUTCOMES = [
  { value: 'worked', label: 'Worked', icon: CircleCheck, tone: 'text-ok' },
  { value: 'failed', label: 'Failed', icon: CircleX, tone: 'text-bad' },
  { value: 'stale', label: 'No longer true', icon: Clock, tone: 'text-warn' },
] as const satisfies readonly { value: Outcome; label: string; icon: unknown; tone: string }[]

export const outcomeOf = (value: Outcome) => OUTCOMES.find((one) => one.value === value) ?? OUTCOMES[0]
