import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { CardLinksTable, CardMergesTable } from '../../db/tables/card-links.ts'
import { markSuccession } from '../cards/succession-mark.ts'
import { isCurrent, mayRead } from '../cards/visibility.ts'

/** Links with the name of the person who made them; the program itself has none. */
const namedLinks = (db: Db) =>
  db
    .selectFrom('card_links')
    .leftJoin('users', 'users.user_id', 'card_links.created_by')
    .selectAll('card_links')
    .select('users.display_name as created_by_name')

type NamedLink = CardLinksTable & { created_by_name: string | null }

/** The link as it is now: the same one may have been made before, by somebody else. */
export async function insertLink(db: Db, row: CardLinksTable): Promise<NamedLink> {
  await db
    .insertInto('card_links')
    .values(row)
    .onConflict((oc) => oc.columns(['from_card_id', 'to_card_id', 'kind']).doNothing())
    .execute()
  return namedLinks(db)
    .where('card_links.from_card_id', '=', row.from_card_id)
    .where('card_links.to_card_id', '=', row.to_card_id)
    .where('card_links.kind', '=', row.kind)
    .executeTakeFirstOrThrow()
}

/** How many links of a card are shown in each direction, and how many it may have of its own. */
export const MOST_LINKS = 100
const LINKS_AT_ONCE = 100
/** Anybody may link a private card to a public one. What its readers may not read must not make it slow to read. */
const MOST_LOOKED_AT = 10 * LINKS_AT_ONCE

/** How many links a card has of its own, and how many one person has made to a card. */
export async function countLinks(db: Db, { from_card_id, to_card_id, created_by }: CardLinksTable) {
  const links = db.selectFrom('card_links').select((eb) => eb.fn.countAll<number>().as('links'))
  const own = await links.where('from_card_id', '=', from_card_id).executeTakeFirstOrThrow()
  const made = await links
    .where('to_card_id', '=', to_card_id)
    .where('created_by', '=', created_by)
    .executeTakeFirstOrThrow()
  return { own: own.links, made: made.links }
}

type End = 'from_card_id' | 'to_card_id'

const linksAt = (db: Db, end: End, cardId: string, offset: number) =>
  namedLinks(db)
    .where(`card_links.${end}`, '=', cardId)
    .orderBy('card_links.created_at')
    .orderBy('card_links.link_id')
    .limit(LINKS_AT_ONCE)
    .offset(offset)
    .execute()

async function readableCards(db: Db, cardIds: readonly string[], viewerId: string) {
  const rows = await db
    .selectFrom('cards')
    .select(['card_id as other_id', 'title as other_title', 'workspace_id', 'owner_id'])
    .select(['status', 'review_status', 'hidden_at'])
    .where('card_id', 'in', cardIds)
    .where(mayRead(viewerId))
    .execute()
  return new Map(rows.map((row) => [row.other_id, row]))
}

/** Links and the cards at their other end are asked apart: they are in different shards of a cluster. */
async function linksFrom(db: Db, end: End, cardId: string, viewerId: string) {
  const other = end === 'from_card_id' ? 'to_card_id' : 'from_card_id'
  const found = []
  for (let offset = 0; found.length < MOST_LINKS && offset < MOST_LOOKED_AT; offset += LINKS_AT_ONCE) {
    const links = await linksAt(db, end, cardId, offset)
    if (links.length === 0) break
    const otherIds = links.map((link) => link[other])
    const cards = await readableCards(db, otherIds, viewerId)
    for (const link of links) {
      const card = cards.get(link[other])
      if (card) found.push({ ...link, ...card })
    }
    if (links.length < LINKS_AT_ONCE) break
  }
  return found.slice(0, MOST_LINKS)
}

/** In both directions, with the card at the other end, if the viewer may read it. */
export const linksOf = async (db: Db, cardId: string, viewerId: string) => [
  ...(await linksFrom(db, 'from_card_id', cardId, viewerId)),
  ...(await linksFrom(db, 'to_card_id', cardId, viewerId)),
]

/** Nothing once the card is gone for good. */
export async function workspaceOf(db: Db, cardId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cards')
    .select('workspace_id')
    .where('card_id', '=', cardId)
    .executeTakeFirst()
  return row?.workspace_id
}

export const findLink = (db: Db, linkId: string): Promise<CardLinksTable | undefined> =>
  db.selectFrom('card_links').selectAll().where('link_id', '=', linkId).executeTakeFirst()

export async function deleteLink(db: Db, linkId: string): Promise<void> {
  await db.deleteFrom('card_links').where('link_id', '=', linkId).execute()
}

/** The ids in the order in which the program links two cards that contradict each other: one link for a pair. */
const pairOf = (cardId: string, otherId: string): [from: string, to: string] =>
  cardId < otherId ? [cardId, otherId] : [otherId, cardId]

export async function noteContradiction(
  db: Db,
  cardId: string,
  otherId: string,
  created_at: string,
): Promise<void> {
  const [from_card_id, to_card_id] = pairOf(cardId, otherId)
  const byProgram = { kind: 'contradicts' as const, why: null, created_by: null }
  await insertLink(db, { link_id: newId(), from_card_id, to_card_id, ...byProgram, created_at })
}

/** Removes what the program has noted. A contradiction that a person has noted stays. */
export async function settleContradiction(db: Db, cardId: string, otherId: string): Promise<void> {
  const [from, to] = pairOf(cardId, otherId)
  await db
    .deleteFrom('card_links')
    .where('from_card_id', '=', from)
    .where('to_card_id', '=', to)
    .where('kind', '=', 'contradicts')
    .where('created_by', 'is', null)
    .execute()
}

/** Those of the others that somebody has linked with the card as related, in either direction. */
export async function relatedAmong(db: Db, cardId: string, others: readonly string[]): Promise<Set<string>> {
  const related = db
    .selectFrom('card_links')
    .select(['from_card_id', 'to_card_id'])
    .where('kind', '=', 'related')
  const rows = [
    ...(await related.where('from_card_id', '=', cardId).where('to_card_id', 'in', others).execute()),
    ...(await related.where('to_card_id', '=', cardId).where('from_card_id', 'in', others).execute()),
  ]
  return new Set(rows.flatMap((row) => [row.from_card_id, row.to_card_id]))
}

export async function deleteSuccession(db: Db, formerId: string, successorId: string): Promise<void> {
  await db
    .deleteFrom('card_links')
    .where('to_card_id', '=', formerId)
    .where('from_card_id', '=', successorId)
    .where('kind', '=', 'supersedes')
    .execute()
}

/** Whether the readers of the card cannot read the one that took its place. */
export async function isSuccessorGone(db: Db, cardId: string): Promise<boolean> {
  const row = await db
    .selectFrom('cards')
    .select('successor_gone')
    .where('card_id', '=', cardId)
    .executeTakeFirst()
  return row?.successor_gone === 1
}

/** How many steps a chain of superseded cards is followed. */
const MOST_STEPS = 20

export async function successorsOf(db: Db, cardId: string): Promise<string[]> {
  const found: string[] = []
  for (let at: string | null = cardId; at !== null && found.length < MOST_STEPS; ) {
    const row: { superseded_by: string | null } | undefined = await db
      .selectFrom('cards')
      .select('superseded_by')
      .where('card_id', '=', at)
      .executeTakeFirst()
    at = row?.superseded_by ?? null
    if (at !== null) found.push(at)
  }
  return found
}

/** Returns the owner of the card. */
export async function setSuccessor(db: Db, cardId: string, successorId: string | null): Promise<string> {
  const { owner_id } = await db
    .updateTable('cards')
    .set({ superseded_by: successorId })
    .where('card_id', '=', cardId)
    .returning('owner_id')
    .executeTakeFirstOrThrow()
  if (successorId !== null) await markSuccession(db, successorId)
  return owner_id
}

export async function countMergedInto(db: Db, cardId: string): Promise<number> {
  const { merged } = await db
    .selectFrom('card_merges')
    .select((eb) => eb.fn.countAll<number>().as('merged'))
    .where('into_card_id', '=', cardId)
    .executeTakeFirstOrThrow()
  return merged
}

export async function insertMerge(db: Db, row: CardMergesTable): Promise<void> {
  await db.insertInto('card_merges').values(row).execute()
}

export const findMerge = (db: Db, cardId: string): Promise<CardMergesTable | undefined> =>
  db.selectFrom('card_merges').selectAll().where('from_card_id', '=', cardId).executeTakeFirst()

/** The merge of this card as a link to the other one, with the name of the person who made it, if the viewer may read that one. */
export async function readableMerge(db: Db, cardId: string, viewerId: string) {
  const merge = await db
    .selectFrom('card_merges')
    .innerJoin('users', 'users.user_id', 'card_merges.merged_by')
    .select(['from_card_id', 'into_card_id as to_card_id', 'why', 'merged_by as created_by'])
    .select(['card_merges.created_at', 'users.display_name as created_by_name'])
    .where('from_card_id', '=', cardId)
    .executeTakeFirst()
  if (!merge) return []
  const readable = await readableCards(db, [merge.to_card_id], viewerId)
  return readable.has(merge.to_card_id) ? [merge] : []
}

export async function deleteMerge(db: Db, cardId: string): Promise<void> {
  await db.deleteFrom('card_merges').where('from_card_id', '=', cardId).execute()
}

/** The card that supersedes this one by a link, the newest if there are several. */
export async function successorByLink(db: Db, cardId: string): Promise<string | null> {
  const row = await db
    .selectFrom('card_links')
    .select('from_card_id')
    .where('to_card_id', '=', cardId)
    .where('kind', '=', 'supersedes')
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return row?.from_card_id ?? null
}

/** Which of these cards are published in the workspace and have a verdict. */
export async function judgedIn(db: Db, workspaceId: string, cardIds: readonly string[]) {
  if (cardIds.length === 0) return []
  return db
    .selectFrom('cards')
    .select(['card_id', 'title', 'symptom', 'fix_summary', 'trust'])
    .where('card_id', 'in', cardIds)
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'published')
    .where('deleted_at', 'is', null)
    .where('hidden_at', 'is', null)
    .where(isCurrent())
    .where('trust', 'is not', null)
    .execute()
}
