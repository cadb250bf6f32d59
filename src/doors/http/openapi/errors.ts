import { z } from 'zod'
import { type AnswerHeader, withHeaders } from './headers.ts'
import { type Json, refTo } from './schemas.ts'

const ValidationError = z
  .object({
    type: z.string(),
    loc: z.array(z.union([z.string(), z.int()])).describe('Starts with body, query, path or header.'),
    msg: z.string(),
    input: z.any(),
    ctx: z.record(z.string(), z.any()).optional(),
  })
  .meta({ id: 'ValidationError' })

export const HTTPValidationError = z.object({ detail: z.array(ValidationError) }).meta({
  id: 'HTTPValidationError',
  examples: [
    {
      detail: [
        { type: 'missing', loc: ['body', 'symptom'], msg: 'Field required', input: { title: 'A title' } },
      ],
    },
  ],
})

export const ErrorResponse = z
  .looseObject({
    detail: z.string().describe('A sentence a person can act on.'),
    code: z.string().describe('Stable, for programs.'),
  })
  .meta({ id: 'ErrorResponse', examples: [{ detail: 'Card not found.', code: 'not_found' }] })

const ERROR_RESPONSES: Record<number, string> = {
  400: 'Refused by a rule; the answer says which',
  401: 'No credential, or not a valid one',
  402: 'Not enough credits; nothing was charged',
  403: 'The credential or the role does not allow this',
  404: 'Not found, or not visible to you',
  409: 'In conflict with the present state',
  410: 'Expired',
  412: 'Changed since the version given in If-Match',
  413: 'Too large',
  507: 'There is no space for it now; nothing was stored',
  415: 'Not a media type that this route accepts',
  422: 'The input is not valid',
  429: 'Too many requests; Retry-After says when to try again',
  500: 'An error of the server; request_id identifies it',
  503: 'A needed part is not configured or not reachable now',
}

/** Those of 503 depend on its code: what is not configured will not be there a moment later. */
const ERROR_HEADERS: Record<number, readonly AnswerHeader[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  503: ['Retry-After'],
}

/** What a request can meet anywhere, and what it can meet by what it sends. */
export function commonErrors(request: {
  open: boolean
  input: boolean
  body: boolean
  key: boolean
}): number[] {
  return [
    ...(request.open ? [] : [401, 403]),
    ...(request.key ? [409] : []),
    ...(request.body ? [413, 415] : []),
    ...(request.input ? [422] : []),
    ...[429, 500, 503],
  ]
}

const inJson = (name: string) => ({ 'application/json': { schema: refTo(name) } })

export const errorResponses = (statuses: Iterable<number>): Json =>
  Object.fromEntries(
    [...new Set(statuses)].sort().map((status) => [
      String(status),
      {
        description: ERROR_RESPONSES[status] ?? 'Error',
        ...withHeaders(ERROR_HEADERS[status] ?? []),
        content: inJson(status === 422 ? 'HTTPValidationError' : 'ErrorResponse'),
      },
    ]),
  )
