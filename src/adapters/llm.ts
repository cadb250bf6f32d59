/** Yields the `data` of each Server-Sent Event, parsed as in the HTML standard: lines end in LF, CRLF or CR. */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const bytes of body) {
    onBytes()
    rest += decoder.decode(bytes, { stream: true })
    if (rest.length > MAX_LINE) throw new Error('A line of the event stream is too long.')
    const { lines, tail } = splitLines(rest)
    rest = tail
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n')
        data = []
      } else if (line.startsWith('data:')) {
        data.push(line.slice(line[5] === ' ' ? 6 : 5))
      }
    }
  }
}

const MAX_LINE = 256 * 1024

function splitLines(text: string): { lines: string[]; tail: string } {
  // A CR at the end may be the first half of a CRLF, so it waits for the next bytes.
  const held = text.endsWith('\r') ? 1 : 0
  const lines = text.slice(0, text.length - held).split(/\r\n|\n|\r/)
  const tail = (lines.pop() ?? '') + text.slice(text.length - held)
  return { lines, tail }
}

/** Redirects are refused, so that the prompt and the key cannot reach another host. */

export type LlmConfig = Readonly<{ baseUrl: string; apiKey: string | null; model: string }>

export type LlmMessage = Readonly<{ role: 'system' | 'user' | 'assistant'; content: string }>

type LlmRequest = Readonly<{
  messages: readonly LlmMessage[]
  maxTokens?: number
  temperature?: number
  signal?: AbortSignal
  /** Limit in ms for the wait for the first byte and for the pause between two pieces. */
  idleMs?: number
  /** Limit in ms for the whole answer. */
  totalMs?: number
}>

const DEFAULT_IDLE_MS = 15_000
const DEFAULT_TOTAL_MS = 60_000
const MAX_ANSWER_CHARS = 64_000
const MAX_BODY_BYTES = 1024 * 1024

/** The only error that callers see: why no complete answer came. */
export class LlmError extends Error {
  readonly reason: 'refused' | 'unreachable' | 'timeout' | 'interrupted' | 'malformed' | 'too_long'

  constructor(reason: LlmError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'LlmError'
    this.reason = reason
  }
}

export async function complete(config: LlmConfig, request: LlmRequest): Promise<string> {
  const deadline = startDeadline(request)
  try {
    const response = await post(config, request, deadline.signal, false)
    return answerOf(await readJson(response, deadline))
  } catch (error) {
    throw explain(error, deadline, request.signal)
  } finally {
    deadline.clear()
  }
}

export async function* stream(config: LlmConfig, request: LlmRequest): AsyncGenerator<string, void, void> {
  const deadline = startDeadline(request)
  try {
    const response = await post(config, request, deadline.signal, true)
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      yield answerOf(await readJson(response, deadline))
      return
    }
    yield* readDeltas(response, deadline)
  } catch (error) {
    throw explain(error, deadline, request.signal)
  } finally {
    deadline.clear()
    deadline.abort()
  }
}

async function* readDeltas(response: Response, deadline: Deadline): AsyncGenerator<string, void, void> {
  if (!response.body) throw new LlmError('malformed', 'The model answered without a body.')
  let finished = false
  let length = 0
  for await (const data of readEvents(response.body, deadline.touch)) {
    if (data === '[DONE]') return
    const chunk = parseJson(data) as ChatChunk
    if (chunk.error)
      throw new LlmError('interrupted', 'The model reported an error in the middle of its answer.')
    const choice = chunk.choices?.[0]
    if (choice?.finish_reason) finished = true
    const text = choice?.delta?.content
    if (typeof text !== 'string' || text === '') continue
    length += text.length
    if (length > MAX_ANSWER_CHARS) throw new LlmError('too_long', 'The model does not come to an end.')
    yield text
  }
  if (!finished) throw new LlmError('interrupted', 'The model broke off in the middle of its answer.')
}

type ChatChunk = {
  error?: unknown
  choices?: {
    delta?: { content?: string | null }
    message?: { content?: string | null }
    finish_reason?: string | null
  }[]
}

async function post(
  config: LlmConfig,
  request: LlmRequest,
  signal: AbortSignal,
  streamed: boolean,
): Promise<Response> {
  const response = await fetch(endpoint(config.baseUrl), {
    method: 'POST',
    redirect: 'error',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: streamed ? 'text/event-stream' : 'application/json',
      ...(config.apiKey ? { authorization: `Bearer ${config.apiKey}` } : {}),
    },
    body: JSON.stringify({
      model: config.model,
      messages: request.messages,
      max_tokens: request.maxTokens ?? 800,
      temperature: request.temperature ?? 0.2,
      stream: streamed,
    }),
  })
  if (response.ok) return response
  await response.body?.cancel()
  throw new LlmError('refused', `The model endpoint answered ${response.status}.`)
}

function endpoint(baseUrl: string): URL {
  const url = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new LlmError('refused', 'LLM_BASE_URL must be an http or https address.')
  }
  return new URL('chat/completions', url)
}

async function readJson(response: Response, deadline: Deadline): Promise<unknown> {
  if (!response.body) throw new LlmError('malformed', 'The model answered without a body.')
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body) {
    deadline.touch()
    size += part.byteLength
    if (size > MAX_BODY_BYTES) throw new LlmError('too_long', 'The model answered with more than 1 MiB.')
    parts.push(part)
  }
  return parseJson(Buffer.concat(parts).toString('utf8'))
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The error is thrown below.
  }
  throw new LlmError('malformed', 'The model answered with something other than JSON.')
}

function answerOf(body: unknown): string {
  const text = (body as ChatChunk).choices?.[0]?.message?.content
  if (typeof text !== 'string' || text.trim() === '')
    throw new LlmError('malformed', 'The model answered with nothing.')
  if (text.length > MAX_ANSWER_CHARS) throw new LlmError('too_long', 'The model answered with too much.')
  return text
}

type Deadline = {
  signal: AbortSignal
  expired: () => boolean
  touch: () => void
  clear: () => void
  abort: () => void
}

function startDeadline(request: LlmRequest): Deadline {
  const own = new AbortController()
  let expired = false
  const expire = () => {
    expired = true
    own.abort()
  }
  const total = setTimeout(expire, request.totalMs ?? DEFAULT_TOTAL_MS)
  const idle = setTimeout(expire, request.idleMs ?? DEFAULT_IDLE_MS)
  return {
    signal: request.signal ? AbortSignal.any([request.signal, own.signal]) : own.signal,
    expired: () => expired,
    touch: () => idle.refresh(),
    clear: () => {
      clearTimeout(total)
      clearTimeout(idle)
    },
    abort: () => own.abort(),
  }
}

/** Turns any error into an LlmError, except the caller's own abort. */
function explain(error: unknown, deadline: Deadline, callers?: AbortSignal): unknown {
  if (error instanceof LlmError) return error
  if (callers?.aborted) return callers.reason ?? error
  if (deadline.expired()) return new LlmError('timeout', 'The model took too long.', { cause: error })
  return new LlmError('unreachable', 'The model endpoint cannot be reached.', { cause: error })
}
