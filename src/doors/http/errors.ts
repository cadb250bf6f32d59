import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../core/context.ts'
import { AppError, type InputIssue, InvalidInput, unavailable } from '../../core/errors.ts'
import { logFailure } from '../../core/log.ts'
import { plainName } from '../../core/untrusted-text.ts'
import { MAX_ECHO } from '../../core/validation.ts'
import { redact } from '../../redaction/redact.ts'

/** A secret that goes on behind the last character shown is found as long as it ends in this many. */
const MAX_SCANNED = 1200
/** The scanner knows a value by its name only if it looks random, and a password need not. */
const SECRET_FIELD = /pass|token|secret|key/i
/** Names that the API itself has for what is no secret. */
const PLAIN_FIELD = /^(?:(?:source_|target_|new_)?project_key|key_id)$/
const HIDDEN = '<hidden>'

type Path = readonly PropertyKey[]

const namesSecret = (key: PropertyKey): boolean => {
  const name = String(key).slice(0, MAX_ECHO)
  return SECRET_FIELD.test(name) && !PLAIN_FIELD.test(name)
}

/** Half of an emoji is no character: strict readers of JSON refuse the whole answer because of it. */
const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed()

/** What a caller sent, on its way into an answer. */
const withoutSecrets = (text: string): string => redact(cut(text, MAX_SCANNED)).text

/** A name or an address that is not known here, on its way back to a model: one short line. */
export const echoName = (name: string): string => cut(plainName(withoutSecrets(name)), MAX_ECHO)

/** `pwd` and others say secret only to the scanner, and only beside a value. */
const isSecretBeside = (name: PropertyKey | undefined, text: string): boolean =>
  typeof name === 'string' &&
  redact(`${name.slice(0, MAX_ECHO)}: "${text.slice(0, MAX_ECHO)}"`).findings.length > 0

function echoText(text: string, path: Path, left: number): string {
  const shown = cut(withoutSecrets(text), left)
  return isSecretBeside(path.at(-1), shown) ? HIDDEN : shown
}

function echoed(value: unknown, path: Path, left: number): unknown {
  if (path.some(namesSecret)) return HIDDEN
  if (typeof value === 'string') return echoText(value, path, left)
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? [] : {}
}

/** One level of a list or an object, as far as the characters reach: those that were sent, since each is scanned. */
function echoInside(value: object, path: Path): unknown {
  let left = MAX_ECHO
  const entries: [string, unknown][] = []
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key]
    const name = cut(withoutSecrets(key), left)
    left -= key.length
    const shown = echoed(item, Array.isArray(value) ? path : [key], Math.max(left, 0))
    left -= Math.max(String(shown).length, typeof item === 'string' ? item.length : 0)
    entries.push([name, shown])
    if (left <= 0) break
  }
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}

/** The offending value is echoed as FastAPI does, but short, and without secrets. */
function echo(value: unknown, path: Path): unknown {
  const short = echoed(value, path, MAX_ECHO)
  return typeof short === 'object' && short !== null ? echoInside(value as object, path) : short
}

/** Says for each input field where the caller put it; the default is the body. */
export type Locate = (issue: InputIssue) => (string | number)[]

const inBody: Locate = (issue) => ['body', ...issue.path]

type ErrorPath = readonly (string | number)[]

/** What the caller sent, by the first part of a location. */
export type Sent = { body?: unknown; query?: unknown; path?: unknown }

function valueAt(sent: Sent, loc: ErrorPath): unknown {
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
function inputOf(issue: InputIssue, loc: ErrorPath, sent: Sent): unknown {
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
