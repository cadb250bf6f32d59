import type { FastifyRequest } from 'fastify'
import type { Capability, LimitClass } from '../../core/capability.ts'
import type { Services, Viewer } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { authorise } from '../../core/invoke.ts'
import { viewerOf } from '../../features/accounts/credentials.ts'
import type { FlatHeaders } from './answers.ts'
import { applyRateLimit, countWrongCredential, holdGuessingHost } from './rate-limit.ts'

export const SESSION_COOKIE = 'kv_session'
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A header that no form and no foreign page can send without our consent (CORS gives none). */
const WEB_CLIENT = 'kvault-web'

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function bearer(request: FastifyRequest): string | undefined {
  const match = /^Bearer +(\S+)$/i.exec(header(request, 'authorization') ?? '')
  return match?.[1]
}

/** A cookie travels by itself, so what it may change needs proof that our own page asked. */
function refuseForgery(request: FastifyRequest, baseUrl: string): void {
  if (SAFE_METHODS.has(request.method)) return
  const origin = header(request, 'origin')
  const foreign = origin !== undefined && origin !== new URL(baseUrl).origin && origin !== ownOrigin(request)
  if (foreign || header(request, 'x-requested-with') !== WEB_CLIENT)
    throw new AppError(
      403,
      'forbidden',
      `Requests with the session cookie need X-Requested-With: ${WEB_CLIENT}.`,
    )
}

/** The server may be opened by another name than BASE_URL, such as localhost for 127.0.0.1. */
const ownOrigin = (request: FastifyRequest) => `${request.protocol}://${request.host}`

/** The first cookie of that name, as RFC 6265 has it; the token itself needs no decoding. */
export function sessionCookie(request: FastifyRequest): string | undefined {
  for (const pair of request.headers.cookie?.split(';') ?? []) {
    const [name, value = ''] = pair.split('=', 2)
    if (name?.trim() === SESSION_COOKIE) return value.trim() || undefined
  }
  return undefined
}

export type Credential = { value: string; fromCookie: boolean }

export function credentialOf(request: FastifyRequest, baseUrl: string): Credential | undefined {
  const value = header(request, 'x-api-key') ?? bearer(request)
  if (value) return { value, fromCookie: false }
  const cookie = sessionCookie(request)
  if (!cookie) return undefined
  refuseForgery(request, baseUrl)
  return { value: cookie, fromCookie: true }
}

/**
 * The viewer of a request, or null without a credential. A bad credential is an error, not a nobody. A promise only where
 * the database must be asked.
 */
export type Authenticate = (
  services: Services,
  request: FastifyRequest,
) => Viewer | null | Promise<Viewer | null>

export const authenticate: Authenticate = (services, request) => {
  const credential = credentialOf(request, services.config.baseUrl)
  if (!credential) return null
  const countWrong = (error: unknown): never => {
    if (error instanceof AppError && error.status === 401) countWrongCredential(services, request)
    throw error
  }
  try {
    holdGuessingHost(services, request, () =>
      Boolean(services.credentials.find(credential.value, services.now().getTime())),
    )
    const viewer = viewerOf(services, credential.value, request.url)
    return viewer instanceof Promise ? viewer.catch(countWrong) : viewer
  } catch (error) {
    return countWrong(error)
  }
}

/** While the database is down nobody can be known; what is read without being known, such as health, is answered all the same. */
const isNobody = (services: Services, request: FastifyRequest, error: unknown): boolean =>
  error instanceof AppError
    ? [401, 403, 429].includes(error.status)
    : SAFE_METHODS.has(request.method) && services.database.isUnavailable(error)

/** Public routes work for everybody; a stale cookie must not lock somebody out of the login route. */
export const authenticateIfPossible: Authenticate = (services, request) => {
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

/** Before the body is read: a caller without the right credential costs nothing and learns nothing. */
export const admission = (
  services: Services,
  asked: Pick<Capability, 'scopes'>,
  limitClass: LimitClass,
  identify: Authenticate = asked.scopes === 'public' ? authenticateIfPossible : authenticate,
) => {
  const letIn = (request: FastifyRequest, viewer: Viewer | null): void => {
    applyRateLimit(services, limitClass, viewer, request)
    authorise(asked, viewer)
    request.viewer = viewer
  }
  return function admit(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
    request.startedAt = performance.now()
    try {
      const viewer = identify(services, request)
      if (viewer instanceof Promise) {
        viewer.then((viewer) => letIn(request, viewer)).then(() => done(), done)
        return
      }
      letIn(request, viewer)
    } catch (error) {
      done(error as Error)
      return
    }
    done()
  }
}

const setCookie = ({ config }: Services, value: string, maxAge: number): FlatHeaders => [
  'set-cookie',
  `${SESSION_COOKIE}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly${config.baseUrl.startsWith('https:') ? '; Secure' : ''}; SameSite=Lax`,
]

/** A browser asks by `X-Session: cookie` to get its token where scripts cannot read it. */
export function moveTokenToCookie(
  services: Services,
  request: FastifyRequest,
  output: unknown,
): { output: unknown; headers: FlatHeaders } {
  if (header(request, 'x-session') !== 'cookie') return { output, headers: [] }
  const token = output as { access_token: string; expires_in: number }
  return {
    output: { ...token, access_token: '' },
    headers: setCookie(services, token.access_token, token.expires_in),
  }
}

export const dropCookie = (services: Services, request: FastifyRequest): FlatHeaders =>
  sessionCookie(request) ? setCookie(services, '', 0) : []
