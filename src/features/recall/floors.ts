import type { Moment } from './schemas.ts'

/**
 * How sure recall must be before it says something. Asked for, a doubtful hit costs a glance; unasked, it costs the agent's
 * attention. Chosen on one half of `npm run eval:recall`, reported on the other.
 */
export const FLOORS: Readonly<
  Record<Extract<Moment, 'failure' | 'prompt'>, { card: number; memory: number }>
> = {
  failure: { card: 0.7, memory: 0.8 },
  prompt: { card: 0.8, memory: 0.85 },
}

/** How much room a moment has, unless the caller says. */
export const BUDGETS: Readonly<Record<Moment, number>> = {
  failure: 1200,
  prompt: 1200,
  start: 6000,
  compact: 6000,
}
