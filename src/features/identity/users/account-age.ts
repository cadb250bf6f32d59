import { DAY_MS } from '../../../core/day.ts'

/**
 * What a voice of an account counts where strangers judge each other: whoever wants a hundred voices can make a hundred
 * accounts today, but not a month ago.
 */
const AGES = [
  { name: 'young', belowDays: 7, factor: 0.1 },
  { name: 'recent', belowDays: 30, factor: 0.5 },
] as const

export type AccountAge = (typeof AGES)[number]['name'] | 'established'

/** `since` is when the account was made. */
export function accountAge(since: string, now: Date): AccountAge {
  const days = (now.getTime() - Date.parse(since)) / DAY_MS
  return AGES.find(({ belowDays }) => days < belowDays)?.name ?? 'established'
}

export const factorOfAge = (age: AccountAge): number => AGES.find(({ name }) => name === age)?.factor ?? 1
