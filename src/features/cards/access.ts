import type { UserCtx } from '../../core/context.ts'
import { AppError, forbidden, notFound } from '../../core/errors.ts'
import { findCard } from './cards.store.ts'
import { type CardRow, canEdit, isOutsider } from './select.ts'

export type { CardRow }

/** For the answer about a write that is done: its caller may have lost the card in the same moment. */
export const cardIfReadable = (ctx: UserCtx, cardId: string): Promise<CardRow | undefined> =>
  findCard(ctx.db, ctx.viewer.userId, cardId)

/** A card that the viewer may read; anybody else is told that there is none. */
export async function readableCard(ctx: UserCtx, cardId: string): Promise<CardRow> {
  const row = await cardIfReadable(ctx, cardId)
  if (!row) throw notFound('Card')
  return row
}

/** `"3"`, `W/"3"`, `3`, lists of them, and `*` for any. */
function matches(ifMatch: string, version: number): boolean {
  return ifMatch.split(',').some((part) => {
    const tag = part
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1')
    return tag === '*' || tag === String(version)
  })
}

/** `If-Match` keeps two editors from overwriting each other unknowingly. It is the version of the card in the path. */
export function requireVersion(ctx: UserCtx, row: CardRow): void {
  if (ctx.ifMatch === undefined || matches(ctx.ifMatch, row.version)) return
  throw new AppError(
    412,
    'version_mismatch',
    `The card was changed meanwhile: it is at version ${row.version}. Read it again, then repeat your change.`,
    { version: row.version },
  )
}

/** Only a shared card can be taken back; a draft that still lies in the workspace has to be moved. */
function noLongerMember({ status }: CardRow): AppError {
  const remedy =
    status === 'published'
      ? 'Take the card back with unpublish, or publish it elsewhere.'
      : 'Take the card out with move, to your personal workspace or to a team that you are in.'
  return forbidden(`You are no longer a member of this card's workspace. ${remedy}`)
}

/** A person who has left a team can no longer write there: no new card, and no change of a shared one. */
export function refuseOutsider(row: CardRow): void {
  if (isOutsider(row)) throw noLongerMember(row)
}

/** `deed` is what the caller wants to do, for the words of the refusal. */
export async function editableCard(ctx: UserCtx, cardId: string, deed = 'change'): Promise<CardRow> {
  const row = await readableCard(ctx, cardId)
  if (row.may_update !== 1)
    throw forbidden(`Only the owner, and editors and admins of its workspace, may ${deed} this card.`)
  if (!canEdit(row)) throw noLongerMember(row)
  requireVersion(ctx, row)
  return row
}

/** For a card that the path does not name, and for reading: `If-Match` says nothing about them. */
export const editableAtAnyVersion = (ctx: UserCtx, cardId: string, deed?: string): Promise<CardRow> =>
  editableCard({ ...ctx, ifMatch: undefined }, cardId, deed)

export async function ownCard(ctx: UserCtx, cardId: string, verb: string): Promise<CardRow> {
  const row = await readableCard(ctx, cardId)
  if (row.owner_id !== ctx.viewer.userId) throw forbidden(`Only the owner may ${verb} this card.`)
  requireVersion(ctx, row)
  return row
}

export async function deletableCard(ctx: UserCtx, cardId: string): Promise<CardRow> {
  const row = await readableCard(ctx, cardId)
  if (row.may_delete !== 1)
    throw forbidden('Only the owner, and admins of its workspace, may delete this card.')
  requireVersion(ctx, row)
  return row
}
