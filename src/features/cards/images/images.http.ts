import { z } from 'zod'
import { sha256Hex } from '../../../core/content-hash.ts'
import { inTx, type UserCtx } from '../../../core/context.ts'
import { AppError, InvalidInput, notAuthenticated, notFound } from '../../../core/errors.ts'
import { hasFreeDisk } from '../../../core/free-disk.ts'
import { contextOfRequest } from '../../../core/http/context-of-request.ts'
import { credentialOf, headerOf } from '../../../core/http/credential-of-request.ts'
import { onceOnly } from '../../../core/http/idempotency.ts'
import { parseQuery } from '../../../core/http/query.ts'
import type { RawRoute } from '../../../core/http/raw-route.ts'
import { parseInput } from '../../../core/invoke.ts'
import { Id } from '../../../core/schemas.ts'
import { newId } from '../../../db/ids.ts'
import { editableAtAnyVersion } from '../access.ts'
import { requireRoomOnCard } from './attach.ts'
import { contentOfImage } from './content-of-image.ts'
import { BadImage, type ImageFault, MAX_IMAGE_BYTES, MEDIA_TYPES, type Picture } from './image-format.ts'
import { findReadableImage, imageBytesOf, insertImage } from './images.store.ts'
import { presentImage } from './images.ts'
import { readPicture } from './read-picture.ts'

const MIB = 1024 * 1024

/** A browser executes nothing in a picture, whatever it takes the file for. */
const IMAGE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"

const REASONS: Record<ImageFault, string> = {
  unknown: 'This is not a PNG, JPEG, WebP or GIF.',
  broken: 'The picture is damaged or cut short.',
  trailing: 'The file contains something else after the picture.',
  too_large: 'The picture has more than 50 million pixels, or a side of more than 20,000.',
  too_many_parts: 'The picture is cut into too many pieces. Save it again with another program.',
}

function pictureIn(body: unknown): Picture {
  try {
    return readPicture(Buffer.isBuffer(body) ? body : Buffer.alloc(0))
  } catch (error) {
    if (!(error instanceof BadImage)) throw error
    const msg = REASONS[error.fault]
    if (error.fault === 'unknown') throw new AppError(415, 'unsupported_media_type', msg)
    // The picture is not repeated in the answer.
    throw new InvalidInput([{ type: 'bad_image', path: [], msg, input: null }])
  }
}

const noRoom = (detail: string) => new AppError(507, 'insufficient_storage', detail)

async function requireRoom(ctx: UserCtx, bytes: number): Promise<void> {
  const { imagesMbPerPerson } = ctx.config
  if ((await imageBytesOf(ctx.db, ctx.viewer.userId)) + bytes > imagesMbPerPerson * MIB)
    throw noRoom(`Your pictures take up all of your ${imagesMbPerPerson} MiB. Delete some first.`)
}

/** Checked in the transaction that writes: other uploads of the same person may have used the space meanwhile. */
const store = (ctx: UserCtx, picture: Picture, sha256: string, cardId: string | null) =>
  inTx(ctx, async (ctx) => {
    await requireRoom(ctx, picture.bytes.length)
    const { mediaType: media_type, width, height, bytes } = picture
    const row = {
      image_id: newId(),
      card_id: cardId,
      uploaded_by: ctx.viewer.userId,
      media_type,
      width,
      height,
      size_bytes: bytes.length,
      sha256,
      created_at: ctx.now().toISOString(),
    }
    if (cardId !== null) await editableAtAnyVersion(ctx, cardId)
    await insertImage(ctx.db, row, bytes)
    if (cardId !== null) await requireRoomOnCard(ctx, cardId, 'card_id')
    return presentImage(row)
  })

const BYTES = { type: 'string', contentMediaType: 'application/octet-stream' }

export const uploadImage: RawRoute = {
  name: 'cards.upload_image',
  summary: 'Upload a picture for a card: PNG, JPEG, WebP or GIF up to 5 MiB, as the body',
  route: 'POST /api/v1/images',
  scopes: ['record', 'case:write'],
  bodyLimit: MAX_IMAGE_BYTES,
  uploadBytes: MAX_IMAGE_BYTES,
  openapi: {
    parameters: [
      {
        name: 'card_id',
        in: 'query',
        required: false,
        description:
          'The card that it belongs to. Without it, the picture belongs to the first card that names it.',
        schema: { type: 'string', format: 'uuid' },
      },
    ],
    requestBody: {
      required: true,
      content: Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema: BYTES }])),
    },
    responses: {
      201: {
        description: 'Kept, without metadata',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/CardImage' } } },
      },
    },
    errors: [404, 413, 415, 507],
    takesKey: true,
  },
  prepare: (app) => {
    // Whatever calls itself a picture is read; the content decides what the file is, and the refusal says what is taken.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      /^(image\/|application\/octet-stream)/,
      { parseAs: 'buffer', bodyLimit: MAX_IMAGE_BYTES },
      (_request, body, done) => done(null, body),
    )
  },
  handle: async (services, request, reply) => {
    const { viewer } = request
    if (!viewer) throw notAuthenticated()
    const ctx: UserCtx = { ...contextOfRequest(services, request), viewer }
    const { card_id = null } = parseQuery(z.object({ card_id: Id.optional() }), request)
    if (!(await hasFreeDisk(services.config)))
      throw noRoom('There is too little space on the disk for pictures now. Save the card without them.')
    const picture = pictureIn(request.body)
    const sha256 = sha256Hex(picture.bytes)
    reply.code(201)
    const key = headerOf(request, 'idempotency-key')
    if (key === undefined) return store(ctx, picture, sha256, card_id)
    const credential = credentialOf(request, services.config.baseUrl)?.value
    const once = await onceOnly(
      uploadImage,
      ctx,
      { key, credential, input: { card_id, sha256 } },
      async () => (inside) => store({ ...inside, viewer }, picture, sha256, card_id),
    )
    if (once.replayed) reply.header('Idempotency-Replayed', 'true')
    return once.output
  },
}

export const readImage: RawRoute = {
  name: 'cards.read_image',
  summary: 'A picture, for people who may read its card',
  route: 'GET /api/v1/images/{image_id}',
  scopes: ['search'],
  openapi: {
    responses: {
      200: {
        description: 'The picture',
        content: Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema: BYTES }])),
      },
      304: { description: 'Unchanged since the caller’s copy (If-None-Match)' },
    },
    errors: [404, 422],
  },
  handle: async (services, request, reply) => {
    if (!request.viewer) throw notAuthenticated()
    const { image_id } = parseInput(z.object({ image_id: Id }), request.params)
    const { db } = contextOfRequest(services, request)
    const image = await findReadableImage(db, request.viewer.userId, image_id)
    if (!image) throw notFound('Picture')
    const tag = `"${image.sha256}"`
    // Only the reader's own browser caches it, and it asks again each time: the right to read it may have ended.
    reply.headers({
      'cache-control': 'private, no-cache',
      etag: tag,
      'content-security-policy': IMAGE_POLICY,
      'x-content-type-options': 'nosniff',
    })
    if (request.headers['if-none-match'] === tag) return reply.code(304).send()
    return reply
      .header('content-type', image.media_type)
      .header('content-disposition', `inline; filename="${image.image_id}.${image.media_type.slice(6)}"`)
      .send(await contentOfImage(db, image_id))
  },
}
