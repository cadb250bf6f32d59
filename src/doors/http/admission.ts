import type { FastifyRequest } from 'fastify'
import type { Capability, LimitClass, Method } from '../../core/capability.ts'
import type { Services, Viewer } from '../../core/context.ts'
import { AppError, notAuthenticated, unavailable } from '../../core/errors.ts'
import { credentialOf, headerOf, SAFE_METHODS, sessionCookie, sessionCookieName } from '../../core/http.ts'
import { authorise } from '../../core/invoke.ts'
import { viewerOf } from '../../features/identity/index.ts'
import type { FlatHeaders } from './answers.ts'
import { applyRateLimit, countWrongCredential, limitGuessingHost } from './rate-limit.ts'

export type Authenticate = (
  services: Services,
  request: FastifyRequest,
) => Viewer | null | Promise<Viewer | null>

const recognise: Authenticate = (services, request) => {
  const credential = credentialOf(request, services.config.baseUrl)
  if (!credential) return null
  const countWrong = (error: unknown): never => {
    if (error instanceof AppError && error.status === 401) countWrongCredential(services, request)
    throw error
  }
  try {
    limitGuessingHost(services, request, () =>
      Boolean(services.credentials.find(credential.value, services.now().getTime())),
    )
    const viewer = viewerOf(services, credential.value, request.url)
    return viewer instanceof Promise ? viewer.catch(countWrong) : viewer
  } catch (error) {
    return countWrong(error)
  }
}

/** Refuses a page that one person opened if another person has signed in since, in another tab. */
function refuseOther(request: FastifyRequest, viewer: Viewer | null): Viewer | null {
  const meant = request.headers['x-session-user']
  if (meant === undefined || viewer === null || meant === viewer.userId) return viewer
  throw notAuthenticated('Somebody else has signed in here meanwhile.', 'session_changed')
}

export const authenticate: Authenticate = (services, request) => {
  const viewer = recognise(services, request)
  return viewer instanceof Promise
    ? viewer.then((found) => refuseOther(request, found))
    : refuseOther(request, viewer)
}

const isNobody = (services: Services, request: FastifyRequest, error: unknown): boolean =>
  error instanceof AppError
    ? [401, 403, 429].includes(error.status)
    : SAFE_METHODS.has(request.method) && services.database.isUnavailable(error)

/** Ignores a bad credential on public routes: a stale cookie must not lock anybody out of the login route. */
const authenticateIfPossible: Authenticate = (services, request) => {
  const nobody = (error: unknown): null => {
    if (isNobody(services, request, error)) return null
    throw error
  }
  try {
    const viewer = authenticate(services, request)
    return viewer instanceof Promise ? viewer.catch(nobody) : viewer
  } catch (error) {
    return nobody(error)
  }
}

const authenticateAuthor: Authenticate = (services, request) => {
  if (request.headers['x-session-user'] === undefined) return authenticateIfPossible(services, request)
  const required = (viewer: Viewer | null): Viewer => {
    if (!viewer) throw notAuthenticated('Your session has ended. Sign in to go on.')
    return viewer
  }
  const viewer = authenticate(services, request)
  return viewer instanceof Promise ? viewer.then(required) : required(viewer)
}

type Access = Pick<Capability, 'scopes' | 'hasAuthor'>

/** Credentials may have ended while a slow body was sent, so they are checked again. */
const ASKED_AGAIN_AFTER_MS = 500

/** Checks the credential again once the body is read: a credential that ended meanwhile must not act. */
export async function recogniseAgain(
  services: Services,
  asked: Access,
  request: FastifyRequest,
  identify: Authenticate = identifierFor(asked),
): Promise<void> {
  const viewer = await identify(services, request)
  authorise(asked, viewer)
  request.viewer = viewer
}

export const mayHaveEnded = ({ viewer, startedAt }: FastifyRequest): boolean =>
  viewer !== null && performance.now() - startedAt > ASKED_AGAIN_AFTER_MS

function identifierFor({ scopes, hasAuthor }: Access): Authenticate {
  if (scopes !== 'public') return authenticate
  return hasAuthor ? authenticateAuthor : authenticateIfPossible
}

/** Runs before the body is read: a caller without the right credential costs and learns nothing. */
export const admission = (
  services: Services,
  asked: Access,
  limitClass: LimitClass,
  identify: Authenticate = identifierFor(asked),
) => {
  const enter = (request: FastifyRequest, viewer: Viewer | null): void => {
    authorise(asked, viewer)
    request.viewer = viewer
  }
  const letIn = (request: FastifyRequest, viewer: Viewer | null): void | Promise<void> => {
    const counted = applyRateLimit(services, limitClass, viewer, request)
    return counted ? counted.then(() => enter(request, viewer)) : enter(request, viewer)
  }
  return function admit(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
    request.startedAt = performance.now()
    try {
      const viewer = identify(services, request)
      if (viewer instanceof Promise) {
        viewer.then((viewer) => letIn(request, viewer)).then(() => done(), done)
        return
      }
      const entered = letIn(request, viewer)
      if (entered) {
        entered.then(() => done(), done)
        return
      }
    } catch (error) {
      done(error as Error)
      return
    }
    done()
  }
}

/** 400 days, the browsers' limit; never renewed, as a slow answer could overwrite a newer sign-in. */
const COOKIE_SECONDS = 400 * 86_400

const setCookie = ({ config }: Services, value: string, maxAge: number): FlatHeaders => [
  'set-cookie',
  `${sessionCookieName(config.baseUrl)}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly${config.baseUrl.startsWith('https:') ? '; Secure' : ''}; SameSite=Lax`,
]

const wantsCookie = (request: FastifyRequest): boolean => headerOf(request, 'x-session') === 'cookie'

export const replacedSession = (services: Services, request: FastifyRequest): string | undefined =>
  wantsCookie(request) ? sessionCookie(request, services.config.baseUrl) : undefined

/** Moves the token to a cookie, which scripts cannot read, if a browser asks by `X-Session: cookie`. */
export function moveTokenToCookie(
  services: Services,
  request: FastifyRequest,
  output: unknown,
): { output: unknown; headers: FlatHeaders } {
  if (!wantsCookie(request)) return { output, headers: [] }
  const token = output as { access_token: string }
  return {
    output: { ...token, access_token: '' },
    headers: setCookie(services, token.access_token, COOKIE_SECONDS),
  }
}

export const dropCookie = (services: Services, request: FastifyRequest): FlatHeaders =>
  sessionCookie(request, services.config.baseUrl) ? setCookie(services, '', 0) : []

const LONG_BODY_BYTES = 4096
const RETRY_AFTER_SECONDS = 60

export const storesText = (method: Method, limitClass: LimitClass): boolean =>
  method !== 'GET' && method !== 'DELETE' && (limitClass === 'write' || limitClass === 'support')

export const isLongBody = ({ bodyBytes }: FastifyRequest): boolean => bodyBytes > LONG_BODY_BYTES

/** Refuses a long write while the last space of the disk is reserved for small writes. */
export async function refuseWhileLow({ databaseSpace }: Services): Promise<void> {
  if (!(await databaseSpace.isLow())) return
  throw unavailable(
    'The disk of the server is nearly full: texts over 4 KB are not taken now. Reading, deleting and short texts go on.',
    RETRY_AFTER_SECONDS,
  )
}
