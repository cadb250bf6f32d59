import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'

/** `require`, because `fetch` takes about 150 ms to load and an `import` of node:http loads it too. */
const require = createRequire(import.meta.url)

export const nodeHttp = (): typeof import('node:http') => require('node:http')
const nodeHttps = (): typeof import('node:https') => require('node:https')

type HttpRequest = {
  method?: string
  headers?: Record<string, string>
  json?: unknown
  /** Fields of the body that have no secrets any more. */
  redacted?: object
  /** Sent unchanged: a sign-in password, or text covered by a signature. */
  body?: string | undefined
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Receives the kinds of secrets that were replaced in `json`. */
  onRedacted?: (found: string[]) => void
}

/** Refuses redirects, because a key belongs to the named address; the timeout includes the answer. */
export async function request(
  url: string,
  { method = 'GET', headers = {}, json, redacted, body, timeoutMs, signal, onRedacted }: HttpRequest,
): Promise<IncomingMessage> {
  const began = performance.now()
  const text = json === undefined ? body : await redactedJson(json, redacted, onRedacted)
  const leftMs = timeoutMs - (performance.now() - began)
  const sent = text === undefined ? undefined : Buffer.from(text)
  const length: Record<string, number> = sent ? { 'content-length': sent.length } : {}
  return new Promise((resolve, reject) => {
    const { request: open } = /^https:/i.test(url) ? nodeHttps() : nodeHttp()
    const asked = open(
      url,
      { method, headers: { ...headers, ...length }, ...(signal ? { signal } : {}) },
      (answer) => {
        pending = answer
        if (!isRedirect(answer)) return resolve(answer)
        reject(new Error(elsewhere(answer)))
        answer.destroy()
      },
    )
    let pending: { destroy: (error: Error) => unknown } = asked
    const limit = setTimeout(() => pending.destroy(new Error('no answer in time')), Math.max(1, leftMs))
    asked.on('error', reject)
    asked.once('close', () => clearTimeout(limit))
    asked.end(sent)
  })
}

async function redactedJson(
  json: unknown,
  redacted: object | undefined,
  onRedacted: HttpRequest['onRedacted'],
): Promise<string> {
  const { withoutSecrets } = await import('./outgoing.ts')
  const { value, found } = withoutSecrets(json)
  if (found.length > 0) onRedacted?.(found)
  return JSON.stringify(redacted ? { ...(value as object), ...redacted } : value)
}

const isRedirect = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 300 && statusCode < 400

const elsewhere = ({ headers }: IncomingMessage): string =>
  `it leads elsewhere (${headers.location ?? 'it does not say where'}); use that address if you trust it`

/** Parses an answer as JSON; undefined for anything else, such as a proxy's page. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Limit in bytes, above any answer of a vault. */
const MAX_BYTES = 256 * 1024 * 1024

export async function textOf(answer: IncomingMessage, mostBytes = MAX_BYTES): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer) {
    size += chunk.length
    if (size > mostBytes) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export const isGood = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300

export const isEventStream = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false

/** Returns the reason in words, to end a sentence: "…: nothing listens there". */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  if ('code' in cause && cause.code === 'ECONNREFUSED') return 'nothing listens there'
  // Several addresses were tried; their combined error has no message of its own.
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message
  return cause.message
}

export async function* eventsOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = dataOf(block)
      if (data) yield data
    }
  }
  // The last event may end with the stream, without an empty line.
  const data = dataOf(rest)
  if (data) yield data
}

const dataOf = (block: string): string =>
  block
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? line.slice(5).trimStart() : []))
    .join('\n')

const LINE_END = new Uint8Array([0x0a])

/** Splits at "\n" only: JSON may contain U+2028 and U+2029, where `readline` splits too. */
export function lineSplitter(): (chunk: Uint8Array) => string[] {
  const decoder = new TextDecoder()
  let begun = ''
  return (chunk) => {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    const lines = [begun + first, ...others]
    begun = lines.pop() ?? ''
    return lines
  }
}

/** Yields the lines of a stream; the last one may lack a line end. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const split = lineSplitter()
  for await (const chunk of stream) yield* split(chunk)
  yield* split(LINE_END)
}

export type Posted = { status: number; body: unknown }

const MAX_ANSWER_BYTES = 1024 * 1024

type PostOptions = { apiKey: string; timeoutMs: number; idempotencyKey?: string; redacted?: object }

export async function postJson(url: string, body: object, options: PostOptions): Promise<Posted> {
  const answer = await request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': options.apiKey,
      ...(options.idempotencyKey ? { 'idempotency-key': options.idempotencyKey } : {}),
    },
    json: body,
    ...(options.redacted ? { redacted: options.redacted } : {}),
    timeoutMs: options.timeoutMs,
  })
  return { status: answer.statusCode ?? 0, body: jsonIn(await textOf(answer, MAX_ANSWER_BYTES)) }
}
