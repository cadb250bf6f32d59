import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../core/context.ts'
import { AppError, type InputIssue, InvalidInput, unavailable } from '../../core/errors.ts'
import { logFailure } from '../../core/log.ts'
import { plainName } from '../../core/untrusted-text.ts'
import { MAX_ECHO } from '../../core/validation.ts'
import { redact } from '../../redaction/redact.ts'

/** A secret that begins in the shown text is detected only if it ends within this many characters. */
const MAX_SCANNED = 1200
/** Always hidden, because the scanner hides only random-looking values, and a password may not be one. */
const SECRET_FIELD = /pass|token|secret|key/i
/** Names of the API that match `SECRET_FIELD` but hold no secret. */
const PLAIN_FIELD = /^(?:(?:source_|target_|new_)?project_key|key_id)$/
const HIDDEN = '<hidden>'

type Path = readonly PropertyKey[]

const namesSecret = (key: PropertyKey): boolean => {
  const name = String(key).slice(0, MAX_ECHO)
  return SECRET_FIELD.test(name) && !PLAIN_FIELD.test(name)
}

/** Cuts a text without splitting a surrogate pair: strict JSON readers refuse an answer with half a pair. */
const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed()

/** Returns text of a caller, shortened and with secrets redacted, for use in an answer. */
const withoutSecrets = (text: string): string => redact(cut(text, MAX_SCANNED)).text

/** Returns an unknown name or address as one short line that is safe to show to a model. */
export const echoName = (name: string): string => cut(plainName(withoutSecrets(name)), MAX_ECHO)

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

/** Returns the refused value, shortened and without secrets, in the form of FastAPI. */
function echo(value: unknown, path: Path): unknown {
  const short = echoed(value, path, MAX_ECHO)
  return typeof short === 'object' && short !== null ? echoInside(value as object, path) : short
}

/** Returns where the caller put each input field; the default is the body. */
export type Locate = (issue: InputIssue) => (string | number)[]

const inBody: Locate = (issue) => ['body', ...issue.path]

type ErrorPath = readonly (string | number)[]

type Sent = { body?: unknown; query?: unknown; path?: unknown }

function valueAt(sent: Sent, loc: ErrorPath): unknown {
  let value: unknown = sent
  for (const key of loc) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string | number, unknown>)[key]
  }
  return value
}

function inputOf(issue: InputIssue, loc: ErrorPath, sent: Sent): unknown {
  const isMissingAtTop = issue.type === 'missing' && loc.length === 2
  if (!isMissingAtTop && issue.input !== undefined)
    return echo(issue.input, issue.type === 'missing' ? [] : issue.path)
  const shown = isMissingAtTop ? loc.slice(0, 1) : loc
  const value = valueAt(sent, shown)
  return value === undefined ? echo(issue.input, []) : echo(value, shown.slice(1))
}

/** Limit of inputs shown in one error, because showing an input costs more than refusing it. */
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

/** Errors of a full or unwritable disk; a retry may work. */
const STORAGE_TROUBLE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

const isStorageTrouble = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && STORAGE_TROUBLE.has(String(error.code))

/** Turns any thrown value into the error that the caller sees. Unknown errors are logged and hidden. */
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
  // The commit may have happened before the failure, so the text does not promise that nothing changed.
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

const sentBy = ({ body = {}, query, params, routeOptions }: FastifyRequest): Sent =>
  routeOptions.config.isCapability ? { body, query, path: params } : {}

export function handleErrors(app: FastifyInstance, services: Services): void {
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof InvalidInput)
      return reply.code(422).send(validationBody(error, request.routeOptions.config.locate, sentBy(request)))
    return sendError(reply, toAppError(error, request, services))
  })
}
