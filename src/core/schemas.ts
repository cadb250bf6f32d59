import { z } from 'zod'

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
