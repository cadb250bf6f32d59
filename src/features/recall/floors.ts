import type { Evidence } from './judge.ts'
import type { Moment } from './schemas.ts'

type AskingMoment = Extract<Moment, 'failure' | 'prompt'>

/**
 * The weight of each feature that speaks for a card. Fitted by `npm run eval:recall -- --fit` on one half of its
 * cases; the figures in bench/README.md are from the other half.
 */
export const COEFFICIENTS: Readonly<Record<AskingMoment, Readonly<Evidence & { constant: number }>>> = {
  failure: { constant: -8.65, confidence: 1, quoted: 3.33, codes: 1.9, title: 3.07, symptom: 1.58 },
  prompt: { constant: -6.51, confidence: 0.19, quoted: 4.3, codes: 1.87, title: 2.92, symptom: 3.82 },
}

/**
 * How sure recall must be before it delivers something. In a search a doubtful hit costs a glance; unasked, it costs
 * the agent's attention.
 */
export const FLOORS: Readonly<Record<AskingMoment, { card: number; memory: number }>> = {
  failure: { card: 0.45, memory: 0.8 },
  prompt: { card: 0.5, memory: 0.85 },
}

/** How many characters a moment gets by default. */
export const BUDGETS: Readonly<Record<Moment, number>> = {
  failure: 1200,
  prompt: 1200,
  start: 6000,
  compact: 6000,
}
