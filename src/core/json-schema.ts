import { z } from 'zod'

type Written = { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }

/** Somewhere a character that is no blank; also where a reader takes the pattern for the whole text. */
export const NOT_BLANK = '\\S[\\s\\S]*'

/** zod writes down the shortest length of a text, but not that it is trimmed before: blanks alone are refused. */
function sayBlanksAreRefused({ zodSchema, jsonSchema }: Written): void {
  const { type, minLength = 0, pattern, format } = jsonSchema
  if (type !== 'string' || minLength === 0 || pattern !== undefined || format !== undefined) return
  if (!z.safeParse(zodSchema, ' '.repeat(minLength)).success) jsonSchema.pattern = NOT_BLANK
}

/** What a door takes, for clients: whatever this refuses, the door refuses. */
export const jsonSchemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: sayBlanksAreRefused })
