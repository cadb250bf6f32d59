import { sql } from 'kysely'
import type { Db } from '../db.ts'
import type { Migration } from './migrate.ts'

const BATCH = 500

/** Tags that were only made lower-case: one of another script may have more than one Unicode form. */
const tagsAfter = (db: Db, card: string, tag: string) =>
  db
    .selectFrom('card_tags')
    .select(['card_id', 'tag', 'tag_normal'])
    .where(sql<boolean>`length(tag_normal) <> octet_length(tag_normal)`)
    .where((eb) =>
      eb.or([eb('card_id', '>', card), eb.and([eb('card_id', '=', card), eb('tag_normal', '>', tag)])]),
    )
    .orderBy('card_id')
    .orderBy('tag_normal')
    .limit(BATCH)
    .execute()

async function normalise(db: Db): Promise<void> {
  for (let [card, tag] = ['', '']; ; ) {
    const rows = await tagsAfter(db, card, tag)
    for (const row of rows) {
      const tag_normal = row.tag.normalize('NFKC').trim().toLowerCase()
      if (tag_normal === row.tag_normal) continue
      await db
        .deleteFrom('card_tags')
        .where('card_id', '=', row.card_id)
        .where('tag_normal', '=', row.tag_normal)
        .execute()
      // Two spellings of one tag become one.
      await db
        .insertInto('card_tags')
        .values({ ...row, tag_normal })
        .onConflict((oc) => oc.doNothing())
        .execute()
    }
    const end = rows.at(-1)
    if (end === undefined || rows.length < BATCH) return
    card = end.card_id
    tag = end.tag_normal
  }
}

/** A tag is stored as search compares it, so that a list by tag finds the same cards. */
export const normalTags: Migration = {
  name: '0049-normal-tags',
  statements: () => [],
  data: normalise,
}
