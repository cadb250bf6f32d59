/** Asks an endpoint of the OpenAI form for vectors of texts. Redirects are refused, so that texts and key reach no other host. */

export type EmbeddingsConfig = Readonly<{ url: string; apiKey: string | null; model: string; waitMs: number }>

type EmbeddingsRequest = Readonly<{ timeoutMs: number; signal?: AbortSignal }>

export const MAX_DIMENSIONS = 4096
const MIN_DIMENSIONS = 2
/** Room for the numbers of one text, written out. */
const MAX_BYTES_OF_TEXT = 32 * MAX_DIMENSIONS
/** Statuses that speak about the texts, so that fewer or other texts may pass. */
const ABOUT_TEXTS = new Set([400, 413, 422])

/** The only error that callers see: why there are no vectors. */
export class EmbeddingsError extends Error {
  readonly reason: 'refused' | 'unreachable' | 'timeout' | 'malformed'

  constructor(reason: EmbeddingsError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddingsError'
    this.reason = reason
  }
}

/** Returns one vector for each text, all of one length. */
export async function embed(
  config: EmbeddingsConfig,
  texts: readonly string[],
  { timeoutMs, signal }: EmbeddingsRequest,
): Promise<number[][]> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await post(config, texts, signal ? AbortSignal.any([signal, timeout]) : timeout)
    return vectorsIn(await readJson(response, texts.length), texts.length)
  } catch (error) {
    if (error instanceof EmbeddingsError) throw error
    if (signal?.aborted) throw signal.reason ?? error
    if (timeout.aborted)
      throw new EmbeddingsError('timeout', 'The embeddings endpoint took too long.', { cause: error })
    throw new EmbeddingsError('unreachable', 'The embeddings endpoint cannot be reached.', { cause: error })
  }
}

/** Takes the address with or without its last part. */
function endpoint(url: string): URL {
  const base = new URL(url.endsWith('/') ? url : `${url}/`)
  return /\/embeddings\/$/.test(base.pathname)
    ? new URL(base.href.replace(/\/(?=$|\?)/, ''))
    : new URL('embeddings', base)
}

async function post(
  { url, apiKey, model }: EmbeddingsConfig,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(endpoint(url), {
    method: 'POST',
    redirect: 'error',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    },
    body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
  })
  if (response.ok) return response
  await response.body?.cancel()
  const reason = ABOUT_TEXTS.has(response.status) ? 'refused' : 'unreachable'
  throw new EmbeddingsError(reason, `The embeddings endpoint answered ${response.status}.`)
}

const malformed = (what: string) =>
  new EmbeddingsError('malformed', `The embeddings endpoint answered ${what}.`)

async function readJson(response: Response, texts: number): Promise<unknown> {
  if (!response.body) throw malformed('without a body')
  const most = 64 * 1024 + texts * MAX_BYTES_OF_TEXT
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body) {
    size += part.byteLength
    if (size > most) throw malformed('with too much')
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    throw malformed('something other than JSON')
  }
}

type Item = { index?: unknown; embedding?: unknown }

function vectorsIn(body: unknown, count: number): number[][] {
  const data: unknown = (body as { data?: unknown } | null)?.data
  if (!Array.isArray(data) || data.length !== count) throw malformed(`without ${count} vectors`)
  const vectors: number[][] = []
  data.forEach((item: Item | null, at) => {
    const index = Number.isSafeInteger(item?.index) ? (item?.index as number) : at
    vectors[index] = vectorOf(item?.embedding)
  })
  const dimensions = vectors[0]?.length
  if (Object.keys(vectors).length !== count || vectors.some((vector) => vector?.length !== dimensions))
    throw malformed('vectors that do not belong together')
  return vectors
}

function vectorOf(value: unknown): number[] {
  if (!Array.isArray(value) || value.length < MIN_DIMENSIONS || value.length > MAX_DIMENSIONS)
    throw malformed(`something other than ${MIN_DIMENSIONS} to ${MAX_DIMENSIONS} numbers`)
  if (!value.every(Number.isFinite) || !value.some((number) => number !== 0))
    throw malformed('a vector without a direction')
  return value
}
