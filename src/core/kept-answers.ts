import type { z } from 'zod'

type Kept = { schema: z.ZodType | undefined; checked: object | undefined; text: string | undefined }

/** By the object that a capability returns, and by the checked one that is made of it. */
const KEPT = new WeakMap<object, Kept>()

const keptOf = (answer: unknown): Kept | undefined =>
  typeof answer === 'object' && answer !== null ? KEPT.get(answer) : undefined

/** For a capability that will return this same object again while nothing in it changes: it is checked and written once. */
export function keepAnswer<T extends object>(answer: T): T {
  KEPT.set(Object.freeze(answer), { schema: undefined, checked: undefined, text: undefined })
  return answer
}

/** Only declared fields leave, each with its declared type. */
export function checkAnswer(schema: z.ZodType, answer: unknown): unknown {
  const kept = keptOf(answer)
  if (kept?.schema === schema) return kept.checked
  const checked = schema.parse(answer)
  if (!kept || kept.checked || typeof checked !== 'object' || checked === null) return checked
  kept.schema = schema
  kept.checked = Object.freeze(checked)
  KEPT.set(checked, kept)
  return checked
}

/** The JSON of an answer. */
export function writeAnswer(checked: unknown): string {
  const kept = keptOf(checked)
  if (!kept) return JSON.stringify(checked)
  kept.text ??= JSON.stringify(checked)
  return kept.text
}
