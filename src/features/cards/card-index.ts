import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../../core/context.ts'
import { Work } from '../../core/work.ts'
import type { Db } from '../../db/db.ts'
import type { ReviewStatus } from '../../db/knowledge-schema.ts'
import { acquireLock } from '../../db/locks.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import {
  countWords,
  type DocumentTexts,
  type DocumentWords,
  maintainIndex,
  PUBLIC_FILTER,
  putDocuments,
  refilterDocuments,
  removeDocuments,
} from '../../search-index/index.ts'
import { contentOf, filterTextOf } from '../../shared/card-checks.ts'
import {
  type CardContent,
  type CardField,
  type CardType,
  DEFINITION,
  FIELDS_BY_PLACE,
  FILTER_NAMES,
  filterWordsOf,
  isJson,
  type JsonField,
  type WordFilters,
} from '../../shared/card-fields.ts'
import { ANALYSER_VERSION } from '../../text/analyse.ts'
import { filterHash } from '../../text/term-hash.ts'
import { normalName } from './card.ts'
import type { StoredCard } from './list.ts'
import { evidenceTexts, lockCards } from './store.ts'

export const ownerFilter = (ownerId: string) => filterHash(`owner ${ownerId}`)
/** Matches every card of an owner in one workspace. */
export const ownerInFilter = (ownerId: string, workspaceId: string) =>
  filterHash(`owner ${ownerId} in ${workspaceId}`)
export const workspaceFilter = (workspaceId: string) => filterHash(`published in ${workspaceId}`)

/** Matches cards that this workspace has published for everybody. Only its members search by it. */
export const publishedFromFilter = (workspaceId: string) => filterHash(`published from ${workspaceId}`)

export const tagFilter = (tag: string) => filterHash(`tag ${normalName(tag)}`)
export const typeFilter = (type: CardType) => filterHash(`type ${type}`)
export const wordFilterHashes = (filters: WordFilters) =>
  FILTER_NAMES.flatMap((name) => (filters[name] ? [filterHash(`${name} ${filters[name]}`)] : []))

const environmentFilter = (normalisedName: string, value: string) =>
  filterHash(`environment ${normalisedName} = ${value}`)

/** Limit of version parts. Long values such as `1.1.1.…` would make a hundred thousand filters. */
const MAX_PREFIXES = 20

/** Returns all prefixes of a version: `20.11.1` is found by 20, by 20.11 and by itself. */
const prefixesOf = (version: string): string[] => {
  const value = normalName(version)
  const prefixes = [...value.matchAll(/[.]/g)].map((dot) => value.slice(0, dot.index))
  return [...prefixes.filter((prefix) => /\d$/.test(prefix)).slice(0, MAX_PREFIXES), value]
}

export function environmentFilters(name: string, value: string): number[] {
  const normalised = normalName(name)
  return prefixesOf(value).map((prefix) => environmentFilter(normalised, prefix))
}

export const askedEnvironmentFilter = (name: string, value: string) =>
  environmentFilter(normalName(name), normalName(value))

/** Returns whether every requested name is present with the requested value or a version under it. */
export const matchesEnvironment = (
  has: Readonly<Record<string, string>>,
  asked: Readonly<Record<string, string>>,
): boolean =>
  Object.entries(asked).every(([name, value]) =>
    Object.entries(has).some(
      ([key, is]) => normalName(key) === normalName(name) && prefixesOf(is).includes(normalName(value)),
    ),
  )

export type IndexedCard = CardTexts & {
  card_id: string
  workspace_id: string
  origin_workspace_id: string
  owner_id: string
  status: 'unpublished' | 'published'
  review_status: ReviewStatus
  hidden_at: string | null
}

type CardTexts = CardContent & { evidence_texts: readonly string[] }

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the texts in each field of JSON. A comma keeps the words of two names apart. */
const TEXTS_IN_JSON: Record<JsonField, (card: CardContent) => string[]> = {
  environment: ({ environment }) => [Object.entries(environment).flat().join(' , ')],
  steps: ({ steps }) => steps.flatMap(({ action, result }) => [asText(action), asText(result)]),
  tags: ({ tags }) => [tags.join(' , ')],
  card_payload: () => [],
}

const textsIn = (card: CardContent, field: CardField): string[] =>
  isJson(field) ? TEXTS_IN_JSON[field](card) : [card[field] ?? '']

/** A word in the title or a tag says more about a card than a word in its text. */
const fieldsIn = (part: 'main' | 'text' | 'minor'): CardField[] =>
  FIELDS_BY_PLACE.filter((field) => DEFINITION[field].index === part).toSorted(
    (a, b) => DEFINITION[b].weight - DEFINITION[a].weight,
  )

const INDEXED = { main: fieldsIn('main'), text: fieldsIn('text'), minor: fieldsIn('minor') }

const weighed = (card: CardContent, fields: readonly CardField[]) =>
  fields.flatMap((field) => textsIn(card, field).map((text) => ({ weight: DEFINITION[field].weight, text })))

/** Characters of the notes that are indexed. Must be within the range that snippets search. */
const MAX_NOTES_LENGTH = 20_000

const textsOf = (card: CardTexts): DocumentTexts => ({
  mainTexts: weighed(card, INDEXED.main),
  texts: weighed(card, INDEXED.text),
  minorTexts: [
    ...weighed(card, INDEXED.minor).map(({ text }) => text.slice(0, MAX_NOTES_LENGTH)),
    ...card.evidence_texts,
  ],
})

export type CardWords = DocumentWords & { of: DocumentTexts }

/** Counts the words of a card. Call it before the transaction, because it is slow. */
export async function wordsOfCard(card: CardTexts, work: Work = new Work()): Promise<CardWords> {
  const texts = textsOf(card)
  return { ...(await work.inPieces(countWords(texts))), of: texts }
}

const isUpToDate = (words: CardWords, card: CardTexts): boolean => isDeepStrictEqual(words.of, textsOf(card))

export const wordsOnly = async (card: IndexedCard) => ({
  documentId: card.card_id,
  words: await wordsOfCard(card),
})

function filtersOf(card: Omit<IndexedCard, 'evidence_texts'>, isInPublicWorkspace: boolean): number[] {
  const found = [
    ownerFilter(card.owner_id),
    ownerInFilter(card.owner_id, card.workspace_id),
    typeFilter(card.card_type),
    ...wordFilterHashes(filterWordsOf(card)),
    ...card.tags.map(tagFilter),
    ...Object.entries(card.environment).flatMap(([name, value]) => environmentFilters(name, value)),
  ]
  const isShown = card.status === 'published' && card.hidden_at === null
  if (isShown) found.push(workspaceFilter(card.workspace_id))
  if (isShown && isInPublicWorkspace) {
    if (card.review_status === 'passed') found.push(PUBLIC_FILTER)
    if (card.origin_workspace_id !== card.workspace_id)
      found.push(publishedFromFilter(card.origin_workspace_id))
  }
  return [...new Set(found)].sort((a, b) => a - b)
}

const BATCH = 100

export async function indexedCards(db: Db, rows: readonly StoredCard[]): Promise<IndexedCard[]> {
  const texts = await evidenceTexts(db, rows)
  return rows.map((row) => ({ ...withoutEvidence(row), evidence_texts: texts.get(row.card_id) ?? [] }))
}

function withoutEvidence(row: StoredCard): Omit<IndexedCard, 'evidence_texts'> {
  const { card_id, workspace_id, origin_workspace_id, owner_id, status, review_status, hidden_at } = row
  const whose = { card_id, workspace_id, origin_workspace_id, owner_id, status, review_status, hidden_at }
  return { ...contentOf(row), ...whose }
}

/** Returns cards that belong in the index, after the id `after`, sorted by id. */
export async function indexableCards(ctx: Ctx, after: string, limit = BATCH): Promise<IndexedCard[]> {
  const rows = await ctx.db
    .selectFrom('cards')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('card_id', '>', after)
    .orderBy('card_id')
    .limit(limit)
    .execute()
  return indexedCards(ctx.db, rows)
}

type IndexOptions = {
  /** The public workspaces among those of the cards, if the caller has read them in this transaction. */
  publicWorkspaces?: ReadonlySet<string>
  /** Words that were counted before the transaction. They are counted again if the card has changed since. */
  counted?: ReadonlyMap<string, CardWords>
}

/** Call in the transaction of every write that changes a card's text, tags or environment. */
export async function indexCards(
  ctx: Ctx,
  cards: readonly IndexedCard[],
  { publicWorkspaces, counted }: IndexOptions = {},
): Promise<Set<string>> {
  const isPublic = publicWorkspaces ?? (await publicAmong(ctx, cards))
  const partial = new Set<string>()
  const entries = []
  for (const card of cards) {
    const known = counted?.get(card.card_id)
    const words = known && isUpToDate(known, card) ? known : await wordsOfCard(card, ctx.work)
    const filters = filtersOf(card, isPublic.has(card.workspace_id))
    entries.push({ documentId: card.card_id, document: { ...words, filters } })
    if (words.unread === '') continue
    partial.add(card.card_id)
    await keepFilterText(ctx, card, words.unread)
  }
  await putDocuments(ctx, entries)
  return partial
}

/** Stores the filter text, which finds words that are not in the search index. */
async function keepFilterText(ctx: Ctx, card: IndexedCard, unread: string): Promise<void> {
  await ctx.db
    .updateTable('cards')
    .set({ filter_text: filterTextOf(card, unread) })
    .where('card_id', '=', card.card_id)
    .execute()
}

/** Call after a write that changes the owner, type, workspace or status, but no text. */
export async function refilterCards(
  ctx: Ctx,
  rows: readonly StoredCard[],
  { publicWorkspaces }: Pick<IndexOptions, 'publicWorkspaces'> = {},
): Promise<void> {
  const isPublic = publicWorkspaces ?? (await publicAmong(ctx, rows))
  const filters = new Map(
    rows.map((row) => [row.card_id, filtersOf(withoutEvidence(row), isPublic.has(row.workspace_id))]),
  )
  const known = await refilterDocuments(ctx, filters)
  const lacking = rows.filter((row) => !known.has(row.card_id))
  if (lacking.length > 0)
    await indexCards(ctx, await indexedCards(ctx.db, lacking), { publicWorkspaces: isPublic })
}

const visibilityOf = prepared('visibilityOfWorkspace', (db, parameter: Named<{ workspaceId: string }>) =>
  db.selectFrom('workspaces').select('visibility').where('workspace_id', '=', parameter('workspaceId')),
)

async function publicAmong(ctx: Ctx, cards: readonly { workspace_id: string }[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (const workspaceId of new Set(cards.map((card) => card.workspace_id))) {
    const [workspace] = await visibilityOf(ctx.db, { workspaceId })
    if (workspace?.visibility === 'public') found.add(workspaceId)
  }
  return found
}

export const unindexCard = (ctx: Ctx, cardId: string): Promise<void> => removeDocuments(ctx, [cardId])

/** Staleness is a mark in the index itself, so an interrupted job continues where it stopped. */
const STALE_MARK = 0

export const REINDEX_JOB = 'stale-cards'

/** Cards in one transaction, and the pause in ms in which others may write. */
type Pace = { cards: number; pauseMs: number }

/** Small batches, because SQLite has one writer at a time. */
const WHILE_SERVING: Pace = { cards: 25, pauseMs: 5 }
const BEFORE_SERVING: Pace = { cards: 500, pauseMs: 0 }

/** Marks the cards of a workspace, and those published from it. */
export async function reindexWorkspaceSoon(ctx: Ctx, workspaceId: string): Promise<void> {
  await ctx.db
    .updateTable('search_docs')
    .set({ analyser: STALE_MARK })
    .where('card_id', 'in', (eb) =>
      eb
        .selectFrom('cards')
        .select('cards.card_id')
        .where((eb) =>
          eb.or([
            eb('cards.workspace_id', '=', workspaceId),
            eb.and([
              eb('cards.workspace_id', '<>', eb.ref('cards.origin_workspace_id')),
              eb('cards.origin_workspace_id', '=', workspaceId),
            ]),
          ]),
        ),
    )
    .execute()
  ctx.afterCommit(() => ctx.wakeups.emit(REINDEX_JOB))
}

async function markAllStale(ctx: Ctx): Promise<void> {
  await inTx(ctx, (ctx) => ctx.db.updateTable('search_docs').set({ analyser: STALE_MARK }).execute())
}

/** Queries stale cards. Deleted ones among them leave the index. */
const staleCards = (ctx: Ctx) =>
  ctx.db
    .selectFrom('search_docs')
    .innerJoin('cards', 'cards.card_id', 'search_docs.card_id')
    .where('search_docs.analyser', '<', ANALYSER_VERSION)

const missingCards = (ctx: Ctx) =>
  ctx.db
    .selectFrom('cards')
    .leftJoin('search_docs', 'search_docs.card_id', 'cards.card_id')
    .where('search_docs.card_id', 'is', null)
    .where('cards.deleted_at', 'is', null)

/** Queries cards that an upgrade or a workspace has marked, without those of an older analyser. */
const markedCards = (ctx: Ctx) => staleCards(ctx).where('search_docs.analyser', '=', STALE_MARK)

type Which = 'stale' | 'marked' | 'missing'

type CardRef = { card_id: string; workspace_id: string }

/** Locks the cards, then the workspaces: the same order as deleting a workspace. */
async function lockSources(ctx: Ctx, cards: readonly CardRef[]): Promise<void> {
  if (ctx.database.engine !== 'postgres' || cards.length === 0) return
  await lockCards(
    ctx,
    cards.map((card) => card.card_id),
  )
  const workspaceIds = [...new Set(cards.map((card) => card.workspace_id))]
  await ctx.db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', 'in', workspaceIds)
    .orderBy('workspace_id')
    .forShare()
    .execute()
}

async function indexHeld(
  ctx: Ctx,
  cardIds: readonly string[],
  counted: ReadonlyMap<string, CardWords>,
): Promise<void> {
  if (cardIds.length === 0) return
  const rows = await ctx.db.selectFrom('cards').selectAll().where('card_id', 'in', cardIds).execute()
  const [deleted, alive] = [
    rows.filter((row) => row.deleted_at !== null),
    rows.filter((row) => row.deleted_at === null),
  ]
  await removeDocuments(
    ctx,
    deleted.map((row) => row.card_id),
  )
  if (alive.length > 0) await indexCards(ctx, await indexedCards(ctx.db, alive), { counted })
}

function someOf(ctx: Ctx, which: Which, after: string, limit: number): Promise<CardRef[]> {
  const from =
    which === 'missing'
      ? missingCards(ctx).where('cards.card_id', '>', after).orderBy('cards.card_id')
      : which === 'marked'
        ? markedCards(ctx)
        : staleCards(ctx)
  return from.select(['cards.card_id', 'cards.workspace_id']).limit(limit).execute()
}

/** Counts the words of the cards that are probably next, before their transaction, because counting is slow. */
async function countAhead(
  ctx: Ctx,
  ...which: [Which, after: string, limit: number]
): Promise<Map<string, CardWords>> {
  const ids = (await someOf(ctx, ...which)).map((card) => card.card_id)
  const counted = new Map<string, CardWords>()
  if (ids.length === 0) return counted
  const rows = await ctx.db.selectFrom('cards').selectAll().where('card_id', 'in', ids).execute()
  for (const card of await indexedCards(ctx.db, rows)) counted.set(card.card_id, await wordsOfCard(card))
  return counted
}

async function reindexSome(ctx: Ctx, which: Which, after: string, limit: number): Promise<string[]> {
  const counted = await countAhead(ctx, which, after, limit)
  return inTx(
    ctx,
    async (ctx) => {
      await acquireLock(ctx.db, ctx.database.engine, 'reindex')
      const named = await someOf(ctx, which, after, limit)
      const cardIds = named.map((card) => card.card_id)
      await lockSources(ctx, named)
      await indexHeld(ctx, cardIds, counted)
      return cardIds
    },
    SELF_GUARDED,
  )
}

type Watch = { onProgress?: (done: number) => void; stopping?: AbortSignal | undefined }

async function reindexThe(
  ctx: Ctx,
  which: Which,
  { cards, pauseMs }: Pace,
  { onProgress = () => {}, stopping }: Watch,
): Promise<number> {
  let done = 0
  for (let after = ''; !stopping?.aborted; ) {
    const ids = await reindexSome(ctx, which, after, cards)
    const last = ids.at(-1)
    if (last === undefined) break
    after = last
    done += ids.length
    onProgress(done)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  return done
}

export async function staleCount(ctx: Ctx): Promise<number> {
  const stale = await staleCards(ctx).select(countOfCards).executeTakeFirstOrThrow()
  const missing = await missingCards(ctx).select(countOfCards).executeTakeFirstOrThrow()
  return stale.cards + missing.cards
}

const countOfCards = sql<number>`count(*)`.as('cards')

export async function reindex(
  ctx: Ctx,
  onProgress: (done: number) => void = () => {},
  stopping?: AbortSignal,
): Promise<number> {
  const stale = await reindexThe(ctx, 'stale', WHILE_SERVING, { onProgress, stopping })
  const missing = await reindexThe(ctx, 'missing', WHILE_SERVING, {
    onProgress: (done) => onProgress(stale + done),
    stopping,
  })
  return stale + missing
}

export async function reindexAll(
  ctx: Ctx,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<number> {
  if ((await staleCount(ctx)) === 0) await markAllStale(ctx)
  const total = await staleCount(ctx)
  return reindex(ctx, (done) => onProgress(done, total))
}

/** Indexes stale cards in a job. Missing cards are left out, because finding them reads all cards. */
export async function reindexStale(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  await reindexThe(ctx, 'stale', WHILE_SERVING, { stopping })
}

/** Indexes cards that an upgrade has marked, before the first search. Returns how many. */
export async function bringIndexUpToDate(ctx: Ctx): Promise<number> {
  const filled = await fillEmptyIndex(ctx)
  const marked = await reindexThe(ctx, 'marked', BEFORE_SERVING, {})
  if (marked > 0) await maintainIndex(ctx)
  return filled + marked
}

/** Fills an empty index in the order of the cards, so the last card is in the index only when all are. */
export async function fillEmptyIndex(ctx: Ctx): Promise<number> {
  const last = await ctx.db
    .selectFrom('cards')
    .leftJoin('search_docs', 'search_docs.card_id', 'cards.card_id')
    .select('search_docs.doc_no')
    .where('cards.deleted_at', 'is', null)
    .orderBy('cards.card_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!last || last.doc_no !== null) return 0
  const cards = await reindexThe(ctx, 'missing', BEFORE_SERVING, {})
  await maintainIndex(ctx)
  return cards
}
