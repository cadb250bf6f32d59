import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Capability, LimitClass } from '../../core/capability.ts'
import type { Services, Viewer } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { authorise } from '../../core/invoke.ts'
import { viewerOf } from '../../features/accounts/credentials.ts'
import { applyRateLimit } from './rate-limit.ts'

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

export function sessionCookie(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers
  return cookie === undefined ? undefined : request.server.parseCookie(cookie)[SESSION_COOKIE]
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

/** The viewer of a request, or null without a credential. A bad credential is an error, not a nobody. */
type Authenticate = (services: Services, request: FastifyRequest) => Promise<Viewer | null>

export const authenticate: Authenticate = (services, request) => {
  const credential = credentialOf(request, services.config.baseUrl)
  return credential ? viewerOf(services, credential.value, request.url) : Promise.resolve(null)
}

/** Public routes work for everybody; a stale cookie must not lock somebody out of the login route. */
export const authenticateIfPossible: Authenticate = async (services, request) => {
  try {
    return await authenticate(services, request)
  } catch (error) {
    if (error instanceof AppError && (error.status === 401 || error.status === 403)) return null
    throw error
  }
}

/** Before the body is read: a caller without the right credential costs nothing and learns nothing. */
export const admission = (
  services: Services,
  asked: Pick<Capability, 'scopes'>,
  limitClass: LimitClass,
  identify: Authenticate = asked.scopes === 'public' ? authenticateIfPossible : authenticate,
) =>
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const viewer = await identify(services, request)
    applyRateLimit(services, limitClass, viewer, request, reply)
    authorise(asked, viewer)
    request.viewer = viewer
  }

const cookieOptions = (services: Services) => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: services.config.baseUrl.startsWith('https:'),
})

/** A browser asks by `X-Session: cookie` to get its token where scripts cannot read it. */
export function moveTokenToCookie(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  output: unknown,
) {
  if (header(request, 'x-session') !== 'cookie') return output
  const token = output as { access_token: string; expires_in: number }
  reply.setCookie(SESSION_COOKIE, token.access_token, {
    ...cookieOptions(services),
    maxAge: token.expires_in,
  })
  return { ...token, access_token: '' }
}

export function dropCookie(services: Services, request: FastifyRequest, reply: FastifyReply): void {
  if (sessionCookie(request)) reply.clearCookie(SESSION_COOKIE, cookieOptions(services))
}
