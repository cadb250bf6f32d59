import { z } from 'zod'
import { withoutControlCharacters } from './redact.ts'

/** Control characters are removed before storage, so they do not count towards the minimum. */
export const requiredText = (min: number, max: number) =>
  z
    .string()
    .trim()
    .min(min, { abort: true })
    .max(max)
    .refine(
      (text) => [...withoutControlCharacters(text).trim()].length >= min,
      `Input should have at least ${min} character${min === 1 ? '' : 's'} besides control characters`,
    )

export const MORE_THAN_CONTROLS = [
  (text: string) => text === '' || withoutControlCharacters(text) !== '',
  'Input should have more than control characters',
] as const
