import { type LimitState, limitHeaders } from './limits.ts'

/** An error that a user can cause. Any other error is a bug and becomes a 500 without details. */
export class AppError extends Error {
  readonly status: number
  readonly code: string
  readonly extra: Record<string, unknown>
  readonly headers: Record<string, string>
  readonly keepsWrites: boolean = false

  constructor(
    status: number,
    code: string,
    detail: string,
    extra: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(detail)
    this.name = 'AppError'
    this.status = status
    this.code = code
    this.extra = extra
    this.headers = headers
  }
}

/** Marks a refusal whose transaction is committed, so that its writes stay. */
export const afterWriting = (refusal: AppError): AppError => Object.assign(refusal, { keepsWrites: true })

export type InputIssue = {
  type: string
  /** The path of the value in the capability's input; the door adds body, query or path. */
  path: (string | number)[]
  msg: string
  /** The value as it was sent; the door shortens it and removes secrets. */
  input?: unknown
  ctx?: Record<string, unknown>
}

export class InvalidInput extends Error {
  readonly issues: InputIssue[]

  constructor(issues: InputIssue[]) {
    super('The input is not valid')
    this.name = 'InvalidInput'
    this.issues = issues
  }
}

/** Returns an error for a rule that the feature checks, in the form of a schema violation. */
export const invalid = (path: string | (string | number)[], msg: string, type = 'value_error') =>
  new InvalidInput([{ type, path: typeof path === 'string' ? [path] : path, msg }])

export const notAuthenticated = (
  detail = 'Send an API key in X-API-Key, or a token in Authorization: Bearer.',
  code:
    | 'not_authenticated'
    | 'invalid_credentials'
    | 'invalid_token'
    | 'session_changed' = 'not_authenticated',
) => new AppError(401, code, detail, {}, { 'WWW-Authenticate': 'Bearer' })

export const missingScope = (required: readonly string[]) =>
  new AppError(403, 'missing_scope', `This credential lacks a scope. Needed: ${required.join(', ')}.`, {
    required_scopes: required,
  })

export const forbidden = (detail: string) => new AppError(403, 'forbidden', detail)

export const notFound = (what: string, hint = '') =>
  new AppError(404, 'not_found', `${what} not found.${hint ? ` ${hint}` : ''}`)

export const conflict = (code: string, detail: string, extra: Record<string, unknown> = {}) =>
  new AppError(409, code, detail, extra)

export const gone = (detail: string) => new AppError(410, 'invite_expired', detail)

export const notConfigured = (what: string) =>
  new AppError(503, 'not_configured', `${what} is not configured on this server.`)

export const unavailable = (detail: string, retryAfterSeconds = 1) =>
  new AppError(503, 'unavailable', detail, {}, { 'Retry-After': String(retryAfterSeconds) })

/** The headers describe the limit that refused, which may differ from the door's own limit. */
export const rateLimited = (
  { limit, resetSeconds }: Pick<LimitState, 'limit' | 'resetSeconds'>,
  detail = 'Too many requests.',
) =>
  new AppError(
    429,
    'rate_limited',
    `${detail} Try again in ${resetSeconds} s.`,
    {},
    {
      'Retry-After': String(resetSeconds),
      ...limitHeaders({ limit, remaining: 0, resetSeconds }),
    },
  )

export const nothingHere = (): AppError =>
  new AppError(404, 'not_found', 'There is nothing at this address. The API is described at /docs.')
