import { spawn } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import { VERSION } from '../../core/version.ts'
import type { Way } from './clients/entry.ts'
import { eventsOf } from './event-stream.ts'
import { isEventStream, isGood, jsonIn, reasonOf, request, textOf } from './http-request.ts'
import { lineSplitter } from './lines.ts'

/** The result of asking a server for its tools, as a client would by its entry. */
export type Probe =
  | { state: 'works'; tools: string[] }
  /** No key is in the entry: the client is sent to the browser when it first connects. */
  | { state: 'signs-in' }
  | { state: 'refused'; detail: string; status?: number | undefined }
  | { state: 'unreachable'; detail: string }

type Reply = {
  id?: unknown
  result?: { tools?: { name: string }[]; nextCursor?: string }
  error?: { message: string }
}

const TIMEOUT_MS = 20_000
const VERSION_HEADER = { 'mcp-protocol-version': '2025-11-25' }
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'kvault', version: VERSION },
  },
}
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' }
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }

/** People write entries too: a program that cannot even be named to the system is one that does not answer. */
export const probe = (way: Way, signal?: AbortSignal): Promise<Probe> =>
  way.kind === 'http'
    ? probeHttp(way, signal)
    : probeProgram(way, signal).catch((error) => ({ state: 'unreachable', detail: reasonOf(error) }))

const judged = (reply: Reply | undefined): Probe => {
  if (reply?.result?.tools) return { state: 'works', tools: reply.result.tools.map(({ name }) => name) }
  return { state: 'refused', detail: reply?.error?.message ?? 'It answered something other than its tools.' }
}

/** The answer to one request, from a body that is JSON or an event stream. */
async function replyTo(id: number, answer: IncomingMessage): Promise<Reply | undefined> {
  if (!isEventStream(answer)) return JSON.parse(await textOf(answer))
  for await (const data of eventsOf(answer)) {
    const reply: Reply = JSON.parse(data)
    if (reply.id === id) return reply
  }
  return undefined
}

async function refusalOf(answer: IncomingMessage, hasKey: boolean): Promise<Probe> {
  const text = await textOf(answer)
  const { statusCode: status, headers } = answer
  if (status === 401 && !hasKey && headers['www-authenticate']?.includes('resource_metadata'))
    return { state: 'signs-in' }
  try {
    const { detail, error } = JSON.parse(text)
    return { state: 'refused', status, detail: detail ?? error?.message ?? `It answered ${status}.` }
  } catch {
    return { state: 'refused', status, detail: `It answered ${status}.` }
  }
}

async function probeHttp(
  { url, headers }: Way & { kind: 'http' },
  signal: AbortSignal | undefined,
): Promise<Probe> {
  const hasKey = Object.keys(headers).some((name) => /^(authorization|x-api-key)$/i.test(name))
  const send = (message: object, more: Record<string, string> = {}) =>
    request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
        ...more,
      },
      body: JSON.stringify(message),
      timeoutMs: TIMEOUT_MS,
      signal,
    })
  try {
    const first = await send(INITIALIZE)
    if (!isGood(first)) return await refusalOf(first, hasKey)
    await replyTo(INITIALIZE.id, first)
    const session = first.headers['mcp-session-id']
    const more = { ...VERSION_HEADER, ...(typeof session === 'string' ? { 'mcp-session-id': session } : {}) }
    await textOf(await send(INITIALIZED, more))
    const listed = await send(LIST, more)
    return isGood(listed) ? judged(await replyTo(LIST.id, listed)) : await refusalOf(listed, hasKey)
  } catch (error) {
    return { state: 'unreachable', detail: reasonOf(error) }
  }
}

function probeProgram(
  { command, args, env }: Way & { kind: 'stdio' },
  signal: AbortSignal | undefined,
): Promise<Probe> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const end = (result: Probe) => {
      clearTimeout(timer)
      resolve(result)
      child.kill()
    }
    const timer = setTimeout(
      () => end({ state: 'unreachable', detail: `${command} does not answer within ${TIMEOUT_MS / 1000} s` }),
      TIMEOUT_MS,
    )
    signal?.addEventListener('abort', () => end({ state: 'unreachable', detail: 'stopped' }))
    child.once('error', (error) => end({ state: 'unreachable', detail: error.message }))
    child.once('exit', (code) => end({ state: 'unreachable', detail: `${command} ended with code ${code}` }))
    child.stdin.on('error', () => {})
    for (const message of [INITIALIZE, INITIALIZED, LIST]) child.stdin.write(`${JSON.stringify(message)}\n`)
    const split = lineSplitter()
    child.stdout.on('data', (chunk) => {
      for (const line of split(chunk)) {
        // Programs print other lines too, such as notices of their package manager.
        const reply = jsonIn(line) as Reply | null | undefined
        if (reply?.error || reply?.id === LIST.id) end(judged(reply))
      }
    })
  })
}
