import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { type AppError, conflict, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'
import { newId, PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import type { CardLinksTable, CardMergesTable, LinkKind } from '../../db/knowledge-schema.ts'
import { cleanOptional, Findings } from '../../redaction/redact.ts'
import { overlap, shinglesOf } from '../../text/similar.ts'
import { audit } from '../audit/index.ts'
import {
  CardId,
  type CardRow,
  editableAtAnyVersion,
  editableCard,
  Home,
  isCurrent,
  isReadByAllOf,
  knownSince,
  lockWithRelated,
  markSuccession,
  mayRead,
  presentHome,
  presentHomes,
  Readers,
  readableCard,
  readableTitles,
  relatedCards,
  requireVersion,
  teamOf,
  trustCounts,
  workspaceFilter,
} from '../cards/index.ts'
import { tell, untell } from '../notices/index.ts'
import { requireMaySpeakOf } from '../permissions/index.ts'

type Worded = Pick<CardLinksTable, 'from_card_id' | 'to_card_id' | 'why' | 'created_by' | 'created_at'> & {
  created_by_name: string | null
}

type Heard = {
  owner_id: string
  known_since: string | null
  published_at: string | null
  opened_at: string | null
  member_id: string | null
  team_id: string | null
}

/** Queried separately: in a cluster, cards are in shards. */
async function heardOf(db: Db, viewerId: string, cardIds: readonly string[]): Promise<Map<string, Heard>> {
  const rows = await db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'cards.workspace_id')
        .on('memberships.user_id', '=', viewerId),
    )
    .select(['cards.card_id', 'cards.owner_id', 'cards.published_at', 'workspaces.opened_at'])
    .select(['memberships.user_id as member_id', teamOf(viewerId).as('team_id')])
    .select(knownSince(viewerId).time.as('known_since'))
    .where('cards.card_id', 'in', cardIds)
    .execute()
  return new Map(rows.map(({ card_id, ...row }) => [card_id, row]))
}

function couldRead(viewerId: string, card: Heard | undefined, at: string): boolean {
  if (!card) return false
  if (card.owner_id === viewerId) return true
  const isStranger = card.member_id === null && card.team_id === null
  const since = isStranger ? [card.known_since, card.published_at, card.opened_at] : [card.known_since]
  return since.every((time) => time === null || time <= at)
}

/**
 * A reason is for those who could read both cards when it was written. A name would reveal who shares a team
 * with the owner.
 */
async function withoutForeignWords<Link extends Worded>(
  db: Db,
  viewerId: string,
  links: readonly Link[],
): Promise<Link[]> {
  const others = links.filter(({ created_by }) => created_by !== null && created_by !== viewerId)
  if (others.length === 0) return [...links]
  const ids = new Set(others.flatMap(({ from_card_id, to_card_id }) => [from_card_id, to_card_id]))
  const cards = await heardOf(db, viewerId, [...ids])
  const foreign = new Set(
    others.filter(({ from_card_id, to_card_id, created_at }) =>
      [from_card_id, to_card_id].some((id) => !couldRead(viewerId, cards.get(id), created_at)),
    ),
  )
  return links.map((link) => (foreign.has(link) ? { ...link, why: null, created_by_name: null } : link))
}

const namedLinks = (db: Db) =>
  db
    .selectFrom('card_links')
    .leftJoin('users', 'users.user_id', 'card_links.created_by')
    .selectAll('card_links')
    .select('users.display_name as created_by_name')

type NamedLink = CardLinksTable & { created_by_name: string | null }

/** Inserts a link and returns the stored one, which somebody else may have made before. */
async function insertLink(db: Db, row: CardLinksTable): Promise<NamedLink> {
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

/** How many links of a card are shown in each direction, and how many a card may have. */
const MAX_LINKS = 100
const LINKS_AT_ONCE = 100
/** Anybody may link private cards to a public card, which must not become slow to read. */
const MAX_EXAMINED = 10 * LINKS_AT_ONCE

async function countLinks(db: Db, { from_card_id, to_card_id, created_by }: CardLinksTable) {
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
    .select(['status', 'review_status', 'hidden_at', teamOf(viewerId).as('team_id')])
    .where('card_id', 'in', cardIds)
    .where(mayRead(viewerId))
    .execute()
  return new Map(rows.map((row) => [row.other_id, row]))
}

/** Queries the other cards separately, because they are in other shards of a cluster. */
async function linksFrom(db: Db, end: End, cardId: string, viewerId: string) {
  const other = end === 'from_card_id' ? 'to_card_id' : 'from_card_id'
  const found = []
  for (let offset = 0; found.length < MAX_LINKS && offset < MAX_EXAMINED; offset += LINKS_AT_ONCE) {
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
  return found.slice(0, MAX_LINKS)
}

/** Returns links in both directions, with the card at the other end if the viewer may read it. */
const linksOf = async (db: Db, cardId: string, viewerId: string) => [
  ...(await linksFrom(db, 'from_card_id', cardId, viewerId)),
  ...(await linksFrom(db, 'to_card_id', cardId, viewerId)),
]

async function workspaceOf(db: Db, cardId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cards')
    .select('workspace_id')
    .where('card_id', '=', cardId)
    .executeTakeFirst()
  return row?.workspace_id
}

const findLink = (db: Db, linkId: string): Promise<CardLinksTable | undefined> =>
  db.selectFrom('card_links').selectAll().where('link_id', '=', linkId).executeTakeFirst()

async function deleteLink(db: Db, linkId: string): Promise<void> {
  await db.deleteFrom('card_links').where('link_id', '=', linkId).execute()
}

/** Returns two contradicting cards in a fixed order, so that a pair has only one link. */
const pairOf = (cardId: string, otherId: string): [from: string, to: string] =>
  cardId < otherId ? [cardId, otherId] : [otherId, cardId]

async function noteContradiction(db: Db, cardId: string, otherId: string, created_at: string): Promise<void> {
  const [from_card_id, to_card_id] = pairOf(cardId, otherId)
  const byProgram = { kind: 'contradicts' as const, why: null, created_by: null }
  await insertLink(db, { link_id: newId(), from_card_id, to_card_id, ...byProgram, created_at })
}

/** Removes a contradiction that the program has noted. One that a person has noted stays. */
async function settleContradiction(db: Db, cardId: string, otherId: string): Promise<void> {
  const [from, to] = pairOf(cardId, otherId)
  await db
    .deleteFrom('card_links')
    .where('from_card_id', '=', from)
    .where('to_card_id', '=', to)
    .where('kind', '=', 'contradicts')
    .where('created_by', 'is', null)
    .execute()
}

async function relatedAmong(db: Db, cardId: string, others: readonly string[]): Promise<Set<string>> {
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

async function deleteSuccession(db: Db, formerId: string, successorId: string): Promise<void> {
  await db
    .deleteFrom('card_links')
    .where('to_card_id', '=', formerId)
    .where('from_card_id', '=', successorId)
    .where('kind', '=', 'supersedes')
    .execute()
}

/** Returns whether readers of the card cannot read its successor. */
export async function isSuccessorGone(db: Db, cardId: string): Promise<boolean> {
  const row = await db
    .selectFrom('cards')
    .select('successor_gone')
    .where('card_id', '=', cardId)
    .executeTakeFirst()
  return row?.successor_gone === 1
}

/** Limit of steps along a chain of superseded cards. */
const MAX_STEPS = 20

async function successorsOf(db: Db, cardId: string): Promise<string[]> {
  const found: string[] = []
  for (let at: string | null = cardId; at !== null && found.length < MAX_STEPS; ) {
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

/** Sets the successor and returns the owner of the card. */
async function setSuccessor(db: Db, cardId: string, successorId: string | null): Promise<string> {
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

async function readableMerge(db: Db, cardId: string, viewerId: string) {
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

/** Returns the newest card that supersedes this one by a link. */
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

async function judgedIn(db: Db, workspaceId: string, cardIds: readonly string[]) {
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

/** Refuses a successor that some readers of the former card could not read. */
function requireVisibleToAll(former: CardRow, successor: CardRow): void {
  if (!isReadByAllOf(former, successor))
    throw conflict(
      'successor_hidden',
      'Some readers of this card cannot read the one that takes its place. Share or publish that one first.',
    )
}

const replaced = (ownerId: string, cardId: string) =>
  ({ userId: ownerId, kind: 'card.replaced', subjectId: cardId }) as const

/** Returns the error, with the other card's name if the viewer may read that card. */
async function alreadySuperseded(ctx: UserCtx, successorId: string): Promise<AppError> {
  const isReadable = (await readableTitles(ctx, [successorId])).has(successorId)
  return conflict(
    'superseded_already',
    'Another card has already taken the place of this one.',
    isReadable ? { superseded_by: successorId } : {},
  )
}

async function endFormerSuccession(ctx: UserCtx, formerId: string, successorId: string): Promise<void> {
  if (!(await isSuccessorGone(ctx.db, formerId))) throw await alreadySuperseded(ctx, successorId)
  if (await findMerge(ctx.db, formerId))
    throw conflict('merged_already', 'This card was merged into another. Undo that first.')
  await deleteSuccession(ctx.db, formerId, successorId)
}

/** Replaces a card by its successor in search, and tells the owner. */
export async function succeed(ctx: UserCtx, former: CardRow, successor: CardRow): Promise<void> {
  if (former.card_id === successor.card_id) throw conflict('same_card', 'A card cannot take its own place.')
  if (former.superseded_by !== null) await endFormerSuccession(ctx, former.card_id, former.superseded_by)
  if ((await successorsOf(ctx.db, successor.card_id)).includes(former.card_id))
    throw conflict('circular_succession', 'This card has already taken the place of that one.')
  requireVisibleToAll(former, successor)
  await setSuccessor(ctx.db, former.card_id, successor.card_id)
  if (former.owner_id !== ctx.viewer.userId && former.owner_deleted_at === null)
    await tell(ctx, replaced(former.owner_id, former.card_id))
}

export async function succeedAnew(ctx: UserCtx, formerId: string, successorId: string | null): Promise<void> {
  const ownerId = await setSuccessor(ctx.db, formerId, successorId)
  if (successorId === null) await untell(ctx, replaced(ownerId, formerId))
}

const KINDS = ['supersedes', 'duplicates', 'contradicts', 'related'] as const satisfies readonly LinkKind[]

const CardLink = z
  .object({
    link_id: AnswerId,
    from_card_id: AnswerId,
    to_card_id: AnswerId,
    kind: z.enum(KINDS),
    why: z.string().nullable(),
    other_title: z.string().describe('Of the card at the other end'),
    other_home: Home,
    other_readers: Readers,
    created_by_name: z
      .string()
      .nullable()
      .describe(
        'Null, as why is, for readers who could not read both cards then; and where the program found it',
      ),
    created_at: Time,
  })
  .meta({ id: 'CardLink' })

const CardMergeReason = z
  .object({
    into_card_id: AnswerId,
    why: z.string().nullable(),
    created_by_name: z.string().nullable().describe('Null, as why is, for the same readers as of a link'),
    created_at: Time,
  })
  .meta({ id: 'CardMergeReason' })

/** Superseding takes a card out of search, so it needs the right to edit that card. */
async function bothCards(ctx: UserCtx, kind: LinkKind, fromId: string, toId: string) {
  if (kind !== 'supersedes')
    return { from: await editableCard(ctx, fromId), to: await readableCard(ctx, toId) }
  const from = await readableCard(ctx, fromId)
  requireVersion(ctx, from)
  return { from, to: await editableAtAnyVersion(ctx, toId) }
}

/** Only superseding is told to the other card's admins: a mere link must not reveal private cards. */
const toldWhere = ({
  kind,
  from_card_id,
  to_card_id,
}: Pick<CardLinksTable, 'kind' | 'from_card_id' | 'to_card_id'>) =>
  kind === 'supersedes' ? to_card_id : from_card_id

/** Refuses too many links on either card, since every reader loads them. Call it after the link is made. */
async function requireFewLinks(ctx: UserCtx, link: CardLinksTable): Promise<void> {
  const { own, made } = await countLinks(ctx.db, link)
  if (own > MAX_LINKS) throw conflict('too_many_links', `A card has at most ${MAX_LINKS} links of its own.`)
  if (made > MAX_LINKS)
    throw conflict('too_many_links', `You have linked ${MAX_LINKS} cards to that one. Remove a link first.`)
}

export const linkCards = capability({
  name: 'cards.link',
  summary: 'Link a card to another',
  description:
    'supersedes takes the other card out of search: it is still read by its id and points to this one. It needs the right to edit the other card; the remaining kinds need the right to edit this one. related settles a contradiction that the program found between the two. The same link again changes nothing. A card has at most 100 links of its own, and a person makes at most 100 to the same card.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards/{card_id}/links'],
  status: 201,
  input: CardId.extend({
    to_card_id: Id,
    kind: z.enum(KINDS),
    why: z.string().max(2000).nullish(),
  }).meta({ id: 'CardLinkCreate' }),
  output: CardLink,
  errors: [404, 409, 412],
  run: (ctx, { card_id, to_card_id, kind, why: given }) => {
    const why = cleanOptional(given, new Findings())
    return inTx(ctx, async (ctx) => {
      const { from, to } = await bothCards(ctx, kind, card_id, to_card_id)
      if (from.card_id === to.card_id) throw conflict('same_card', 'A card cannot be linked to itself.')
      if (why !== null) await requireMaySpeakOf(ctx, [from, to])
      if (kind === 'supersedes' && to.superseded_by !== from.card_id) {
        await lockWithRelated(ctx, [from.card_id, to.card_id])
        await succeed(ctx, to, from)
      }
      if (kind === 'related') await settleContradiction(ctx.db, from.card_id, to.card_id)
      const link_id = newId()
      const link = await insertLink(ctx.db, {
        link_id,
        from_card_id: from.card_id,
        to_card_id: to.card_id,
        kind,
        why,
        created_by: ctx.viewer.userId,
        created_at: ctx.now().toISOString(),
      })
      if (link.link_id === link_id) await requireFewLinks(ctx, link)
      await audit(ctx, {
        action: 'card.linked',
        subject: { type: 'card', id: to.card_id },
        workspaceId: (toldWhere(link) === to.card_id ? to : from).workspace_id,
        details: { kind, from_card_id: from.card_id },
      })
      const { home, readers } = presentHome(to)
      const [shown = link] = await withoutForeignWords(ctx.db, ctx.viewer.userId, [link])
      return { ...shown, other_title: to.title, other_home: home, other_readers: readers }
    })
  },
})

export const listLinks = capability({
  name: 'cards.links',
  summary: 'The links of a card',
  description:
    'In both directions. Links to cards that the caller may not read are left out, and so is the merge into such a card. The reason, and who wrote it, is for its writer and for those who could read both cards at that time.',
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/links'],
  input: CardId,
  output: z
    .object({
      items: z.array(CardLink),
      merge: CardMergeReason.nullable().describe('Set where this card was merged into another'),
    })
    .meta({ id: 'CardLinkList' }),
  errors: [404],
  run: async (ctx, { card_id }) => {
    await readableCard(ctx, card_id)
    const { userId } = ctx.viewer
    const [merge] = await withoutForeignWords(ctx.db, userId, await readableMerge(ctx.db, card_id, userId))
    const links = await withoutForeignWords(ctx.db, userId, await linksOf(ctx.db, card_id, userId))
    const others = links.map(({ other_id, ...card }) => ({ ...card, card_id: other_id }))
    const homes = await presentHomes(ctx.db, userId, others)
    return {
      items: links.flatMap((link) => {
        const at = homes.get(link.other_id)
        return at ? [{ ...link, other_home: at.home, other_readers: at.readers }] : []
      }),
      merge: merge ? { ...merge, into_card_id: merge.to_card_id } : null,
    }
  },
})

export const unlinkCards = capability({
  name: 'cards.unlink',
  summary: 'Remove a link between cards',
  description:
    'For people who may edit one of the two cards. A superseded card comes back to search. A contradiction that the program found comes back with the next verdict worked, unless the cards are linked as related.',
  scopes: ['record', 'case:write'],
  rest: ['DELETE /api/v1/cards/{card_id}/links/{link_id}'],
  status: 204,
  input: CardId.extend({ link_id: Id }),
  output: z.void(),
  errors: [404, 412],
  run: (ctx, { card_id, link_id }) =>
    inTx(ctx, async (ctx) => {
      const card = await editableCard(ctx, card_id)
      const link = await findLink(ctx.db, link_id)
      if (!link || (link.from_card_id !== card_id && link.to_card_id !== card_id)) throw notFound('Link')
      if (link.kind === 'supersedes') await lockWithRelated(ctx, [link.from_card_id, link.to_card_id])
      await deleteLink(ctx.db, link_id)
      if (link.kind === 'supersedes') {
        const merge = await findMerge(ctx.db, link.to_card_id)
        const other = await successorByLink(ctx.db, link.to_card_id)
        await succeedAnew(ctx, link.to_card_id, merge?.into_card_id ?? other)
      }
      await audit(ctx, {
        action: 'card.unlinked',
        subject: { type: 'card', id: link.to_card_id },
        workspaceId: (await workspaceOf(ctx.db, toldWhere(link))) ?? card.workspace_id,
        details: { kind: link.kind, from_card_id: link.from_card_id },
      })
    }),
})

const MAX_COMPARED = 20
/** Symptoms that share this part of their shingles describe the same problem. */
const SAME_SYMPTOM = 0.5
const OTHER_FIX = 0.3
const COMPARED_CHARACTERS = 5000

const shingles = (text: string) => shinglesOf(text.slice(0, COMPARED_CHARACTERS))

type Said = Pick<CardRow, 'title' | 'symptom' | 'fix_summary'>

const contradicts = (a: Said, b: Said): boolean =>
  overlap(shingles(a.symptom), shingles(b.symptom)) >= SAME_SYMPTOM &&
  overlap(shingles(a.fix_summary), shingles(b.fix_summary)) < OTHER_FIX

export async function noteContradictions(ctx: UserCtx, card: CardRow): Promise<void> {
  if (card.workspace_id === PUBLIC_LIBRARY_ID || (trustCounts(card.trust)?.worked ?? 0) === 0) return
  const where = [[workspaceFilter(card.workspace_id)]]
  const near = await relatedCards(ctx, card, { where, limit: MAX_COMPARED })
  const judged = await judgedIn(ctx.db, card.workspace_id, near)
  const found = judged.filter(
    (other) =>
      other.card_id !== card.card_id &&
      (trustCounts(other.trust)?.worked ?? 0) > 0 &&
      contradicts(card, other),
  )
  if (found.length === 0) return
  await inTx(ctx, async (ctx) => {
    const settled = await relatedAmong(
      ctx.db,
      card.card_id,
      found.map((other) => other.card_id),
    )
    for (const { card_id } of found)
      if (!settled.has(card_id))
        await noteContradiction(ctx.db, card.card_id, card_id, ctx.now().toISOString())
  })
}
