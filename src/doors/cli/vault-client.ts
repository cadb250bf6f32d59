import { CommandError, EXIT } from './exit-codes.ts'
import type { Profile } from './profile.ts'

type Json = Record<string, unknown>

export type Reply = { status: number; body: unknown; headers: Headers }

const TIMEOUT_MS = 30_000

const reason = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED')
    return 'nothing listens there'
  return cause instanceof Error ? cause.message : String(cause)
}

/** Sends one request. Every answer is returned; only an unreachable vault is an error. */
export async function ask(
  url: string,
  path: string,
  options: {
    method?: string
    body?: unknown
    text?: string
    headers?: Record<string, string>
    timeoutMs?: number
  } = {},
): Promise<Reply> {
  const sent = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  try {
    const answer = await fetch(url + path, {
      method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
      signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
    })
    const text = await answer.text()
    return { status: answer.status, body: text ? parsed(text) : undefined, headers: answer.headers }
  } catch (error) {
    throw new CommandError(`${url} cannot be reached: ${reason(error)}.`)
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
  return (reply.body as { data: T }).data
}
