import type { Db } from '../../db/db.ts'
import { isInTeamOf, isListed } from '../cards/visibility.ts'

/** Cards of the viewer and of their teams that cite something, in the order of their ids. */
export const citingCards = (db: Db, viewerId: string) =>
  db
    .selectFrom('cards')
    .where('cards.cites', 'is not', null)
    .where('cards.cites', '<>', '[]')
    .where(isInTeamOf(viewerId))
    .where((eb) => eb.or([isListed(viewerId, 'personal'), isListed(viewerId, 'workspace')]))

/** Cards that were written before the program read cites. */
export const cardsWithoutCites = (db: Db, limit: number) =>
  db
    .selectFrom('cards')
    .select(['card_id', 'environment', 'tags', 'fix_summary', 'root_cause', 'body', 'steps'])
    .where('cites', 'is', null)
    .limit(limit)
    .execute()

/** For what was read outside the transaction: cites that somebody has written meanwhile stay. */
export async function fillCites(db: Db, cardId: string, cites: string): Promise<void> {
  await db
    .updateTable('cards')
    .set({ cites })
    .where('card_id', '=', cardId)
    .where('cites', 'is', null)
    .execute()
}
