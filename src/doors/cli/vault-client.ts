import type { IncomingHttpHeaders } from 'node:http'
import { CommandError, EXIT } from './exit-codes.ts'
import { reasonOf, request, textOf } from './http-request.ts'
import type { Profile } from './profile.ts'

type Json = Record<string, unknown>

export type Reply = { status: number; body: unknown; headers: IncomingHttpHeaders }

const TIMEOUT_MS = 30_000

type Options = {
  method?: string
  body?: unknown
  text?: string
  headers?: Record<string, string>
  timeoutMs?: number
}

/** Sends one request. Every answer is returned; only an address without a vault, or with one that is away, is an error. */
export async function ask(url: string, path: string, options: Options = {}): Promise<Reply> {
  const reply = await answerTo(url, path, options)
  if (isGood(reply) && typeof reply.body === 'string') throw notAVault(url)
  return reply
}

const isGood = ({ status }: Reply): boolean => status >= 200 && status < 300

/** Another program listens there, or a network that wants a sign-in first. */
export const notAVault = (url: string) => new CommandError(`${url} does not answer as a vault does.`)

async function answerTo(url: string, path: string, options: Options): Promise<Reply> {
  const sent = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  try {
    const answer = await request(url + path, {
      method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body: sent,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
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

/** The vault's own sentence; validation issues as `field: message`. */
export function errorText({ status, body }: Reply): string {
  const { detail, error_description } = (body ?? {}) as Json
  if (typeof error_description === 'string') return error_description
  if (typeof detail === 'string') return detail
  if (Array.isArray(detail))
    return detail.map((issue) => `${issue.loc.slice(1).join('.') || 'input'}: ${issue.msg}`).join('; ')
  return `The vault answered ${status}.`
}

export function failure(reply: Reply): CommandError {
  return new CommandError(errorText(reply), reply.status === 401 ? EXIT.notSignedIn : EXIT.failed)
}

/** Calls a tool of the vault and returns its data. */
export async function callTool<T = Json>(
  profile: Profile,
  name: string,
  input: Json,
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  const reply = await ask(profile.url, `/mcp/tools/${name}`, {
    body: input,
    headers: { 'x-api-key': profile.apiKey },
    timeoutMs,
  })
  if (reply.status !== 200) throw failure(reply)
  const { data } = (reply.body ?? {}) as { data?: T }
  if (data === undefined) throw notAVault(profile.url)
  return data
}
