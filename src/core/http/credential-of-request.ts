import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

const SESSION_COOKIE = 'kv_session'

/**
 * Over HTTPS the prefix makes browsers take the cookie from this host alone. Without it, whoever has another name of the
 * same domain could plant a session there, and the person would write into the account of somebody else.
 */
export const sessionCookieName = (baseUrl: string): string =>
  baseUrl.startsWith('https:') ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE

/** Session tokens begin with it, and no other credential does. */
export const SESSION_PREFIX = 'kvs_'
export const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A header that no form and no foreign page can send without our consent (CORS gives none). */
const WEB_CLIENT = 'kvault-web'

export const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function bearer(request: FastifyRequest): string | undefined {
  const match = /^Bearer +(\S+)$/i.exec(headerOf(request, 'authorization') ?? '')
  return match?.[1]
}

/** Browsers send cookies on their own, so a write by cookie needs proof that our own page asked. */
function refuseForgery(request: FastifyRequest, baseUrl: string): void {
  if (SAFE_METHODS.has(request.method)) return
  const origin = headerOf(request, 'origin')
  const foreign = origin !== undefined && origin !== new URL(baseUrl).origin && origin !== ownOrigin(request)
  if (foreign)
    throw new AppError(
      403,
      'forbidden',
      'This page was opened at another address than that of the vault. Whoever runs it sets BASE_URL to the address that people use.',
    )
  if (headerOf(request, 'x-requested-with') !== WEB_CLIENT)
    throw new AppError(
      403,
      'forbidden',
      `Requests with the session cookie need X-Requested-With: ${WEB_CLIENT}.`,
    )
}

/** The server may be opened by another name than BASE_URL, such as localhost for 127.0.0.1. */
const ownOrigin = (request: FastifyRequest) => `${request.protocol}://${request.host}`

/**
 * The session token of a browser: the first cookie of that name, as in RFC 6265; it needs no decoding. A key or an app's
 * token in the cookie is nothing: what a page lets the person at the browser do, it must not let a program do.
 */
export function sessionCookie(request: FastifyRequest, baseUrl: string): string | undefined {
  const ours = sessionCookieName(baseUrl)
  for (const pair of request.headers.cookie?.split(';') ?? []) {
    const [name, value = ''] = pair.split('=', 2)
    if (name?.trim() !== ours) continue
    const token = value.trim()
    return token.startsWith(SESSION_PREFIX) ? token : undefined
  }
  return undefined
}

/** Whether a browser sent a cookie of ours, whatever it holds. */
export const hasSessionCookie = (request: FastifyRequest): boolean =>
  request.headers.cookie?.includes(`${SESSION_COOKIE}=`) === true

export type Credential = { value: string; fromCookie: boolean }

export function credentialOf(request: FastifyRequest, baseUrl: string): Credential | undefined {
  const value = headerOf(request, 'x-api-key') ?? bearer(request)
  if (value) return { value, fromCookie: false }
  const cookie = sessionCookie(request, baseUrl)
  if (!cookie) return undefined
  refuseForgery(request, baseUrl)
  return { value: cookie, fromCookie: true }
}
