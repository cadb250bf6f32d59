import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { invalid, rateLimited } from '../../core/errors.ts'
import { withMark } from '../../core/provenance.ts'
import { noteReads } from '../card-reads/card-reads.ts'
import { noteOpened } from '../deliveries/deliveries.ts'
import { requireVisible } from '../permissions/permission.ts'
import { containsInstructions } from '../review/find-danger.ts'
import { readableCard } from './access.ts'
import { allTextOf } from './danger.ts'
import { answerOf } from './kept-cards.ts'
import { filterWords, type ListFilter, listCards } from './list.store.ts'
import { CardListQuery, CaseListQuery } from './list-schemas.ts'
import { presentPage } from './present.ts'
import { type CardAnswer, CardId, CaseListResponse, CaseResponse } from './schemas.ts'
import { allEvidences, answering, successorsOnPage } from './successor.ts'
import { thinCard } from './thin.ts'

type Evidences = Awaited<ReturnType<typeof allEvidences>>

/** Evidence may speak to agents too, and only this answer shows it, so the provenance is completed here. */
function withEvidences(card: CardAnswer, evidences: Evidences): CardAnswer {
  const isMarked =
    card.provenance.owner !== 'you' &&
    evidences.some(({ kind, content, meta }) => containsInstructions(allTextOf([kind, content, meta])))
  return { ...card, evidences, ...(isMarked ? { provenance: withMark(card.provenance) } : {}) }
}

export const getCard = capability({
  name: 'cards.get',
  summary: 'One card',
  description: 'A card that the caller may not read is answered like one that does not exist.',
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}', 'GET /api/v1/cases/{case_id}'],
  aliases: { case_id: 'card_id' },
  tool: {
    name: 'get_card',
    description: 'Read one card that search_records found, in parts of 12,000 characters.',
    readOnly: true,
    input: CardId.extend({ include_evidences: z.boolean().default(true) }),
    thin: thinCard,
  },
  input: CardId.extend({ include_evidences: z.boolean().default(false) }),
  output: CaseResponse,
  errors: [404],
  run: async (ctx, { card_id, include_evidences }) => {
    const { row, supersededBy, mergedFrom } = await answering(ctx, await readableCard(ctx, card_id))
    noteOpened(ctx, card_id)
    noteReads(ctx, [row])
    const own = answerOf(row, ctx.now())
    const card =
      supersededBy || mergedFrom ? { ...own, superseded_by: supersededBy, merged_from: mergedFrom } : own
    if (!include_evidences) return card
    return withEvidences(card, await allEvidences(ctx, row))
  },
})

/** A filter reads the beginning of every public card for each of its words; search has an index for that. */
const MAX_FILTER_WORDS = 16
const FILTERS_A_MINUTE = 120

function requireModestFilter(ctx: UserCtx, { q, contains, scope }: ListFilter): void {
  if (q === undefined && contains === undefined) return
  if (q !== undefined && scope !== 'public')
    throw invalid('q', 'This text filter works with scope=public only; elsewhere use contains')
  const field = q === undefined ? 'contains' : 'q'
  if (filterWords(`${q ?? ''} ${contains ?? ''}`).length > MAX_FILTER_WORDS)
    throw invalid(
      field,
      `The text filter takes at most ${MAX_FILTER_WORDS} different words; search takes more`,
    )
  if (!ctx.config.rateLimit) return
  const state = ctx.limits.hit(`filter:${ctx.viewer.userId}`, FILTERS_A_MINUTE)
  if (state.exceeded) throw rateLimited(state, 'Too many lists with a text filter.')
}

type Query = z.output<typeof CardListQuery> & Partial<z.output<typeof CaseListQuery>>

async function list(
  ctx: UserCtx,
  { workspace_id, without_personal, sort, page, page_size, ...asked }: Query,
) {
  const filter: ListFilter = { ...asked, workspaceId: workspace_id, withoutPersonal: without_personal }
  requireModestFilter(ctx, filter)
  if (filter.scope === 'workspace' && filter.workspaceId !== undefined)
    await requireVisible(ctx, filter.workspaceId)
  const { rows, total } = await listCards(ctx.db, ctx.viewer.userId, filter, { page, page_size, order: sort })
  const found = rows.map(({ row }) => row)
  noteReads(ctx, found)
  const successors = await successorsOnPage(ctx, found)
  const items = presentPage(rows, ctx.now()).map((card) => ({
    ...card,
    superseded_by: successors.get(card.card_id) ?? null,
  }))
  return { items, total, page, page_size }
}

const LIST_DESCRIPTION =
  'Newest first, or as sort says. scope=personal lists the cards that the caller owns; scope=workspace those of the workspaces that the caller is a member of, or of workspace_id; scope=public the public library. Nobody finds another person’s unpublished card here.'

export const listCases = capability({
  name: 'cases.list',
  summary: 'A page of cards, with track and text filter',
  description: LIST_DESCRIPTION,
  scopes: ['search'],
  rest: ['GET /api/v1/cases'],
  input: CaseListQuery,
  output: CaseListResponse,
  errors: [404],
  run: list,
})

export const listCardsPage = capability({
  name: 'cards.list',
  summary: 'A page of cards',
  description: LIST_DESCRIPTION,
  scopes: ['search'],
  rest: ['GET /api/v1/cards'],
  input: CardListQuery,
  output: CaseListResponse,
  errors: [404],
  run: list,
})
