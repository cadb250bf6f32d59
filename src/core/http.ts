import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { storable } from '../text/unicode.ts'
import { type Ctx, contextFor, type Services } from './context.ts'
import { AppError } from './errors.ts'
import { parseInput } from './invoke.ts'

const SESSION_COOKIE = 'kv_session'

/** Over HTTPS, its prefix stops other hosts of the domain from planting a session (session fixation). */
export const sessionCookieName = (baseUrl: string): string =>
  baseUrl.startsWith('https:') ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE

export const SESSION_PREFIX = 'kvs_'
export const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A header that foreign pages cannot send: CORS does not allow it. */
const WEB_CLIENT = 'kvault-web'

export const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function bearer(request: FastifyRequest): string | undefined {
  const match = /^Bearer +(\S+)$/i.exec(headerOf(request, 'authorization') ?? '')
  return match?.[1]
}

/** Refuses a write by cookie without proof that our own page sent it (CSRF). */
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

/** Returns the origin that the browser used, which may differ from BASE_URL (localhost or 127.0.0.1). */
const ownOrigin = (request: FastifyRequest) => `${request.protocol}://${request.host}`

/** Ignores API keys and app tokens in the cookie: a program must not get a browser session's rights. */
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

export const hasSessionCookie = (request: FastifyRequest): boolean =>
  request.headers.cookie?.includes(`${SESSION_COOKIE}=`) === true

type Credential = { value: string; fromCookie: boolean }

export function credentialOf(request: FastifyRequest, baseUrl: string): Credential | undefined {
  const value = headerOf(request, 'x-api-key') ?? bearer(request)
  if (value) return { value, fromCookie: false }
  const cookie = sessionCookie(request, baseUrl)
  if (!cookie) return undefined
  refuseForgery(request, baseUrl)
  return { value: cookie, fromCookie: true }
}

export const contextOfRequest = (services: Services, request: FastifyRequest): Ctx =>
  contextFor(services, {
    viewer: request.viewer,
    requestId: request.id,
    ip: request.clientHost,
    ifMatch: request.headers['if-match'],
    meter: request.meter,
  })

type QueryType = 'string' | 'integer' | 'boolean' | 'array'

const INTEGER = /^-?\d{1,16}$/
const INTEGERS = new Set(['safeint', 'int32', 'uint32'])

function queryType(schema: z.core.$ZodType): QueryType {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'boolean':
    case 'array':
      return def.type
    case 'number':
      return 'format' in def && INTEGERS.has(String(def.format)) ? 'integer' : 'string'
    case 'literal':
      return typeof def.values[0] === 'boolean' ? 'boolean' : 'string'
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return queryType(def.innerType)
    case 'pipe':
      return queryType(def.in)
    case 'union':
      return def.options[0] ? queryType(def.options[0]) : 'string'
    default:
      return 'string'
  }
}

export const queryTypes = ({ shape }: z.ZodObject): Map<string, QueryType> =>
  new Map(Object.entries(shape).map(([name, field]) => [name, queryType(field)]))

export function readValue(text: string | string[], type: QueryType): unknown {
  if (type === 'array') return [text].flat().map(storable)
  const last = storable(typeof text === 'string' ? text : (text.at(-1) ?? ''))
  if (type === 'integer' && INTEGER.test(last) && Number.isSafeInteger(Number(last))) return Number(last)
  if (type === 'boolean' && /^(true|1)$/i.test(last)) return true
  if (type === 'boolean' && /^(false|0)$/i.test(last)) return false
  return last
}

export function parseQuery<S extends z.ZodObject>(schema: S, request: FastifyRequest): z.output<S> {
  const query = request.query as Record<string, string | string[]>
  const given = [...queryTypes(schema)].flatMap(([name, type]) => {
    const text = query[name]
    return text === undefined ? [] : [[name, readValue(text, type)] as const]
  })
  return parseInput(schema, Object.fromEntries(given))
}

/** An empty stream for HEAD: without a body, Fastify would set a length of 0. */
export const noBody = (): Readable => Readable.from([], { objectMode: false })
