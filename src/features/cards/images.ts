import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { capability, type RawRoute } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { sha256Hex } from '../../core/crypto.ts'
import { hasFreeDisk } from '../../core/disk.ts'
import { AppError, InvalidInput, invalid, notAuthenticated, notFound } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { contextOfRequest, credentialOf, headerOf, parseQuery } from '../../core/http.ts'
import { onceOnly } from '../../core/idempotency.ts'
import { parseInput } from '../../core/invoke.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { CardImagesTable } from '../../db/knowledge-schema.ts'
import type { Schema } from '../../db/schema.ts'
import { type CardContent, MARKDOWN_FIELDS } from '../../shared/card-fields.ts'
import {
  BadImage,
  type ImageFault,
  MAX_IMAGE_BYTES,
  MEDIA_TYPES,
  type Picture,
} from '../../shared/image-format.ts'
import { DAY_MS } from '../../shared/time.ts'
import { ADDED_BY, CardId } from './card.ts'
import { readPicture } from './image-file.ts'
import { contributorFor, editableAtAnyVersion, readableCard } from './store.ts'
import { knownSince, mayRead, mayReadHistory } from './visibility.ts'

type ImageRow = CardImagesTable

/** Small rows, so that a backup or a page of rows does not hold many whole pictures in memory. */
const PART_BYTES = 48 * 1024
const PARTS_AT_ONCE = 20

async function insertImage(db: Db, row: ImageRow, bytes: Buffer): Promise<void> {
  await db.insertInto('card_images').values(row).execute()
  for (let part = 0; part * PART_BYTES < bytes.length; part += PARTS_AT_ONCE) {
    const rows = []
    for (let next = part; next < part + PARTS_AT_ONCE && next * PART_BYTES < bytes.length; next++) {
      const content = bytes.subarray(next * PART_BYTES, (next + 1) * PART_BYTES).toString('base64')
      rows.push({ image_id: row.image_id, part: next, content })
    }
    await db.insertInto('card_image_parts').values(rows).execute()
  }
}

type StoredPicture = Pick<ImageRow, 'image_id' | 'uploaded_by' | 'created_at'>

const TEXTS_WITH_IMAGES = sql.join(
  [...MARKDOWN_FIELDS, 'steps'].map((field) => sql`coalesce(${sql.ref(`cards.${field}`)}, '')`),
  sql` || ' ' || `,
)

const isNamed = ({ image_id }: StoredPicture) =>
  sql<SqlBool>`lower(${TEXTS_WITH_IMAGES}) like ${`%${image_id}%`}`

/** Versions from before the card came into the workspace do not count. */
function isInSeenVersion(viewerId: string, { image_id, created_at }: StoredPicture) {
  const { time, version } = knownSince(viewerId)
  return sql<SqlBool>`(${time} is null or ${created_at} >= ${time} or exists (
    select 1 from card_versions where card_versions.card_id = cards.card_id
    and card_versions.version >= ${version} and lower(card_versions.content) like ${`%${image_id}%`}))`
}

/** A picture is as visible as the text that names it: one removed before sharing stays private. */
function isSeen(viewerId: string, picture: StoredPicture): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'cards'>()
  return eb.or([
    eb('cards.owner_id', '=', viewerId),
    ...(picture.uploaded_by === viewerId ? [eb.lit(true)] : []),
    isNamed(picture),
    eb.and([mayReadHistory(viewerId), isInSeenVersion(viewerId, picture)]),
  ])
}

async function seenOnCard(
  db: Db,
  viewerId: string,
  cardId: string,
  images: readonly ImageRow[],
): Promise<ImageRow[]> {
  if (images.length === 0) return []
  const row = await db
    .selectFrom('cards')
    .select(
      images.map((image, index) =>
        sql<number>`case when ${isSeen(viewerId, image)} then 1 else 0 end`.as(`seen${index}`),
      ),
    )
    .where('card_id', '=', cardId)
    .where(mayRead(viewerId))
    .executeTakeFirst()
  return images.filter((_, index) => row?.[`seen${index}`] === 1)
}

/** Returns a picture that the viewer may see on its card, or the viewer's own picture that is on no card. */
async function findReadableImage(db: Db, viewerId: string, imageId: string): Promise<ImageRow | undefined> {
  const image = await db
    .selectFrom('card_images')
    .selectAll()
    .where('image_id', '=', imageId)
    .executeTakeFirst()
  if (!image) return undefined
  if (image.card_id === null) return image.uploaded_by === viewerId ? image : undefined
  const [seen] = await seenOnCard(db, viewerId, image.card_id, [image])
  return seen
}

async function imagesOfCard(db: Db, viewerId: string, cardId: string): Promise<ImageRow[]> {
  const images = await db
    .selectFrom('card_images')
    .selectAll()
    .where('card_id', '=', cardId)
    .orderBy('created_at')
    .orderBy('image_id')
    .execute()
  return seenOnCard(db, viewerId, cardId, images)
}

async function countImages(db: Db, cardId: string): Promise<number> {
  const { images } = await db
    .selectFrom('card_images')
    .select(({ fn }) => fn.countAll<number>().as('images'))
    .where('card_id', '=', cardId)
    .executeTakeFirstOrThrow()
  return images
}

async function imageBytesOf(db: Db, userId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('card_images')
    .select(({ fn }) => fn.sum<number | null>('size_bytes').as('bytes'))
    .where('uploaded_by', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/** Attaches pictures that the person has uploaded and that are on no card yet. Returns how many. */
async function attachImages(
  db: Db,
  uploadedBy: string,
  cardId: string,
  imageIds: readonly string[],
): Promise<number> {
  const result = await db
    .updateTable('card_images')
    .set({ card_id: cardId })
    .where('image_id', 'in', imageIds)
    .where('card_id', 'is', null)
    .where('uploaded_by', '=', uploadedBy)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

async function removeImages(db: Db, imageIds: readonly string[]): Promise<void> {
  if (imageIds.length === 0) return
  await db.deleteFrom('card_image_parts').where('image_id', 'in', imageIds).execute()
  await db.deleteFrom('card_images').where('image_id', 'in', imageIds).execute()
}

async function looseImagesBefore(db: Db, before: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('card_images')
    .select('image_id')
    .where('card_id', 'is', null)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map((row) => row.image_id)
}

async function looseImagesOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('card_images')
    .select('image_id')
    .where('uploaded_by', '=', userId)
    .where('card_id', 'is', null)
    .execute()
  return rows.map((row) => row.image_id)
}

export const MAX_IMAGES_PER_CARD = 50
/** How long a picture is kept that no card names yet: drafts stay in a browser for days. */
const KEPT_LOOSE_MS = 30 * DAY_MS
const DROPPED_AT_ONCE = 100

const imageAddress = (imageId: string): string => `/api/v1/images/${imageId}`

const NAMED = /\/api\/v1\/images\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi

function imagesNamedIn(content: CardContent): string[] {
  const texts = [...MARKDOWN_FIELDS.map((field) => content[field]), toJson(content.steps)]
  const ids = texts.flatMap((text) =>
    Array.from(text?.matchAll(NAMED) ?? [], ([, id = '']) => id.toLowerCase()),
  )
  return [...new Set(ids)]
}

async function requireRoomOnCard(ctx: Ctx, cardId: string, field: string): Promise<void> {
  if ((await countImages(ctx.db, cardId)) > MAX_IMAGES_PER_CARD)
    throw invalid(field, `A card has at most ${MAX_IMAGES_PER_CARD} pictures`, 'too_long')
}

/** Must be part of every write of a card. */
export async function attachNamedImages(ctx: UserCtx, cardId: string, content: CardContent): Promise<void> {
  const named = imagesNamedIn(content)
  if (named.length === 0) return
  if (named.length > MAX_IMAGES_PER_CARD * 4)
    throw invalid('body', `A card has at most ${MAX_IMAGES_PER_CARD} pictures`, 'too_long')
  const added = await attachImages(ctx.db, ctx.viewer.userId, cardId, named)
  if (added > 0) await requireRoomOnCard(ctx, cardId, 'body')
}

export async function dropLooseImages(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEPT_LOOSE_MS).toISOString()
  for (let full = true; full; ) {
    const ids = await inTx(ctx, async (ctx) => {
      const ids = await looseImagesBefore(ctx.db, before, DROPPED_AT_ONCE)
      await removeImages(ctx.db, ids)
      return ids
    })
    full = ids.length === DROPPED_AT_ONCE
  }
}

/** Deletes the pictures of a leaving person that are on no card. Other pictures go or stay with their card. */
export async function forgetLooseImages(ctx: Ctx, userId: string): Promise<void> {
  await removeImages(ctx.db, await looseImagesOf(ctx.db, userId))
}

const CardImage = z
  .object({
    image_id: AnswerId,
    card_id: AnswerId.nullable().describe('Null until a card of the uploader names it.'),
    url: z.string().describe('What a card writes to show it: ![words](url).'),
    media_type: z.string(),
    width: z.int(),
    height: z.int(),
    size_bytes: z.int(),
    uploaded_by: AnswerId.describe(ADDED_BY),
    created_at: Time,
  })
  .meta({ id: 'CardImage' })

const presentImage = ({ sha256: _, ...row }: ImageRow) => ({ ...row, url: imageAddress(row.image_id) })

export const listCardImages = capability({
  name: 'cards.images',
  summary: 'The pictures of a card',
  description: `Oldest first, at most ${MAX_IMAGES_PER_CARD}. Readers of the card see the pictures that its text names; editors also those of the versions that they may read.`,
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/images', 'GET /api/v1/cases/{case_id}/images'],
  aliases: { case_id: 'card_id' },
  input: CardId,
  output: z.object({ items: z.array(CardImage), total: z.int() }).meta({ id: 'CardImages' }),
  errors: [404],
  run: async (ctx, { card_id }) => {
    const card = await readableCard(ctx, card_id)
    const items = (await imagesOfCard(ctx.db, ctx.viewer.userId, card.card_id)).map((row) => ({
      ...presentImage(row),
      uploaded_by: contributorFor(ctx, card, { by: row.uploaded_by, at: row.created_at }),
    }))
    return { items, total: items.length }
  },
})

export const deleteImage = capability({
  name: 'cards.delete_image',
  summary: 'Delete a picture for good',
  description:
    'For people who may edit its card, and for its uploader while it is on no card. Former versions of the card lose it too.',
  scopes: ['record', 'case:write'],
  rest: ['DELETE /api/v1/images/{image_id}'],
  status: 204,
  input: z.object({ image_id: Id }),
  output: z.void(),
  errors: [404],
  run: (ctx, { image_id }) =>
    inTx(ctx, async (ctx) => {
      const image = await findReadableImage(ctx.db, ctx.viewer.userId, image_id)
      if (!image) throw notFound('Picture')
      if (image.card_id !== null) {
        const card = await editableAtAnyVersion(ctx, image.card_id)
        const { card_id: cardId, workspace_id: workspaceId } = card
        await emit(ctx, 'card.image_deleted', { cardId, workspaceId, imageId: image_id })
      }
      await removeImages(ctx.db, [image_id])
    }),
})

export async function contentOfImage(db: Db, imageId: string): Promise<Buffer> {
  const parts = await db
    .selectFrom('card_image_parts')
    .select('content')
    .where('image_id', '=', imageId)
    .orderBy('part')
    .execute()
  return Buffer.concat(parts.map(({ content }) => Buffer.from(content, 'base64')))
}

const MIB = 1024 * 1024

/** Stops browsers from executing anything in a picture. */
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
    // The error leaves out the picture itself.
    throw new InvalidInput([{ type: 'bad_image', path: [], msg, input: null }])
  }
}

const noRoom = (detail: string) => new AppError(507, 'insufficient_storage', detail)

async function requireRoom(ctx: UserCtx, bytes: number): Promise<void> {
  const { imagesMbPerPerson } = ctx.config
  if ((await imageBytesOf(ctx.db, ctx.viewer.userId)) + bytes > imagesMbPerPerson * MIB)
    throw noRoom(`Your pictures take up all of your ${imagesMbPerPerson} MiB. Delete some first.`)
}

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
    // Accepts any stated type: only the content decides what the file is.
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
    // Only the reader's browser may cache, and must ask again: the permission may have ended.
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
