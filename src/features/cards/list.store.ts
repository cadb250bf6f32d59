import { sql } from 'kysely'
import { MAX_PAGE_BYTES } from '../../core/page-size.ts'
import { byBytes } from '../../db/byte-order.ts'
import type { Db } from '../../db/db.ts'
import { foldForFilter } from './content.ts'
import { homesOf } from './homes.ts'
import type { CardOrder } from './list-schemas.ts'
import { type CardRow, selectCards, selectShortCards, writtenBytes } from './select.ts'
import { normalName } from './tags.ts'
import { type CardScope, isBrowsed } from './visibility.ts'

/** The size of a card in a page that is shown by its beginning only. */
const SHORT_CARD_BYTES = 16 * 1024

export type ListFilter = {
  scope: CardScope
  workspaceId?: string | undefined
  status?: string | undefined
  track?: 'debug' | 'build' | undefined
  /** A text filter for the public library only. */
  q?: string | undefined
  contains?: string | undefined
  tag?: string | undefined
  withoutPersonal?: boolean | undefined
}

const contains = (word: string) => {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`cards.filter_text like ${pattern} escape '\\'`
}

/**
 * The distinct words of a filter, the longest first, since it rules out most texts. A word that is part of another adds
 * nothing and is dropped. Each word is looked for in every card, so their number is what a list costs.
 */
export function filterWords(q: string): string[] {
  const words = new Set(foldForFilter(q).split(/\s+/))
  words.delete('')
  const longestFirst = [...words].toSorted((a, b) => b.length - a.length)
  return longestFirst.filter((word, i) => !longestFirst.slice(0, i).some((longer) => longer.includes(word)))
}

export const listedCards = (db: Db, viewerId: string, filter: ListFilter) => {
  const { scope, workspaceId, status, track, tag } = filter
  let query = db
    .selectFrom('cards')
    .where(isBrowsed(viewerId, scope, workspaceId === undefined ? [] : [workspaceId]))
  if (status !== undefined)
    query = query.where((eb) => eb(eb.ref('cards.status').$castTo<string>(), '=', status))
  if (track !== undefined) query = query.where('cards.card_type', track === 'debug' ? '=' : '!=', 'debug_fix')
  if (filter.withoutPersonal)
    query = query.where('cards.workspace_id', 'not in', (eb) =>
      eb.selectFrom('users').select('users.personal_workspace_id').where('users.user_id', '=', viewerId),
    )
  if (tag !== undefined)
    query = query.where('cards.card_id', 'in', (eb) =>
      eb
        .selectFrom('card_tags')
        .select('card_tags.card_id')
        .where('card_tags.tag_normal', '=', normalName(tag)),
    )
  for (const word of filterWords(`${filter.q ?? ''} ${filter.contains ?? ''}`))
    query = query.where(contains(word))
  return query
}

/** Newest first unless another order is asked for. The id breaks ties, so that pages neither repeat nor lose a card. */
function inOrder(db: Db, query: ReturnType<typeof listedCards>, order: CardOrder): typeof query {
  if (order === 'title') return query.orderBy(byBytes(db, 'cards.filter_text')).orderBy('cards.card_id')
  if (order === 'useful')
    return query.orderBy('cards.feedback_useful', 'desc').orderBy('cards.card_id', 'desc')
  const time = order === 'changed' ? 'cards.updated_at' : 'cards.created_at'
  return query.orderBy(time, 'desc').orderBy('cards.card_id', 'desc')
}

type Sized = { card_id: string; bytes: number }

/** Which cards of a page are read whole: from the first on all that fit, with room for the beginnings of the rest. */
function chooseWhole(cards: readonly Sized[]): Set<string> {
  const whole = new Set<string>()
  const beginningOf = (bytes: number) => Math.min(bytes, SHORT_CARD_BYTES)
  let left = MAX_PAGE_BYTES
  for (const { bytes } of cards) left -= beginningOf(bytes)
  for (const { card_id, bytes } of cards) {
    const more = bytes - beginningOf(bytes)
    if (more > left) continue
    left -= more
    whole.add(card_id)
  }
  return whole
}

/** A row with the bytes that its author wrote, or null if only its beginning was read. */
export type ListedRow = { row: CardRow; wholeBytes: number | null }

export async function listCards(
  db: Db,
  viewerId: string,
  filter: ListFilter,
  { page, page_size, order = 'created' }: { page: number; page_size: number; order?: CardOrder | undefined },
): Promise<{ rows: ListedRow[]; total: number }> {
  const { total } = await listedCards(db, viewerId, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  // The page is chosen by id and size first, so that sorting does not read very long texts.
  const chosen = await inOrder(db, listedCards(db, viewerId, filter), order)
    .select(['cards.card_id', writtenBytes.as('bytes')])
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute()
  const whole = chooseWhole(chosen)
  const read = (select: typeof selectCards | typeof selectShortCards, isWhole: boolean) => {
    const ids = chosen.map((card) => card.card_id).filter((id) => whole.has(id) === isWhole)
    return ids.length === 0 ? [] : select(db, viewerId).where('cards.card_id', 'in', ids).execute()
  }
  const found = [...(await read(selectCards, true)), ...(await read(selectShortCards, false))]
  const byId = new Map(found.map((row) => [row.card_id, row]))
  const homes = await homesOf(db, viewerId, found)
  const rows = chosen.flatMap(({ card_id, bytes }) => {
    const row = byId.get(card_id)
    const homeFacts = homes.get(card_id)
    return row && homeFacts
      ? [{ row: { ...homeFacts, ...row }, wholeBytes: whole.has(card_id) ? bytes : null }]
      : []
  })
  return { rows, total }
}
