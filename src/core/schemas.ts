import { z } from 'zod'
import { LICENCES } from '../shared/licences.ts'

/** Any UUID version is accepted; ids compare in lower case. */
export const Id = z.guid().toLowerCase()

/** Nothing that nobody sees, or that turns the text around: to others it would look like somebody else's address. */
const ADDRESS =
  /^[^\s\p{Cc}\p{Default_Ignorable_Code_Point}@<>"(),:;[\]\\]+@[^\s\p{Cc}\p{Default_Ignorable_Code_Point}@<>"(),:;[\]\\]+$/u

/** Described by its format alone: engines other than JavaScript's read the pattern in another way, or not at all. */
export const Email = z
  .string()
  .trim()
  .min(3)
  .max(320)
  .regex(ADDRESS, 'Input should be a valid e-mail address')
  .meta({ format: 'email', pattern: undefined })

/** The form of an address that is compared and looked up. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

export const Page = { page: z.int().min(1).default(1), page_size: z.int().min(1).max(100).default(20) }

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), total: z.int(), page: z.int(), page_size: z.int() })

/** Ids and times in answers. We write them ourselves, so they are described, not checked again. */
export const AnswerId = z.string().meta({ format: 'uuid' })
/** ISO 8601, UTC, milliseconds. */
export const Time = z.string().meta({ format: 'date-time' })

const Json = z.json()

/** Any JSON. Described as just that: the schema of JSON refers to itself, and client generators stumble over it. */
export const JsonValue = z
  .unknown()
  .refine((value) => Json.safeParse(value).success, 'Input should be a JSON value')
  .meta({ id: 'JsonValue', description: 'Any JSON value' })

export const LicenceId = z.enum(LICENCES)

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

/** What one page of a list carries at most, of the texts that its authors wrote. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024

const bytesOf = (texts: readonly (string | null)[]): number =>
  texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0)

/** Presents rows whole as long as a page has room for their texts, and the others in a light form. */
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
