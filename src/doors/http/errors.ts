import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../core/context.ts'
import { AppError, type InputIssue, InvalidInput, unavailable } from '../../core/errors.ts'
import { logFailure } from '../../core/log-failure.ts'
import { echo, withoutSecrets } from './echo.ts'

/** Says for each input field where the caller put it; the default is the body. */
export type Locate = (issue: InputIssue) => (string | number)[]

const inBody: Locate = (issue) => ['body', ...issue.path]

type Path = readonly (string | number)[]

/** What the caller sent, by the first part of a location. */
export type Sent = { body?: unknown; query?: unknown; path?: unknown }

function valueAt(sent: Sent, loc: Path): unknown {
  let value: unknown = sent
  for (const key of loc) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string | number, unknown>)[key]
  }
  return value
}

/**
 * A feature that refuses a value does not repeat it, so it is taken from the request. A missing field shows what it is
 * missing from: the body alone, although the schema has seen path, query and body as one.
 */
function inputOf(issue: InputIssue, loc: Path, sent: Sent): unknown {
  const isMissingAtTop = issue.type === 'missing' && loc.length === 2
  if (!isMissingAtTop && issue.input !== undefined)
    return echo(issue.input, issue.type === 'missing' ? [] : issue.path)
  const shown = isMissingAtTop ? loc.slice(0, 1) : loc
  const value = valueAt(sent, shown)
  return value === undefined ? echo(issue.input, []) : echo(value, shown.slice(1))
}

/** To show a value costs more than to refuse it. Whoever has made more mistakes knows by these what was sent. */
const SHOWN_INPUTS = 10

export function validationBody(error: InvalidInput, locate: Locate = inBody, sent: Sent = {}) {
  return {
    detail: error.issues.map((issue, at) => {
      const loc = locate(issue)
      return {
        type: issue.type,
        loc: loc.map((part) => (typeof part === 'string' ? withoutSecrets(part) : part)),
        msg: withoutSecrets(issue.msg),
        input: (at < SHOWN_INPUTS ? inputOf(issue, loc, sent) : undefined) ?? null,
        ...(issue.ctx ? { ctx: issue.ctx } : {}),
      }
    }),
  }
}

export const errorBody = (error: AppError) => ({ detail: error.message, code: error.code, ...error.extra })

function fromFastify(error: FastifyError): AppError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
    case 'FST_REQ_FILE_TOO_LARGE':
      return new AppError(413, 'payload_too_large', 'The body is larger than this route takes.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError(
        415,
        'unsupported_media_type',
        'Send JSON in UTF-8, with Content-Type: application/json.',
      )
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError(400, 'bad_request', 'The body does not have the length that Content-Length states.')
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? new AppError(error.statusCode, 'bad_request', 'The request could not be read.')
        : undefined
  }
}

/** No space, or no way to write: a later try may work. */
const STORAGE_TROUBLE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

const isStorageTrouble = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && STORAGE_TROUBLE.has(String(error.code))

/** Turns any thrown value into the error that the caller sees. Unknown ones are logged and stay hidden. */
export function toAppError(
  error: unknown,
  request: FastifyRequest,
  services: Pick<Services, 'database' | 'log'>,
): AppError {
  if (error instanceof AppError) return error
  const known = error instanceof Error ? fromFastify(error as FastifyError) : undefined
  if (known) return known
  logFailure(services, error, { message: 'request failed', details: { request_id: request.id } })
  if (services.database.isUnavailable(error))
    return unavailable('The database cannot be reached or written right now.')
  if (isStorageTrouble(error)) return unavailable('The disk cannot be written right now.')
  // A commit may have happened before the failure, so the text does not promise that nothing changed.
  return new AppError(
    500,
    'internal_error',
    'Something went wrong on our side. Check whether your change was made before you repeat it. The log names the cause under this request_id.',
    { request_id: request.id },
  )
}

export function sendError(reply: FastifyReply, error: AppError): FastifyReply {
  return reply.code(error.status).headers(error.headers).send(errorBody(error))
}

/** Other routes than those of capabilities may have bytes or a form as their body. */
const sentBy = ({ body = {}, query, params, routeOptions }: FastifyRequest): Sent =>
  routeOptions.config.answersItself ? { body, query, path: params } : {}

export function handleErrors(app: FastifyInstance, services: Services): void {
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof InvalidInput)
      return reply.code(422).send(validationBody(error, request.routeOptions.config.locate, sentBy(request)))
    return sendError(reply, toAppError(error, request, services))
  })
}
