import type { Licence } from '#server/shared/licences.ts'
import { moveCard, publishCard, shareCard, unpublishCard } from '../../../api/cards.ts'
import type { Card, ListedCard } from '../../../api/types.ts'

export type Shareable = Card | ListedCard

/** Where a card goes, and so who reads it. */
export type Target =
  | { kind: 'private' }
  | { kind: 'draft' }
  | { kind: 'team'; workspaceId: string }
  | { kind: 'library'; licence?: Licence }

type Standing = Pick<Shareable, 'card_id' | 'status' | 'workspace_id' | 'origin_workspace_id'>

export const isAway = (card: Standing) => card.workspace_id !== card.origin_workspace_id

/** The present home of a card as one of the choices of the dialog. */
export function presentTarget(card: Shareable): Target {
  if (card.home.kind === 'library') return { kind: 'library' }
  if (card.home.kind === 'personal') return { kind: 'private' }
  return card.status === 'published' ? { kind: 'team', workspaceId: card.workspace_id } : { kind: 'draft' }
}

export const isSameTarget = (a: Target, b: Target): boolean =>
  a.kind === b.kind && (a.kind !== 'team' || b.kind !== 'team' || a.workspaceId === b.workspaceId)

async function unshared(card: Standing): Promise<Standing> {
  return card.status === 'published' ? unpublishCard({ card_id: card.card_id }) : card
}

const movedTo = async (card: Standing, workspace_id: string): Promise<Standing> =>
  card.workspace_id === workspace_id ? card : moveCard({ card_id: card.card_id, workspace_id })

/** Brings one card there. Sharing with a team is one step at the server; it moves the card or changes nothing. */
export async function applyTarget(card: Shareable, target: Target, personalId: string): Promise<Card> {
  const { card_id } = card
  if (target.kind === 'team') return shareCard({ card_id, workspace_id: target.workspaceId })
  if (target.kind === 'library')
    return publishCard({ card_id, ...(target.licence ? { licence: target.licence } : {}) })
  if (target.kind === 'draft') return unpublishCard({ card_id })
  // A move to the personal workspace ends sharing. Only a card that is published elsewhere is taken back first.
  const home = isAway(card) ? await unpublishCard({ card_id }) : card
  return home.workspace_id === personalId
    ? unpublishCard({ card_id })
    : moveCard({ card_id, workspace_id: personalId })
}

/** The way back: where the card was, shared as it was. */
export async function undoTarget(before: Shareable, after: Card): Promise<void> {
  const { card_id } = before
  if (before.status === 'published' && !isAway(before) && before.home.kind === 'workspace') {
    await shareCard({ card_id, workspace_id: before.workspace_id })
    return
  }
  await movedTo(await unshared(after), before.origin_workspace_id)
  if (before.status === 'unpublished') return
  if (isAway(before)) await publishCard({ card_id, target_workspace_id: before.workspace_id })
  else await shareCard({ card_id })
}
