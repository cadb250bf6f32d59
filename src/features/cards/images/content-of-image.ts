import type { Db } from '../../../db/db.ts'

/** The bytes of one picture; at most 5 MiB. */
export async function contentOfImage(db: Db, imageId: string): Promise<Buffer> {
  const parts = await db
    .selectFrom('card_image_parts')
    .select('content')
    .where('image_id', '=', imageId)
    .orderBy('part')
    .execute()
  return Buffer.concat(parts.map(({ content }) => Buffer.from(content, 'base64')))
}
