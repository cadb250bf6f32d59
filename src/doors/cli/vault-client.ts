import type { IncomingHttpHeaders } from 'node:http'
import { CommandError, EXIT, Refusal } from './exit-codes.ts'
import { reasonOf, request, textOf } from './http-request.ts'
import { KVAULT } from './local-files.ts'
import type { Profile } from './profile.ts'
import { warn } from './terminal.ts'

type Json = Record<string, unknown>

export type Reply = { status: number; body: unknown; headers: IncomingHttpHeaders }

const TIMEOUT_MS = 30_000

type Shape = null | string | number | readonly Shape[] | { readonly [name: string]: Shape }

type Options = {
  method?: string
  body?: unknown
  /** Sends the body unchanged: it signs the person in, or is covered by a signature. */
  isVerbatim?: boolean
  text?: string
  headers?: Record<string, string>
  timeoutMs?: number
  /** Fields that a valid answer must have; without it, any JSON is valid. */
  shape?: Shape
}

export async function ask(url: string, path: string, options: Options = {}): Promise<Reply> {
  const reply = await answerTo(url, path, options)
  if (!isGood(reply)) return reply
  const { shape } = options
  if (typeof reply.body === 'string' || (shape !== undefined && !hasShape(reply.body, shape)))
    throw notAVault(url)
  return reply
}

function hasShape(value: unknown, shape: Shape): boolean {
  if (shape === null) return value === undefined
  if (typeof shape !== 'object') return typeof value === typeof shape
  if (isList(shape)) {
    const [example] = shape
    return Array.isArray(value) && (example === undefined || value.every((item) => hasShape(item, example)))
  }
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(shape).every(([name, part]) => hasShape((value as Json)[name], part))
}

const isList = (shape: Shape): shape is readonly Shape[] => Array.isArray(shape)

const isGood = ({ status }: Reply): boolean => status >= 200 && status < 300

/** Returns the error for another program at the address, or a network that wants a sign-in first. */
export const notAVault = (url: string) =>
  new CommandError(
    `${url} does not answer as a vault does. Check the address, and whether your network wants a sign-in first.`,
  )

async function answerTo(url: string, path: string, options: Options): Promise<Reply> {
  const { body: json, isVerbatim, text: given } = options
  try {
    const answer = await request(url + path, {
      method: options.method ?? (json === undefined ? 'GET' : 'POST'),
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(json === undefined || isVerbatim ? { body: given ?? JSON.stringify(json) } : { json }),
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      onRedacted: (found) => warn(`Secrets were replaced before anything was sent: ${found.join(', ')}.`),
    })
    const text = await textOf(answer)
    const { statusCode: status = 0, headers } = answer
    return { status, body: text ? parsed(text) : undefined, headers }
  } catch (error) {
    throw new CommandError(`${url} cannot be reached: ${reasonOf(error)}.`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type Issue = { loc: unknown[]; msg: string }

/** Returns the vault's own message; input errors as `field: message`. */
export function errorText({ status, body }: Reply): string {
  const { detail, error_description } = (body ?? {}) as Json
  if (typeof error_description === 'string') return error_description
  if (typeof detail === 'string') return detail
  if (hasShape(detail, [{ loc: [], msg: '' }]))
    return (detail as Issue[])
      .map(({ loc, msg }) => `${loc.slice(1).join('.') || 'input'}: ${msg}`)
      .join('; ')
  return `The vault answered ${status}.`
}

export function failure(reply: Reply): Refusal {
  const given = (reply.body as Json | null | undefined)?.code
  const code = typeof given === 'string' ? given : undefined
  if (reply.status !== 401) return new Refusal(errorText(reply), EXIT.failed, code)
  // No advice after a wrong password: the person is already signing in.
  const advice = code === 'invalid_token' ? ` Give another key, or run: ${KVAULT} login` : ''
  return new Refusal(`${errorText(reply)}${advice}`, EXIT.notSignedIn, code)
}

export async function callTool<T = Json>(
  profile: Profile,
  name: string,
  input: Json,
  shape: Shape = {},
): Promise<T> {
  const reply = await ask(profile.url, `/mcp/tools/${name}`, {
    body: input,
    headers: { 'x-api-key': profile.apiKey },
    shape: { data: shape },
  })
  if (reply.status !== 200) throw failure(reply)
  return (reply.body as { data: T }).data
}

/** Returns the key's user id; undefined if the vault does not say. */
async function userIdOf({ url, apiKey }: Profile): Promise<string | undefined> {
  const reply = await ask(url, '/api/v1/auth/me', { headers: { 'x-api-key': apiKey } }).catch(() => undefined)
  const id = reply?.status === 200 ? (reply.body as { user_id?: unknown } | undefined)?.user_id : undefined
  return typeof id === 'string' ? id : undefined
}

/** Returns the profile with its user id; asks the vault for a new or given key. */
export async function withUserId(profile: Profile): Promise<Profile> {
  if (profile.userId) return profile
  const userId = await userIdOf(profile)
  return { ...profile, ...(userId ? { userId } : {}) }
}
