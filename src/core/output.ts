import type { z } from 'zod'
import { quickParser, UNSURE } from './made-parser.ts'

const parseQuickly = quickParser({ exact: false })

/**
 * An answer by its output schema, as `schema.parse` gives it: declared fields alone, each of its declared type. Throws where
 * the answer is not as declared.
 */
export function parseOutput(schema: z.ZodType, answer: unknown): unknown {
  const copied = parseQuickly(schema, answer)
  return copied === UNSURE ? schema.parse(answer) : copied
}
