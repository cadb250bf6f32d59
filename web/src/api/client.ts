import { takeFirstAnswer } from '../first-load/answers.ts'
import { NetworkError, reportTimeout, reportUnreachable, ServerTimeout } from '../lib/reachable.ts'
import { reloadPage, reportSessionOver, sessionFetch, userOf } from '../lib/session-user.ts'
import type { QueryFields, RouteAnswer, RouteInput, RouteName } from './routes.ts'

type Issue = { type: string; loc: (string | number)[]; msg: string }

type Problem = { detail?: string | Issue[]; code?: string; [field: string]: unknown }

/** The server's refusal in a form that pages can show: a sentence, a stable code, and the id to quote. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  readonly issues: Issue[]
  readonly extra: Record<string, unknown>
  readonly retryAfter: number | null

  constructor(status: number, problem: Problem, headers: Headers) {
    const issues = Array.isArray(problem.detail) ? problem.detail : []
    super(
      typeof problem.detail === 'string'
        ? problem.detail
        : issues.map(describeIssue).join(' ') || describeStatus(status, headers),
    )
    this.name = 'ApiError'
    this.status = status
    this.code = problem.code ?? (issues.length ? 'invalid_input' : 'unknown')
    this.requestId = headers.get('x-request-id')
    this.issues = issues
    this.extra = problem
    this.retryAfter = Number(headers.get('retry-after')) || null
  }

  /**
   * Returns the message for one field of a form. The first element of a path is where the field was sent;
   * `body` is also a field name.
   */
  field(name: string): string | undefined {
    return this.issues.find((issue) => issue.loc.slice(1).includes(name))?.msg
  }
}

/** The session of this page has ended. The app says so and asks to sign in; forms and notices stay silent. */
export class SessionOver extends ApiError {}

/** Returns the error for a refused request that was sent in the name of `user`. */
function toApiError(user: string | undefined, { status, headers }: Response, problem: Problem): ApiError {
  if (status !== 401 || user === undefined || problem.code === 'invalid_credentials')
    return new ApiError(status, problem, headers)
  if (problem.code === 'session_changed') reloadPage()
  else reportSessionOver(user)
  return new SessionOver(status, problem, headers)
}

export type SendOptions = { signal?: AbortSignal; headers?: Record<string, string> }

/** The fields that a route with a body takes from the query string. */
const QUERY_FIELDS: QueryFields = {
  'POST /api/v1/cards/{card_id}/publish': ['target_workspace_id', 'licence'],
}

type CallOptions<R extends RouteName> =
  Record<never, never> extends RouteInput<R>
    ? [input?: RouteInput<R>, options?: SendOptions]
    : [input: RouteInput<R>, options?: SendOptions]

/**
 * Calls a route of the server, typed by the declaration of its capability. Path, query and body are one input object: names
 * in the path are taken out of it, the rest goes to the query string for GET and DELETE and to the JSON body otherwise.
 */
export async function call<R extends RouteName>(
  route: R,
  ...[input, options]: CallOptions<R>
): Promise<RouteAnswer<R>> {
  const [method = 'GET', template = '/'] = route.split(' ')
  const rest = new Map(Object.entries(input ?? {}).filter(([, value]) => value !== undefined))
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const queryFields: readonly string[] = QUERY_FIELDS[route as keyof QueryFields] ?? []
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  for (const [name, value] of rest) {
    if (hasBody && !queryFields.includes(name)) body[name] = value
    else if (Array.isArray(value)) for (const one of value) query.append(name, String(one))
    else if (value !== null && value !== '') query.set(name, String(value))
  }
  const address = query.size ? `${path}?${query}` : path
  return send(method, address, hasBody ? JSON.stringify(body) : undefined, options)
}

function send<T>(
  method: string,
  address: string,
  body: string | undefined,
  options: SendOptions = {},
): Promise<T> {
  return requestJson(address, {
    method,
    body,
    signal: options.signal,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...options.headers },
  })
}

/** Tells the answer of a proxy whose server is down; the server's own refusals have a code. */
const isProxyError = (status: number, problem: Problem) =>
  status >= 502 && status <= 504 && problem.code === undefined

function unreachable(cause: unknown): NetworkError {
  reportUnreachable()
  return new NetworkError(cause)
}

/** Returns how long the server may be silent: longer than its limit for a statement. Uploads have no limit. */
function idleTimeoutFor({ method = 'GET', body }: RequestInit): number | null {
  if (body instanceof Blob || body instanceof FormData) return null
  return method === 'GET' ? 45_000 : 120_000
}

/** Rejects once the server has been silent for too long: no page may wait forever. */
async function withTimeout<Answer>(
  init: RequestInit,
  awaited: Promise<Answer>,
  giveUp = () => {},
): Promise<Answer> {
  const timeoutMs = idleTimeoutFor(init)
  if (timeoutMs === null) return awaited
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ServerTimeout(init.method))
      giveUp()
    }, timeoutMs)
  })
  return Promise.race([awaited, tooLong]).finally(() => clearTimeout(timer))
}

async function fetchAnswer(address: string, init: RequestInit): Promise<Response> {
  const silence = new AbortController()
  const signal = init.signal ? AbortSignal.any([init.signal, silence.signal]) : silence.signal
  const asked = async () =>
    (await takeFirstAnswer({ address, init })) ?? (await sessionFetch(address, { ...init, signal }))
  return withTimeout(init, asked(), () => silence.abort())
}

const rethrow = (init: RequestInit) => (cause: unknown) => {
  if (init.signal?.aborted) throw cause
  throw cause instanceof ServerTimeout ? reportTimeout(cause) : unreachable(cause)
}

/** fetch with the browser session and its CSRF header; throws ApiError for every answer outside 2xx. */
export async function request(address: string, init: RequestInit): Promise<Response> {
  const user = userOf(address)
  const response = await fetchAnswer(address, init).catch(rethrow(init))
  if (response.ok) return response
  const problem: Problem = await withTimeout(init, response.json()).catch(() => ({}))
  if (isProxyError(response.status, problem)) throw unreachable(response.status)
  throw toApiError(user, response, problem)
}

/**
 * Returns the JSON of the answer. An answer that breaks off or is something else, such as the sign-in page
 * of a network, counts as unreachable.
 */
export async function requestJson<Answer>(address: string, init: RequestInit): Promise<Answer> {
  const response = await request(address, init)
  if (response.status === 204) return undefined as Answer
  return withTimeout(init, response.json() as Promise<Answer>).catch(rethrow(init))
}

function describeStatus(status: number, headers: Headers): string {
  if (status !== 429) return `The server answered ${status}.`
  const seconds = Number(headers.get('retry-after'))
  return `Too many requests. ${seconds ? `Try again in ${seconds} s.` : 'Wait a moment, then try again.'}`
}

function describeIssue(issue: Issue): string {
  const location = issue.loc.slice(1).join(' › ')
  return location ? `${location}: ${issue.msg}.` : `${issue.msg}.`
}
