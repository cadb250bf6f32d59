import type { Selectable } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import { mayDelete, mayUpdate, type ViewerId } from './visibility.ts'

export type CardRow = Selectable<CardsTable> & {
  owner_name: string
  owner_deleted_at: string | null
  may_update: number
  may_delete: number
}

/** Cards with what an answer shows besides: the owner's name, and what the viewer may do. */
export const selectCards = (db: Db, viewerId: ViewerId) =>
  db
    .selectFrom('cards')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .selectAll('cards')
    .select((eb) => [
      'users.display_name as owner_name',
      'users.deleted_at as owner_deleted_at',
      eb.case().when(mayUpdate(viewerId)).then(1).else(0).end().as('may_update'),
      eb.case().when(mayDelete(viewerId)).then(1).else(0).end().as('may_delete'),
    ])
