import { useQuery } from '@tanstack/react-query'
import type { Licence } from '#server/shared/licences.ts'
import { call } from '../../api/client.ts'
import type { Card, ListedCard, User, Workspace } from '../../api/types.ts'
import { plural } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import * as strings from './strings.ts'

export type Shareable = Card | ListedCard

export type Target =
  | { kind: 'private' }
  | { kind: 'draft' }
  | { kind: 'team'; workspaceId: string }
  | { kind: 'library'; licence?: Licence }

type Standing = Pick<Shareable, 'card_id' | 'status' | 'workspace_id' | 'origin_workspace_id'>

const isAway = (card: Standing) => card.workspace_id !== card.origin_workspace_id

export function currentTarget(card: Shareable): Target {
  if (card.home.kind === 'library') return { kind: 'library' }
  if (card.home.kind === 'personal') return { kind: 'private' }
  return card.status === 'published' ? { kind: 'team', workspaceId: card.workspace_id } : { kind: 'draft' }
}

export const isSameTarget = (a: Target, b: Target): boolean =>
  a.kind === b.kind && (a.kind !== 'team' || b.kind !== 'team' || a.workspaceId === b.workspaceId)

async function unshared(card: Standing): Promise<Standing> {
  return card.status === 'published'
    ? call('POST /api/v1/cards/{card_id}/unpublish', { card_id: card.card_id })
    : card
}

const movedTo = async (card: Standing, workspace_id: string): Promise<Standing> =>
  card.workspace_id === workspace_id
    ? card
    : call('POST /api/v1/cards/{card_id}/move', { card_id: card.card_id, workspace_id })

/** Sharing with a team is one step at the server; it moves the card or changes nothing. */
export async function applyTarget(card: Shareable, target: Target, personalId: string): Promise<Card> {
  const { card_id } = card
  if (target.kind === 'team')
    return call('POST /api/v1/cards/{card_id}/share', { card_id, workspace_id: target.workspaceId })
  if (target.kind === 'library')
    return call('POST /api/v1/cards/{card_id}/publish', {
      card_id,
      ...(target.licence ? { licence: target.licence } : {}),
    })
  if (target.kind === 'draft') return call('POST /api/v1/cards/{card_id}/unpublish', { card_id })
  // A move to the personal workspace ends sharing. Only a card published elsewhere is taken back first.
  const home = isAway(card) ? await call('POST /api/v1/cards/{card_id}/unpublish', { card_id }) : card
  return home.workspace_id === personalId
    ? call('POST /api/v1/cards/{card_id}/unpublish', { card_id })
    : call('POST /api/v1/cards/{card_id}/move', { card_id, workspace_id: personalId })
}

export async function undoTarget(before: Shareable, after: Card): Promise<void> {
  const { card_id } = before
  if (before.status === 'published' && !isAway(before) && before.home.kind === 'workspace') {
    await call('POST /api/v1/cards/{card_id}/share', { card_id, workspace_id: before.workspace_id })
    return
  }
  await movedTo(await unshared(after), before.origin_workspace_id)
  if (before.status === 'unpublished') return
  if (isAway(before))
    await call('POST /api/v1/cards/{card_id}/publish', { card_id, target_workspace_id: before.workspace_id })
  else await call('POST /api/v1/cards/{card_id}/share', { card_id })
}

export type Option = { target: Target; name: string; hint: string }

/** Only its owner decides whether strangers read a card. */
const mayBring = (card: Shareable, { workspace_id, visibility }: Workspace): boolean =>
  (card.workspace_id === workspace_id && card.status === 'published') ||
  (visibility === 'private' && !isAway(card))

/** Returns the possible homes of these cards, with the present one. */
export function useOptions(cards: readonly Shareable[], enabled = true) {
  const me = useMe()
  const workspaces = useQuery({ ...workspacesQuery, enabled })
  return { workspaces, options: workspaces.data && optionsOf(cards, workspaces.data.items, me) }
}

const areIn = (cards: readonly Shareable[], { workspace_id }: Workspace): boolean =>
  cards.every((card) => card.workspace_id === workspace_id)

function optionsOf(cards: readonly Shareable[], workspaces: readonly Workspace[], me: User): Option[] {
  const areOwn = cards.every((card) => card.owner_id === me.user_id)
  const teams = workspaces.filter(
    (one) =>
      one.workspace_id !== me.personal_workspace_id &&
      (one.role === 'admin' || one.role === 'editor') &&
      (areOwn || cards.every((card) => mayBring(card, one))),
  )
  const [only] = cards.length === 1 ? cards : []
  const draftHome = only && only.home.kind === 'workspace' && areOwn ? only.home.name : null
  return [
    ...(areOwn
      ? [{ target: { kind: 'private' } as const, name: strings.onlyYou, hint: strings.onlyYouHint }]
      : []),
    ...(draftHome
      ? [
          {
            target: { kind: 'draft' } as const,
            name: strings.draftIn(draftHome),
            hint: strings.draftInHint,
          },
        ]
      : []),
    ...teams.map((team) => ({
      target: { kind: 'team' as const, workspaceId: team.workspace_id },
      name: team.name,
      hint:
        team.visibility === 'private'
          ? strings.teamMembersRead(
              plural(team.member_count, 'person', 'people'),
              areIn(cards, team) ? '' : cards.length === 1 ? 'The card moves' : 'The cards move',
            )
          : strings.openTeamReads(plural(team.member_count, 'member')),
    })),
    ...(areOwn
      ? [
          {
            target: { kind: 'library' } as const,
            name: strings.library,
            hint: [strings.everyoneReads(me.display_name || 'no name set'), staysOf(cards)].join(' ').trim(),
          },
        ]
      : []),
  ]
}

/** Says that published cards stay those of their team, if all are of one. */
function staysOf(cards: readonly Shareable[]): string {
  const teams = new Set(cards.map(({ home }) => (home.kind === 'workspace' ? home.name : null)))
  const [team] = teams
  if (teams.size !== 1 || !team) return ''
  return strings.staysOfTeam(cards.length === 1 ? 'It stays a card' : 'They stay cards', team)
}

/** Tells whether the card can go to another home. An owner who has left a team can take the card back. */
export function useMayShare(card: Card): boolean {
  const isOwn = card.owner_id === useMe().user_id
  const mayAsk = card.can_edit && !isOwn
  const { workspaces, options } = useOptions([card], mayAsk)
  const present = currentTarget(card)
  return (
    isOwn ||
    (mayAsk && (options ? options.some(({ target }) => !isSameTarget(target, present)) : workspaces.isError))
  )
}
