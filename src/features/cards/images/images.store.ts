import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../../db/db.ts'
import type { Schema } from '../../../db/schema.ts'
import type { CardImagesTable } from '../../../db/tables/card-images.ts'
import { mayRead, mayUpdate } from '../visibility.ts'

export type ImageRow = CardImagesTable

/** Each row stays small, so that a backup or a page of rows never holds a whole picture many times. */
const PART_BYTES = 48 * 1024
const PARTS_AT_ONCE = 20

export async function insertImage(db: Db, row: ImageRow, bytes: Buffer): Promise<void> {
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

type Picture = Pick<ImageRow, 'image_id' | 'uploaded_by' | 'created_at'>

const isNamed = ({
  image_id,
}: Picture) => sql<SqlBool>`lower(cards.symptom || ' ' || cards.fix_summary || ' ' || coalesce(cards.root_cause, '') || ' ' ||
  coalesce(cards.body, '') || ' ' || coalesce(cards.scope_notes, '') || ' ' || cards.steps)
  like ${`%${image_id}%`}`

/** In a version that editors of the card may read: none from before it came into their workspace. */
const isInSeenVersion = ({ image_id, created_at }: Picture) =>
  sql<SqlBool>`(cards.seen_since is null or ${created_at} >= cards.seen_since or exists (
    select 1 from card_versions where card_versions.card_id = cards.card_id
    and card_versions.version >= cards.seen_from_version and lower(card_versions.content) like ${`%${image_id}%`}))`

/** A picture is as visible as the text that names it: one that was taken out before the card was shared stays its owner's. */
function isSeen(viewerId: string, picture: Picture): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'cards'>()
  return eb.or([
    eb('cards.owner_id', '=', viewerId),
    ...(picture.uploaded_by === viewerId ? [eb.lit(true)] : []),
    isNamed(picture),
    eb.and([mayUpdate(viewerId), isInSeenVersion(picture)]),
  ])
}

/** Pictures lie apart from cards, so their card is asked, once for all of them. */
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

/** A picture that the viewer may see on its card, or one of the viewer's own that is on no card yet. */
export async function findReadableImage(
  db: Db,
  viewerId: string,
  imageId: string,
): Promise<ImageRow | undefined> {
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

export async function imagesOfCard(db: Db, viewerId: string, cardId: string): Promise<ImageRow[]> {
  const images = await db
    .selectFrom('card_images')
    .selectAll()
    .where('card_id', '=', cardId)
    .orderBy('created_at')
    .orderBy('image_id')
    .execute()
  return seenOnCard(db, viewerId, cardId, images)
}

export async function countImages(db: Db, cardId: string): Promise<number> {
  const { images } = await db
    .selectFrom('card_images')
    .select(({ fn }) => fn.countAll<number>().as('images'))
    .where('card_id', '=', cardId)
    .executeTakeFirstOrThrow()
  return images
}

export async function imageBytesOf(db: Db, userId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('card_images')
    .select(({ fn }) => fn.sum<number | null>('size_bytes').as('bytes'))
    .where('uploaded_by', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/** Puts pictures on a card: those that the person has uploaded and that are on no card yet. Returns how many. */
export async function attachImages(
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

export async function removeImages(db: Db, imageIds: readonly string[]): Promise<void> {
  if (imageIds.length === 0) return
  await db.deleteFrom('card_image_parts').where('image_id', 'in', imageIds).execute()
  await db.deleteFrom('card_images').where('image_id', 'in', imageIds).execute()
}

export async function looseImagesBefore(db: Db, before: string, limit: number): Promise<string[]> {
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

export async function looseImagesOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('card_images')
    .select('image_id')
    .where('uploaded_by', '=', userId)
    .where('card_id', 'is', null)
    .execute()
  return rows.map((row) => row.image_id)
}
