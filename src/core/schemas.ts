import { z } from 'zod'
import { LICENCES } from '../shared/licences.ts'

/** Any UUID version; ids compare in lower case. */
export const Id = z.guid().toLowerCase()

/** Pattern of an address without invisible or reordering characters, which could imitate another address. */
const ADDRESS =
  /^[^\s\p{Cc}\p{Default_Ignorable_Code_Point}@<>"(),:;[\]\\]+@[^\s\p{Cc}\p{Default_Ignorable_Code_Point}@<>"(),:;[\]\\]+$/u

/** Described in the schema by its format, because other regex engines read the pattern differently. */
export const Email = z
  .string()
  .trim()
  .min(3)
  .max(320)
  .regex(ADDRESS, 'Input should be a valid e-mail address')
  .meta({ format: 'email', pattern: undefined })

export const normalEmail = (email: string): string => email.trim().toLowerCase()

export const Page = { page: z.int().min(1).default(1), page_size: z.int().min(1).max(100).default(20) }

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), total: z.int(), page: z.int(), page_size: z.int() })

/** An id in an answer. The server writes it, so the schema describes it without a check. */
export const AnswerId = z.string().meta({ format: 'uuid' })
/** ISO 8601, UTC, milliseconds. */
export const Time = z.string().meta({ format: 'date-time' })

const Json = z.json()

/** Any JSON, described without its recursive schema, which client generators cannot handle. */
export const JsonValue = z
  .unknown()
  .refine((value) => Json.safeParse(value).success, 'Input should be a JSON value')
  .meta({ id: 'JsonValue', description: 'Any JSON value' })

export const LicenceId = z.enum(LICENCES)

type Written = { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }

/** Pattern for at least one non-blank character, also for readers that match the whole text. */
export const NOT_BLANK = '\\S[\\s\\S]*'

/** zod does not describe that a text is trimmed before its length is checked. */
function sayBlanksAreRefused({ zodSchema, jsonSchema }: Written): void {
  const { type, minLength = 0, pattern, format } = jsonSchema
  if (type !== 'string' || minLength === 0 || pattern !== undefined || format !== undefined) return
  if (!z.safeParse(zodSchema, ' '.repeat(minLength)).success) jsonSchema.pattern = NOT_BLANK
}

/** Returns the JSON schema of a door's input. The door refuses everything that this schema refuses. */
export const jsonSchemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: sayBlanksAreRefused })

/** Limit in bytes for the author's texts on one page of a list. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024

const bytesOf = (texts: readonly (string | null)[]): number =>
  texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0)

/** Presents rows in full while their texts fit on the page, and the rest in a light form. */
export function presentWithin<Row, Item>(
  rows: readonly Row[],
  textsOf: (row: Row) => readonly (string | null)[],
  present: (row: Row, isLight: boolean) => Item,
): Item[] {
  let left = MAX_PAGE_BYTES
  return rows.map((row) => {
    const bytes = bytesOf(textsOf(row))
    if (bytes > left) return present(row, true)
    left -= bytes
    return present(row, false)
  })
}
