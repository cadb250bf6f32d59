import { z } from 'zod'
import { withoutControlCharacters } from './redact.ts'

/**
 * A text that must say something. Control characters are not stored (`sanitise`), so they do not count: otherwise a text
 * of them alone would be long enough here and empty in the database.
 */
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

/** The same for a text that is kept with the space around it: `z.string().min(1).refine(...MORE_THAN_CONTROLS)`. */
export const MORE_THAN_CONTROLS = [
  (text: string) => text === '' || withoutControlCharacters(text) !== '',
  'Input should have more than control characters',
] as const
