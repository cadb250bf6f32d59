import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/public-library.ts'
import { type Match, PUBLIC_FILTER } from '../../search-index/index.ts'
import { readableCard } from './access.ts'
import { DUPLICATE, SIMILAR } from './duplicate.ts'
import type { HomeAnswer } from './home.ts'
import { presentHomes } from './homes.ts'
import { ownerFilter, workspaceFilter } from './indexing/filters.ts'
import { provenanceOf, withNames } from './present.ts'
import { comparedText, relatedCards, type Text } from './related.ts'
import { CardId, CaseCreate, MAX_BODY_BYTES, SimilarCard, type SimilarCardAnswer } from './schemas.ts'
import { type ReadRow, selectCards } from './select.ts'
import { isCurrent, isListed, mayFind } from './visibility.ts'
import { overlap, shinglesOf } from './words.ts'

const MOST_COMPARED = 50
const MOST_SHOWN = 5

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

/** The first of them, with where they live and who reads them. */
async function presentNear(ctx: UserCtx, near: readonly Near[]): Promise<SimilarCardAnswer[]> {
  const shown = near.slice(0, MOST_SHOWN)
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

/** The library's cards that say nearly the same as this one, the nearest first. */
async function nearInLibrary(ctx: UserCtx, row: Text & { card_id: string }): Promise<Near[]> {
  const ids = await relatedCards(ctx, row, { where: IN_LIBRARY, limit: MOST_COMPARED })
  if (ids.length === 0) return []
  const rows = await selectCards(ctx.db, ctx.viewer.userId)
    .where('cards.card_id', 'in', ids)
    .where('cards.card_id', '!=', row.card_id)
    .where(isListed(ctx.viewer.userId, 'public', [PUBLIC_LIBRARY_ID]))
    .execute()
  const similarity = similarityTo(row)
  return rows
    .map((other) => ({ row: other, similarity: similarity(other) }))
    .filter((near) => near.similarity >= SIMILAR)
    .sort((a, b) => b.similarity - a.similarity || (a.row.card_id < b.row.card_id ? 1 : -1))
}

/** Refuses a card that the library has already; returns those that are near. */
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

/** The library's cards because of which publishing would refuse this one. */
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

/** The filter for everything that the caller finds in any scope. */
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

/** The cards that share most with this text, among those that the caller finds by search. */
export async function cardsLike(ctx: UserCtx, text: Text, cardId?: string): Promise<SimilarCardAnswer[]> {
  const ids = await relatedCards(ctx, text, { where: await findable(ctx), limit: MOST_COMPARED })
  if (ids.length === 0) return []
  let query = selectCards(ctx.db, ctx.viewer.userId)
    .where('cards.card_id', 'in', ids)
    .where(mayFind(ctx.viewer.userId))
    .where(isCurrent())
  if (cardId !== undefined) query = query.where('cards.card_id', '!=', cardId)
  const rows = await query.execute()
  const similarity = similarityTo(text)
  const near = rows
    .sort((a, b) => ids.indexOf(a.card_id) - ids.indexOf(b.card_id))
    .slice(0, MOST_SHOWN)
    .map((row) => ({ row, similarity: similarity(row) }))
  return presentNear(ctx, near)
}

export const similarTo = capability({
  name: 'cards.similar',
  summary: 'Cards like this one',
  description: `Up to ${MOST_SHOWN} cards among those the caller finds by search in any scope, the most related first. similarity is the share of equal sequences of three words in title, symptom and fix_summary: from ${DUPLICATE} on publishing refuses a card as a duplicate.`,
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
