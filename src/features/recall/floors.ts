import type { Evidence } from './judge.ts'
import type { Moment } from './schemas.ts'

type AskingMoment = Extract<Moment, 'failure' | 'prompt'>

/**
 * The weight of each feature that speaks for a card. Fitted by `npm run eval:recall -- --fit` on one half of its
 * cases; the figures in bench/README.md are from the other half.
 */
export const COEFFICIENTS: Readonly<Record<AskingMoment, Readonly<Evidence & { constant: number }>>> = {
  failure: {
    constant: -6.25,
    confidence: 0.65,
    quoted: 1.01,
    codes: 0.38,
    title: 3.21,
    symptom: 2.43,
    missed: -1.76,
  },
  // A prompt names few of the things that a card names.
  prompt: {
    constant: -6.33,
    confidence: 0.26,
    quoted: 4.36,
    codes: 1.57,
    title: 1.79,
    symptom: 3.26,
    missed: 0,
  },
}

/**
 * How sure recall must be before it delivers something. In a search a doubtful hit costs a glance; unasked, it costs
 * the agent's attention.
 */
export const FLOORS: Readonly<Record<AskingMoment, { card: number; memory: number }>> = {
  failure: { card: 0.35, memory: 0.8 },
  prompt: { card: 0.6, memory: 0.85 },
}

/** How many characters a moment gets by default. */
export const BUDGETS: Readonly<Record<Moment, number>> = {
  failure: 1200,
  prompt: 1200,
  start: 6000,
  compact: 6000,
}
