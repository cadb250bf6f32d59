import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import type { ReviewStatus } from '../../db/knowledge-schema.ts'
import type { WorkspacesTable } from '../../db/schema.ts'
import { isAmongTexts, textList } from '../../db/sql-values.ts'
import {
  type Candidate,
  countsInLists,
  countsInPublic,
  findBest,
  type Match,
  PUBLIC_FILTER,
  type VisibleCounts,
  viewIndex,
} from '../../search-index/index.ts'
import { contentOfVersion, type ReviewReason } from '../../shared/card-checks.ts'
import type { CardContent } from '../../shared/card-fields.ts'
import { termsOf } from '../../text/analyse.ts'
import {
  DUPLICATE,
  overlap,
  SIMILAR,
  shinglesOf,
  sketchOf,
  sketchOverlap,
  type TextSketch,
} from '../../text/similar.ts'
import { wordHash } from '../../text/term-hash.ts'
import { isClearedFor } from '../permissions/index.ts'
import { CardId, CaseCreate, MAX_BODY_BYTES, SimilarCard, type SimilarCardAnswer } from './card.ts'
import { ownerFilter, workspaceFilter } from './card-index.ts'
import { type ReadRow, selectCards } from './list.ts'
import { provenanceOf, withNames } from './present.ts'
import { readableCard, updateCardRow } from './store.ts'
import { type HomeAnswer, isCurrent, isListed, mayFind, presentHomes } from './visibility.ts'

/** Only the rarest words of a card are compared. */
const TELLING_WORDS = 24
const MAX_WORDS = 400

export type Text = Pick<CardContent, 'title' | 'symptom' | 'fix_summary'>

const COMPARED_CHARACTERS = 50_000

export const comparedText = ({ title, symptom, fix_summary }: Text): string =>
  [title, symptom, fix_summary].map((text) => text.slice(0, COMPARED_CHARACTERS)).join('\n')

type Worth = ReadonlyMap<number, number>
type Telling = { hash: number; worth: number; postings: number }

async function wordsByWorth(text: Text, counts: VisibleCounts): Promise<Telling[]> {
  const hashes = [...new Set(termsOf(comparedText(text)).map(wordHash))].slice(0, MAX_WORDS)
  const count = await counts.of(hashes)
  return hashes
    .map((hash) => {
      const { cards, postings } = count(hash)
      return { hash, postings, worth: Math.log(1 + (counts.cards + 1) / (cards + 1)) }
    })
    .sort((a, b) => b.worth - a.worth)
}

/** Returns the card's words that the candidate contains: how many, and their weighted share. */
function commonWords(worth: Worth, candidate: Candidate): { share: number; common: number } {
  let [all, shared, common] = [0, 0, 0]
  const has = new Set(Array.from(candidate.hashes))
  for (const [hash, value] of worth) {
    all += value
    if (!has.has(hash)) continue
    shared += value
    common++
  }
  return { share: all === 0 ? 0 : shared / all, common }
}

type Likeness = {
  /** Index filters that select the cards to search. The same cards decide how rare a word is. */
  where: Match
  limit: number
}

const isPublicOnly = (where: Match) => where.some((anyOf) => anyOf.length === 1 && anyOf[0] === PUBLIC_FILTER)

/** The caller must check who may see these cards. */
export const relatedCards = async (ctx: Ctx, text: Text, likeness: Likeness): Promise<string[]> =>
  (await relatedWithShare(ctx, text, likeness)).map(({ id }) => id)

async function relatedWithShare(ctx: Ctx, text: Text, { where, limit }: Likeness) {
  const view = await viewIndex(ctx)
  const counts = isPublicOnly(where) ? await countsInPublic(ctx) : await countsInLists(ctx, view, where)
  const words = await wordsByWorth(text, counts)
  if (words.length === 0) return []
  const wanted = words.slice(0, TELLING_WORDS).map((word) => [word])
  const { candidates } = await findBest(ctx, view, wanted, where)
  const worth = new Map(words.map(({ hash, worth }) => [hash, worth]))
  return candidates
    .map((candidate) => ({ id: candidate.documentId, ...commonWords(worth, candidate) }))
    .sort((a, b) => b.share - a.share || (a.id < b.id ? 1 : -1))
    .slice(0, limit)
}

/** Cards that share less of the words that tell a card from others are about something else. */
const MIN_NEAR_SHARE = 0.33
/** Of a text of a few words, two or three are a large share by chance. */
const MIN_NEAR_WORDS = 4

const MAX_COMPARED = 50
const MAX_SHOWN = 5

const IN_LIBRARY: Match = [[PUBLIC_FILTER], [workspaceFilter(PUBLIC_LIBRARY_ID)]]

const present = (row: ReadRow, similarity: number, home: HomeAnswer): SimilarCardAnswer => ({
  card_id: row.card_id,
  case_id: row.card_id,
  title: row.title,
  card_type: row.card_type,
  status: row.status,
  workspace_id: row.workspace_id,
  owner_name: row.owner_name,
  provenance: withNames(provenanceOf(row), row, home),
  ...home,
  similarity: Math.round(similarity * 100) / 100,
  updated_at: row.updated_at,
})

const similarityTo = (row: Text) => {
  const shingles = shinglesOf(comparedText(row))
  return (other: ReadRow) => overlap(shingles, shinglesOf(comparedText(other)))
}

type Near = { row: ReadRow; similarity: number }

async function presentNear(ctx: UserCtx, near: readonly Near[]): Promise<SimilarCardAnswer[]> {
  const shown = near.slice(0, MAX_SHOWN)
  const homes = await presentHomes(
    ctx.db,
    ctx.viewer.userId,
    shown.map(({ row }) => row),
  )
  return shown.flatMap(({ row, similarity }) => {
    const home = homes.get(row.card_id)
    return home ? [present(row, similarity, home)] : []
  })
}

async function nearInLibrary(ctx: UserCtx, row: Text & { card_id: string }): Promise<Near[]> {
  const ids = await relatedCards(ctx, row, { where: IN_LIBRARY, limit: MAX_COMPARED })
  if (ids.length === 0) return []
  const rows = await selectCards(ctx.db, ctx.viewer.userId)
    .where('cards.card_id', 'in', ids)
    .where('cards.card_id', '!=', row.card_id)
    .where(isListed(ctx.db, ctx.viewer.userId, 'public', [PUBLIC_LIBRARY_ID]))
    .execute()
  const similarity = similarityTo(row)
  return rows
    .map((other) => ({ row: other, similarity: similarity(other) }))
    .filter((near) => near.similarity >= SIMILAR)
    .sort((a, b) => b.similarity - a.similarity || (a.row.card_id < b.row.card_id ? 1 : -1))
}

/** Refuses a card that the library already has; returns the cards that are near. */
export async function refuseDuplicate(ctx: UserCtx, row: ReadRow): Promise<SimilarCardAnswer[]> {
  const near = await nearInLibrary(ctx, row)
  const [nearest] = near
  if (nearest && nearest.similarity >= DUPLICATE)
    throw conflict(
      'duplicate_card',
      'The library already has this card; duplicate_of names it. Say in yours what is different, or give feedback on that one.',
      { duplicate_of: nearest.row.card_id, similarity: Math.round(nearest.similarity * 100) / 100 },
    )
  return presentNear(ctx, near)
}

export async function duplicatesInLibrary(
  ctx: UserCtx,
  row: Text & { card_id: string },
): Promise<SimilarCardAnswer[]> {
  const near = await nearInLibrary(ctx, row)
  return presentNear(
    ctx,
    near.filter(({ similarity }) => similarity >= DUPLICATE),
  )
}

async function findable(ctx: UserCtx): Promise<Match> {
  const memberships = await ctx.db
    .selectFrom('memberships')
    .select('workspace_id')
    .where('user_id', '=', ctx.viewer.userId)
    .orderBy('created_at', 'desc')
    .limit(1000)
    .execute()
  return [
    [
      PUBLIC_FILTER,
      ownerFilter(ctx.viewer.userId),
      ...memberships.map(({ workspace_id }) => workspaceFilter(workspace_id)),
    ],
  ]
}

const isNearEnough = ({ share, common }: { share: number; common: number }): boolean =>
  share >= MIN_NEAR_SHARE && common >= MIN_NEAR_WORDS

/** Returns the near cards among those that the caller finds by search, or none. */
export async function cardsLike(ctx: UserCtx, text: Text, cardId?: string): Promise<SimilarCardAnswer[]> {
  const related = await relatedWithShare(ctx, text, { where: await findable(ctx), limit: MAX_COMPARED })
  const ids = related.filter(isNearEnough).map(({ id }) => id)
  if (ids.length === 0) return []
  let query = selectCards(ctx.db, ctx.viewer.userId)
    .where('cards.card_id', 'in', ids)
    .where(mayFind(ctx.db, ctx.viewer.userId))
    .where(isCurrent())
  if (cardId !== undefined) query = query.where('cards.card_id', '!=', cardId)
  const rows = await query.execute()
  const similarity = similarityTo(text)
  const near = rows
    .sort((a, b) => ids.indexOf(a.card_id) - ids.indexOf(b.card_id))
    .slice(0, MAX_SHOWN)
    .map((row) => ({ row, similarity: similarity(row) }))
  return presentNear(ctx, near)
}

export const similarTo = capability({
  name: 'cards.similar',
  summary: 'Cards like this one',
  description: `Up to ${MAX_SHOWN} cards among those the caller finds by search in any scope, the most related first. similarity is the share of equal sequences of three words in title, symptom and fix_summary: from ${DUPLICATE} on publishing refuses a card as a duplicate.`,
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/similar', 'GET /api/v1/cases/{case_id}/similar'],
  aliases: { case_id: 'card_id' },
  input: CardId,
  output: z.array(SimilarCard),
  errors: [404],
  limit: 'search',
  run: async (ctx, { card_id }) => cardsLike(ctx, await readableCard(ctx, card_id), card_id),
})

export const similarToDraft = capability({
  name: 'cards.similar_to_draft',
  summary: 'Cards like one that is not saved yet',
  description:
    'Shows before recording whether somebody has already written it. Nothing is stored or charged.',
  scopes: ['search'],
  rest: ['POST /api/v1/cards/similar'],
  idempotency: 'none',
  input: CaseCreate.pick({ title: true, symptom: true })
    .extend({
      fix_summary: CaseCreate.shape.fix_summary.or(z.literal('')).default(''),
    })
    .meta({ id: 'CardDraft' }),
  output: z.array(SimilarCard),
  errors: [413],
  maxBodyBytes: MAX_BODY_BYTES,
  limit: 'search',
  run: (ctx, draft) => cardsLike(ctx, draft),
})

type WithdrawnVersion = { card_id: string; version: number; created_at: string; owner_id: string }

const hidingMatters = (db: Db, exceptId: string, page: { limit: number; offset: number }) =>
  db
    .selectFrom('moderation_matters')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'moderation_matters.workspace_id')
    .select(['moderation_matters.card_id', 'moderation_matters.card_version'])
    .select('moderation_matters.decided_version')
    .where(
      sql<boolean>`(moderation_matters.hidden_by_reports = 1 or moderation_matters.decision in ('hide', 'remove'))`,
    )
    .where((eb) =>
      eb.or([eb('moderation_matters.was_open', '=', 1), eb('workspaces.visibility', '!=', 'private')]),
    )
    .where('moderation_matters.card_id', '!=', exceptId)
    .orderBy('moderation_matters.updated_at', 'desc')
    .orderBy('moderation_matters.matter_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

type Hidden = Pick<WithdrawnVersion, 'created_at' | 'owner_id'> & {
  /** The version that was current when the card was hidden. */
  hiddenVersion: number
}

/** Returns the last version before each card was hidden, for cards that were edited since. */
async function versionsWhenHidden(db: Db, cardIds: readonly string[]): Promise<Map<string, number>> {
  if (cardIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('card_versions')
    .innerJoin('cards', 'cards.card_id', 'card_versions.card_id')
    .select((eb) => ['card_versions.card_id', eb.fn.max('card_versions.version').as('version')])
    .where('card_versions.card_id', 'in', cardIds)
    .whereRef('card_versions.edited_at', '<', 'cards.hidden_at')
    .groupBy('card_versions.card_id')
    .execute()
  return new Map(rows.map(({ card_id, version }) => [card_id, version]))
}

async function hiddenAmong(db: Db, cardIds: readonly string[]): Promise<Map<string, Hidden>> {
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'created_at', 'owner_id', 'version', 'edited_at', 'hidden_at'])
    .where('card_id', 'in', cardIds)
    .where('hidden_at', 'is not', null)
    .execute()
  const edited = rows.filter(({ edited_at, hidden_at }) => edited_at >= (hidden_at ?? ''))
  const former = await versionsWhenHidden(
    db,
    edited.map(({ card_id }) => card_id),
  )
  return new Map(
    rows.map(({ card_id, created_at, owner_id, version }) => [
      card_id,
      { created_at, owner_id, hiddenVersion: former.get(card_id) ?? version },
    ]),
  )
}

type Looked = { card_version: number; decided_version: number | null }

function versionsOf({ card_version, decided_version }: Looked, { hiddenVersion }: Hidden): number[] {
  const last = decided_version ?? card_version
  return [...new Set([last, card_version, hiddenVersion])].filter((version) => version <= last)
}

/** Two queries, because a cluster would read all cards for a join. */
async function withdrawnVersions(db: Db, exceptId: string, limit: number): Promise<WithdrawnVersion[]> {
  const found: WithdrawnVersion[] = []
  for (let offset = 0; found.length < limit; offset += limit) {
    const matters = await hidingMatters(db, exceptId, { limit, offset })
    if (matters.length === 0) break
    const hidden = await hiddenAmong(
      db,
      matters.map((matter) => matter.card_id),
    )
    for (const { card_id, ...looked } of matters) {
      const card = hidden.get(card_id)
      if (!card) continue
      const { created_at, owner_id } = card
      for (const version of versionsOf(looked, card)) found.push({ card_id, version, created_at, owner_id })
    }
    if (matters.length < limit) break
  }
  return found.slice(0, limit)
}

async function textOfVersion(db: Db, { card_id, version }: WithdrawnVersion): Promise<Text | undefined> {
  const former = await db
    .selectFrom('card_versions')
    .select('content')
    .where('card_id', '=', card_id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (former) return contentOfVersion(former.content)
  return db
    .selectFrom('cards')
    .select(['title', 'symptom', 'fix_summary'])
    .where('card_id', '=', card_id)
    .executeTakeFirst()
}

/** Returns the ids in the order of card locks. */
async function passedIdsIn(db: Db, workspaceId: string, ownerIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('cards')
    .select('card_id')
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'published')
    .where('review_status', '=', 'passed')
    .where('deleted_at', 'is', null)
    .where('hidden_at', 'is', null)
    .where(isAmongTexts(db, 'owner_id', textList(ownerIds)))
    .orderBy('card_id')
    .execute()
  return rows.map(({ card_id }) => card_id)
}

const passedCards = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('cards')
    .select(['card_id', 'owner_id', 'version', 'review_reasons', 'title', 'symptom', 'fix_summary'])
    .where('card_id', 'in', cardIds)
    .orderBy('card_id')
    .execute()

/** Prevents text that was hidden from strangers from coming back in another card. */

export const WITHDRAWN_RULE = 'withdrawn_text'
const MAX_WITHDRAWN_COMPARED = 500
const MAX_CACHE_ENTRIES = 2000

/** Cache without expiry: a version never changes, so neither does its sketch. */
const SKETCHES = new LRUCache<string, TextSketch>({ max: MAX_CACHE_ENTRIES })

async function sketchOfVersion(ctx: Ctx, withdrawn: WithdrawnVersion): Promise<TextSketch | undefined> {
  const key = `${withdrawn.card_id} ${withdrawn.version}`
  const known = SKETCHES.get(key)
  if (known) return known
  const text = await textOfVersion(ctx.db, withdrawn)
  if (!text) return undefined
  const sketch = sketchOf(comparedText(text))
  SKETCHES.set(key, sketch)
  return sketch
}

export type Repeated = {
  card_id: string
  /** Undefined for a new card. */
  owner_id?: string
  /** Time since when the card has this text; undefined means now. */
  edited_at?: string
  /** The result of the card's last review; undefined if there was none. */
  review_status?: ReviewStatus
  review_reasons?: string
}

/** Returns whether the last review refused the card by this rule and no moderator let it pass. */
const wasRepeated = ({ review_status, review_reasons }: Repeated): boolean =>
  review_status === 'rejected' &&
  fromJson<ReviewReason[]>(review_reasons ?? '[]').some(({ rule }) => rule === WITHDRAWN_RULE)

const isNear = (one: TextSketch, other: TextSketch): boolean => sketchOverlap(one, other) >= DUPLICATE

/**
 * Older texts pass, so that a copy does not block the first author. Older texts of the hidden card's own owner
 * do not pass, because a spare draft would bring the text back.
 */
export async function repeatsWithdrawn(
  ctx: Ctx,
  card: Repeated,
  text: Text,
  former?: Text,
): Promise<boolean> {
  const { card_id, owner_id, edited_at } = card
  const withdrawn = await withdrawnVersions(ctx.db, card_id, MAX_WITHDRAWN_COMPARED)
  if (withdrawn.length === 0) return false
  const sketch = sketchOf(comparedText(text))
  const before = former && sketchOf(comparedText(former))
  const isRefused = wasRepeated(card)
  for (const one of withdrawn) {
    const isFirst = edited_at !== undefined && edited_at < one.created_at && owner_id !== one.owner_id
    if (!before && isFirst) continue
    const other = await sketchOfVersion(ctx, one)
    if (!other || !isNear(sketch, other)) continue
    const isSaidAlready = before !== undefined && isNear(before, other)
    if (!isSaidAlready || (isRefused && !isFirst)) return true
  }
  return false
}

const withdrawnByOwner = async (ctx: Ctx): Promise<Map<string, WithdrawnVersion[]>> =>
  Map.groupBy(await withdrawnVersions(ctx.db, '', MAX_WITHDRAWN_COMPARED), ({ owner_id }) => owner_id)

async function repeatsOneOf(
  ctx: Ctx,
  card: Text & { card_id: string },
  withdrawn: readonly WithdrawnVersion[],
): Promise<boolean> {
  const sketch = sketchOf(comparedText(card))
  for (const one of withdrawn) {
    if (one.card_id === card.card_id) continue
    const other = await sketchOfVersion(ctx, one)
    if (other && isNear(sketch, other)) return true
  }
  return false
}

/** Names no card, owner or workspace: the reader may not know them. */
export const withdrawnReason = (): ReviewReason => ({
  rule: WITHDRAWN_RULE,
  severity: 'block',
  message:
    'A card that says nearly the same is hidden from strangers, by moderators or by reports. If yours is right, ask the moderators to look at it.',
})

const AT_ONCE = 100

/** The review may predate the hiding. Call in the transaction that opens the workspace. */
export async function rejectRepeatedIn(
  ctx: Ctx,
  opened: Pick<WorkspacesTable, 'workspace_id' | 'visibility'>,
): Promise<void> {
  const withdrawn = await withdrawnByOwner(ctx)
  if (withdrawn.size === 0) return
  const cardIds = await passedIdsIn(ctx.db, opened.workspace_id, [...withdrawn.keys()])
  const reviewed_at = ctx.now().toISOString()
  for (let from = 0; from < cardIds.length; from += AT_ONCE)
    for (const card of await passedCards(ctx.db, cardIds.slice(from, from + AT_ONCE))) {
      if (!(await repeatsOneOf(ctx, card, withdrawn.get(card.owner_id) ?? []))) continue
      if (await isClearedFor(ctx, card, opened)) continue
      const review_reasons = toJson([...fromJson<ReviewReason[]>(card.review_reasons), withdrawnReason()])
      await updateCardRow(ctx.db, card.card_id, { review_status: 'rejected', review_reasons, reviewed_at })
    }
}
