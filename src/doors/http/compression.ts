import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasSessionCookie } from '../../core/http.ts'

/**
 * Against BREACH: answers with credentials are never compressed, and a browser gets compressed answers only
 * for requests of our own pages.
 */

/** Shorter answers gain nothing: the extra headers cost as many bytes as compression saves. */
export const MIN_COMPRESSED = 1024
/** Longer answers are compressed in another thread. */
const MAX_INLINE = 64 * 1024

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const GZIP = { level: 1 }
/** For answers that are compressed once and sent often. */
const BROTLI_ONCE = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

type Encoding = 'br' | 'gzip'

/** Capabilities whose answers hold a credential, or a link or code that works like a credential. */
export const SECRET_ANSWERS: ReadonlySet<string> = new Set([
  'account.register',
  'account.login',
  'account.google',
  'account.change_email',
  'keys.create',
  'keys.create_for_agent',
  'invites.send',
  'invites.resend',
  'billing.checkout',
  'billing.credits_checkout',
  'billing.portal',
  'billing.invite_create',
  'billing.invite_list',
  'billing.invite_withdraw',
  'support.chat',
])

/** A request with our cookie that does not say where it comes from is not trusted. */
function isFromElsewhere(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site']
  if (site === undefined) return hasSessionCookie(request)
  return site !== 'same-origin' && site !== 'none'
}

const refuses = (part: string) => /;\s*q=0(?:\.0*)?\s*$/.test(part)

export function encodingFor(request: FastifyRequest): Encoding | undefined {
  const asked = request.headers['accept-encoding']
  if (typeof asked !== 'string' || isFromElsewhere(request)) return undefined
  let hasGzip = false
  for (const part of asked.split(',', 20)) {
    const name = part.split(';', 1)[0]?.trim()
    if (refuses(part)) continue
    if (name === 'br') return 'br'
    hasGzip ||= name === 'gzip'
  }
  return hasGzip ? 'gzip' : undefined
}

export function compressText(
  text: string,
  encoding: Encoding,
  done: (body: Buffer | undefined) => void,
): void {
  const bytes = Buffer.from(text)
  const handOver = (error: Error | null, body: Buffer) => done(error ? undefined : body)
  if (bytes.length <= MAX_INLINE)
    done(encoding === 'br' ? brotliCompressSync(bytes, BROTLI) : gzipSync(bytes, GZIP))
  else if (encoding === 'br') brotliCompress(bytes, BROTLI, handOver)
  else gzip(bytes, GZIP, handOver)
}

/** Makes an ETag weak: a strong ETag names exact bytes, and a compressed answer has other bytes. */
export const weakTag = (tag: string): string => (tag.startsWith('W/') ? tag : `W/${tag}`)

/** Cache of fixed buffers, such as the API description, compressed once for each encoding. */
const once = new WeakMap<Buffer, Partial<Record<Encoding, Promise<Buffer>>>>()

function compressedOnce(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  const known = once.get(bytes) ?? {}
  once.set(bytes, known)
  known[encoding] ??=
    encoding === 'br' ? promisify(brotliCompress)(bytes, BROTLI_ONCE) : promisify(gzip)(bytes)
  return known[encoding]
}

/** Compresses a stream. Closes the source when the caller leaves; otherwise a file would stay open. */
function compressStream(source: Readable, encoding: Encoding): Readable {
  const compressor = encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP)
  return pipeline(source, compressor, () => {})
}

async function compressPayload(payload: unknown, encoding: Encoding): Promise<unknown> {
  if (Buffer.isBuffer(payload)) return compressedOnce(payload, encoding)
  if (typeof payload === 'string')
    return new Promise<Buffer | undefined>((resolve) => compressText(payload, encoding, resolve))
  if (payload instanceof Readable) return compressStream(payload, encoding)
  return undefined
}

const isShort = (payload: unknown) =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length < MIN_COMPRESSED

function markCompressed(reply: FastifyReply, encoding: Encoding): void {
  reply.removeHeader('content-length')
  reply.header('content-encoding', encoding)
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string') reply.header('etag', weakTag(tag))
}

async function compressPage(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  if (isShort(payload) || reply.hasHeader('content-encoding')) return payload
  if (reply.statusCode !== 200 || request.method === 'HEAD') return payload
  reply.header('vary', 'accept-encoding')
  const encoding = encodingFor(request)
  const compressed = encoding && (await compressPayload(payload, encoding))
  if (!encoding || !compressed) return payload
  markCompressed(reply, encoding)
  return compressed
}

/** Answers of other routes pass without a promise, so that they go out within `reply.send`. */
export function compressPages(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.routeOptions.config.compress)
      compressPage(request, reply, payload).then((body) => done(null, body), done)
    else done(null, payload)
  })
}
