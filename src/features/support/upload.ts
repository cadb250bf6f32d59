import { createHash } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { newId } from '../../db/ids.ts'
import { sanitise } from '../../redaction/redact.ts'
import { storable } from '../../text/unicode.ts'

/** Reads a multipart request as a stream: text into memory, files to disk, both up to their limits. */

export const MAX_ATTACHMENTS = 5
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024
const MAX_FIELD_BYTES = 100_000
const MAX_PARTS = 30
export const MAX_TOTAL_BYTES = MAX_ATTACHMENTS * MAX_ATTACHMENT_BYTES + 1024 * 1024

export type Attachment = {
  attachmentId: string
  fileName: string
  mediaType: string
  sizeBytes: number
  sha256: string
}
type Upload = { fields: Record<string, string>; attachments: Attachment[] }

/** File sizes are counted here; the parser's own limits apply to everything else. */
const PARSER_LIMITS = {
  fieldNameSize: 100,
  fieldSize: MAX_FIELD_BYTES,
  fields: 20,
  files: MAX_ATTACHMENTS,
  // Counted below: past the parser's own limit, a form that breaks off crashes the process.
  parts: Number.MAX_SAFE_INTEGER,
  headerPairs: 50,
  fileSize: Number.MAX_SAFE_INTEGER,
}

const tooLarge = (detail: string) => new AppError(413, 'payload_too_large', detail)

const TOO_MUCH = `At most ${MAX_ATTACHMENTS} attachments of 10 MiB each.`

type UploadTarget = {
  folder: string
  beforeFile: () => Promise<void>
  /** Returns true if `use` may have kept the files although it failed with this error. */
  mayBeKept: (error: unknown) => boolean
}

/** An error removes the folder unless the files may be kept; a refused sender is disconnected at once. */
export async function receiveUpload<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  target: UploadTarget,
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  if (!request.isMultipart()) {
    throw new AppError(415, 'unsupported_media_type', 'Send the ticket as multipart/form-data.')
  }
  try {
    if (Number(request.headers['content-length'] ?? 0) > MAX_TOTAL_BYTES) throw tooLarge(TOO_MUCH)
    return await use(await readWithinTotal(request, target))
  } catch (error) {
    if (!target.mayBeKept(error)) await rm(target.folder, { recursive: true, force: true })
    if (!request.raw.complete) {
      request.raw.unpipe()
      reply.header('connection', 'close')
    }
    throw asRefusal(error)
  }
}

const boundaryOf = (request: FastifyRequest): string =>
  `--${/boundary="?([^";]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? ''}`

async function readWithinTotal(request: FastifyRequest, target: UploadTarget): Promise<Upload> {
  const stop = new AbortController()
  const overflow = Promise.withResolvers<never>()
  let total = 0
  let parts = 0
  const boundary = boundaryOf(request)
  const refuse = (detail: string) => {
    // Stops at once: otherwise the parser would continue until the refusal arrives.
    request.raw.unpipe()
    overflow.reject(tooLarge(detail))
  }
  const count = (chunk: Buffer) => {
    total += chunk.length
    if (total > MAX_TOTAL_BYTES) refuse(TOO_MUCH)
    for (let at = chunk.indexOf(boundary); at !== -1; at = chunk.indexOf(boundary, at + 1)) parts++
    // The last line of a form contains the boundary too.
    if (parts > MAX_PARTS + 1) refuse('The form has too many parts.')
  }
  request.raw.on('data', count)
  const reading = readParts(request, target, stop.signal)
  try {
    return await Promise.race([reading, overflow.promise])
  } catch (error) {
    stop.abort()
    reading.catch(() => {})
    throw error
  } finally {
    request.raw.off('data', count)
  }
}

async function readParts(request: FastifyRequest, target: UploadTarget, stop: AbortSignal): Promise<Upload> {
  const upload: Upload = { fields: Object.create(null), attachments: [] }
  for await (const part of request.parts({ limits: PARSER_LIMITS })) {
    stop.throwIfAborted()
    if (part.type === 'field') {
      upload.fields[part.fieldname] = storable(String(part.value))
      continue
    }
    await target.beforeFile()
    const stored = await storeFile(part, target.folder)
    if (stored) upload.attachments.push(stored)
  }
  return upload
}

/** Stores a file. Returns null for the empty part that a browser sends without a chosen file. */
async function storeFile(part: MultipartFile, folder: string): Promise<Attachment | null> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const attachmentId = newId()
  const path = join(folder, attachmentId)
  const file = await open(path, 'wx', 0o600)
  const digest = createHash('sha256')
  let sizeBytes = 0
  try {
    for await (const chunk of part.file as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length
      if (sizeBytes > MAX_ATTACHMENT_BYTES) throw tooLarge('An attachment is larger than 10 MiB.')
      digest.update(chunk)
      await file.writeFile(chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  if (sizeBytes === 0 && !part.filename) {
    await rm(path)
    return null
  }
  return {
    attachmentId,
    fileName: shownName(part.filename),
    mediaType: mediaType(part.mimetype),
    sizeBytes,
    sha256: digest.digest('base64url'),
  }
}

/** Returns a name for display: its last path part, without characters that could break a line or a header. */
function shownName(name: string | undefined): string {
  const last =
    storable(name ?? '')
      .split(/[\\/]/)
      .at(-1) ?? ''
  const printable = last.replace(/[\p{C}"]/gu, '').trim()
  // Secrets are removed before the cut, because half a secret is not recognised.
  return sanitise(printable).text.slice(0, 200).toWellFormed() || 'file'
}

function mediaType(given: string): string {
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(given) ? given.toLowerCase() : 'application/octet-stream'
}

const PARSER_ERRORS = new Map([
  ['FST_FILES_LIMIT', () => tooLarge(TOO_MUCH)],
  ['FST_FIELDS_LIMIT', () => tooLarge('The form has too many fields.')],
])

function asRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const code = 'code' in error ? String(error.code) : ''
  const known = PARSER_ERRORS.get(code)
  if (known) return known()
  // The parser's errors can only be told apart by their text.
  const isMalformed = /multipart|boundary|Part terminated|prototype|premature/i.test(
    `${code} ${error.message}`,
  )
  return isMalformed ? new AppError(400, 'bad_request', 'The form could not be read to its end.') : error
}
