import type { UserCtx } from '../../core/context.ts'
import { beginningOf } from '../../text/cut-text.ts'
import type { CardRow } from './access.ts'
import { evidenceRoom, evidencesOf, findCard, isMerged, mergedIds } from './cards.store.ts'
import { contributorFor } from './contributor.ts'
import { presentEvidence } from './present.ts'
import { readableTitles } from './titles.ts'

export type Answering = {
  row: CardRow
  /** The card that took its place, if the viewer may read it. */
  supersededBy: { card_id: string; title: string } | null
  /** The id that was asked for, if another card answers. */
  mergedFrom: string | undefined
}

/** The card that took its place, if the viewer may read it. */
export const successorOf = async (ctx: UserCtx, { superseded_by }: CardRow): Promise<CardRow | undefined> =>
  superseded_by === null ? undefined : await findCard(ctx.db, ctx.viewer.userId, superseded_by)

const pointerTo = (card: CardRow | undefined): Answering['supersededBy'] =>
  card ? { card_id: card.card_id, title: card.title } : null

/**
 * A merged card answers with the one that took it in; a superseded one answers itself and points to its successor. A card
 * that took in another can be superseded too.
 */
export async function answering(ctx: UserCtx, row: CardRow): Promise<Answering> {
  const successor = await successorOf(ctx, row)
  if (!successor || !(await isMerged(ctx.db, row.card_id)))
    return { row, supersededBy: pointerTo(successor), mergedFrom: undefined }
  const supersededBy = pointerTo(await successorOf(ctx, successor))
  return { row: successor, supersededBy, mergedFrom: row.card_id }
}

/** In a list a title only names the card; a page of long ones would have no room for the cards themselves. */
const LISTED_TITLE = 200

/** For a page of a list: the successor of each card that has one, by the id of the card. */
export async function successorsOnPage(
  ctx: UserCtx,
  rows: readonly Pick<CardRow, 'card_id' | 'superseded_by'>[],
): Promise<Map<string, NonNullable<Answering['supersededBy']>>> {
  const superseded = rows.flatMap(({ card_id, superseded_by }) =>
    superseded_by === null ? [] : [{ card_id, superseded_by }],
  )
  const titles = await readableTitles(
    ctx,
    superseded.map(({ superseded_by }) => superseded_by),
  )
  return new Map(
    superseded.flatMap(({ card_id, superseded_by }) => {
      const next = titles.get(superseded_by)
      return next ? [[card_id, { ...next, title: beginningOf(next.title, LISTED_TITLE) }] as const] : []
    }),
  )
}

/** The card, and those that it has taken in and that the viewer may read. */
export async function withMerged(ctx: UserCtx, card: CardRow): Promise<CardRow[]> {
  const merged = await mergedIds(ctx.db, ctx.viewer.userId, card.card_id)
  const taken = await Promise.all(merged.map((cardId) => findCard(ctx.db, ctx.viewer.userId, cardId)))
  return [card, ...taken.filter((one) => one !== undefined)]
}

/** Its own evidence, then that of the cards it has taken in, each with where it comes from. */
export async function allEvidences(ctx: UserCtx, card: CardRow) {
  const room = evidenceRoom()
  const all = []
  for (const source of await withMerged(ctx, card))
    for (const row of await evidencesOf(ctx.db, source.card_id, room))
      all.push({
        ...presentEvidence(row),
        added_by: contributorFor(ctx, source, { by: row.added_by, at: row.created_at }),
        ...(source === card ? {} : { from_card_id: source.card_id }),
      })
  return all
}
