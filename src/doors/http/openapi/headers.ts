import type { Json } from './schemas.ts'

const NUMBER = { type: 'integer', minimum: 0 }

/** What answers say beside their bodies, where a client can act on it. */
export const ANSWER_HEADERS = {
  ETag: {
    description: 'The version of the card, for If-Match. Compressed answers have it as W/"3".',
    schema: { type: 'string' },
    example: '"3"',
  },
  'Idempotency-Replayed': {
    description: 'Present where the first answer is given again',
    schema: { type: 'string', enum: ['true'] },
  },
  'RateLimit-Limit': { description: 'How many uses the limit has that refuses', schema: NUMBER },
  'RateLimit-Remaining': { description: 'How many of them are left', schema: NUMBER },
  'RateLimit-Reset': { description: 'In how many seconds the limit begins anew', schema: NUMBER },
  'Retry-After': { description: 'In how many seconds to try again', schema: NUMBER },
  'WWW-Authenticate': {
    description: 'The scheme of the credential that is missing or not valid',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Json>

export type AnswerHeader = keyof typeof ANSWER_HEADERS

/** The part of a response that names its headers; nothing where it has none. */
export const withHeaders = (names: readonly AnswerHeader[]): Json =>
  names.length === 0
    ? {}
    : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }
