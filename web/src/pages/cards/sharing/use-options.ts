import { useQuery } from '@tanstack/react-query'
import type { Workspace } from '../../../api/team.ts'
import type { Card, User } from '../../../api/types.ts'
import { plural } from '../../../lib/format.ts'
import { useMe } from '../../../session.ts'
import { workspacesQuery } from '../../workspaces/workspace-queries.ts'
import type { Option } from './choice.tsx'
import { isAway, isSameTarget, presentTarget, type Shareable } from './sharing.ts'

/** Its owner alone decides whether strangers read a card, and takes it back from where it is published. */
const mayBring = (card: Shareable, { workspace_id, visibility }: Workspace): boolean =>
  (card.workspace_id === workspace_id && card.status === 'published') ||
  (visibility === 'private' && !isAway(card))

/** The homes that the person can give these cards, with the present one. Only what is possible is offered. */
export function useOptions(cards: readonly Shareable[], enabled = true) {
  const me = useMe()
  const workspaces = useQuery({ ...workspacesQuery, enabled })
  return { workspaces, options: workspaces.data && optionsOf(cards, workspaces.data.items, me) }
}

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
      ? [{ target: { kind: 'private' } as const, name: 'Only you', hint: 'In your personal workspace.' }]
      : []),
    ...(draftHome
      ? [
          {
            target: { kind: 'draft' } as const,
            name: `Draft in ${draftHome}`,
            hint: 'Its editors and admins can read and change it. Nobody else finds it.',
          },
        ]
      : []),
    ...teams.map((team) => ({
      target: { kind: 'team' as const, workspaceId: team.workspace_id },
      name: team.name,
      hint:
        team.visibility === 'private'
          ? `${plural(team.member_count, 'person', 'people')} can find and read it. ${cards.length === 1 ? 'The card moves' : 'The cards move'} there.`
          : `Its ${plural(team.member_count, 'member')} can find and read it, and everybody once it has passed the review.`,
    })),
    ...(areOwn
      ? [
          {
            target: { kind: 'library' } as const,
            name: 'Library',
            hint: `Everyone can find and read it, with your name (${me.display_name || 'no name set'}).`,
          },
        ]
      : []),
  ]
}

/**
 * Whether there is another home for it. An editor of one team has none for what a colleague has shared there. An owner who
 * has left a team takes the card back from there, although it cannot be edited before.
 */
export function useMayShare(card: Card): boolean {
  const isOwn = card.owner_id === useMe().user_id
  const mayAsk = card.can_edit && !isOwn
  const { workspaces, options } = useOptions([card], mayAsk)
  const present = presentTarget(card)
  return (
    isOwn ||
    (mayAsk && (options ? options.some(({ target }) => !isSameTarget(target, present)) : workspaces.isError))
  )
}
