import { type Selectable, sql } from 'kysely'
import type { Licence } from '../../core/licences.ts'
import type { Db } from '../../db/db.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import { isCurrent, isListed } from '../cards/visibility.ts'

/** Nobody is signed in. Only scope public is used, which does not depend on the viewer. */
const NOBODY = ''

const publicCards = (db: Db) => db.selectFrom('cards').where(isListed(NOBODY, 'public'))

/** A page reads no more of a text than it shows. */
export const SHOWN_CHARACTERS = 20_000

const begin = (column: 'symptom' | 'fix_summary' | 'root_cause' | 'body' | 'scope_notes', most: number) =>
  sql<string | null>`substr(${sql.ref(`cards.${column}`)}, 1, ${most})`

export type PublicCard = Pick<
  Selectable<CardsTable>,
  'card_id' | 'card_type' | 'title' | 'tags' | 'environment' | 'steps' | 'created_at' | 'updated_at'
> & {
  version: number
  owner_name: string
  published_at: string | null
  content_hash: string | null
  licence: Licence | null
  version_published_at: string | null
  origin: string | null
  symptom: string | null
  fix_summary: string | null
  root_cause: string | null
  body: string | null
  scope_notes: string | null
  is_current: number
}

export function findPublicCard(db: Db, cardId: string): Promise<PublicCard | undefined> {
  return publicCards(db)
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .select([
      'cards.card_id',
      'cards.card_type',
      'cards.version',
      'cards.title',
      'cards.tags',
      'cards.environment',
      'cards.steps',
      'cards.created_at',
      'cards.updated_at',
      'cards.published_at',
      'cards.content_hash',
      'cards.licence',
      'cards.version_published_at',
      'cards.origin',
      'users.display_name as owner_name',
    ])
    .select((eb) => [
      begin('symptom', SHOWN_CHARACTERS).as('symptom'),
      begin('fix_summary', SHOWN_CHARACTERS).as('fix_summary'),
      begin('root_cause', SHOWN_CHARACTERS).as('root_cause'),
      begin('body', SHOWN_CHARACTERS).as('body'),
      begin('scope_notes', SHOWN_CHARACTERS).as('scope_notes'),
      eb.case().when(isCurrent()).then(1).else(0).end().as('is_current'),
    ])
    .where('cards.card_id', '=', cardId)
    .executeTakeFirst()
}

export type ListedPublicCard = { card_id: string; title: string; symptom: string; tags: string }

/** Newest first; one more than a page shows whether there is a next one. */
export function listPublicCards(
  db: Db,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedPublicCard[]> {
  return publicCards(db)
    .where(isCurrent())
    .select(['cards.card_id', 'cards.title', 'cards.tags'])
    .select(sql<string>`substr(cards.symptom, 1, 400)`.as('symptom'))
    .orderBy('cards.created_at', 'desc')
    .orderBy('cards.card_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

export type SiteMapRow = { card_id: string; updated_at: string }

/** Oldest first, so that a card stays in its map when others are added. */
export function siteMapRows(db: Db, page: { limit: number; offset: number }): Promise<SiteMapRow[]> {
  return publicCards(db)
    .where(isCurrent())
    .select(['cards.card_id', 'cards.updated_at'])
    .orderBy('cards.created_at')
    .orderBy('cards.card_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

export async function countPublicCards(db: Db): Promise<number> {
  const { total } = await publicCards(db)
    .where(isCurrent())
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}
