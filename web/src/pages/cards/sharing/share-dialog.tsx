import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plural } from '../../../lib/format.ts'
import { useMe } from '../../../session.ts'
import { FormDialog } from '../../../ui/dialog.tsx'
import { Notice, Skeleton } from '../../../ui/states.tsx'
import { workspacesQuery } from '../../workspaces/workspace-queries.ts'
import { Choice, type Option } from './choice.tsx'
import { LibraryReview, usePublishReward } from './library-review.tsx'
import { LicenceChoice } from './licence-choice.tsx'
import { Refusals } from './refusals.tsx'
import { isSameTarget, presentTarget, type Shareable, type Target } from './sharing.ts'
import { type Refusal, useSharing } from './use-sharing.ts'

type Props = { cards: readonly Shareable[]; onClose: () => void; onShared?: () => void }

/** Who reads a card, in one place: keep it private, share it with a team, publish it. For one card and for many. */
export function ShareDialog({ cards, onClose, onShared }: Props) {
  const [only] = cards.length === 1 ? cards : []
  const present = only ? presentTarget(only) : undefined
  const [target, setTarget] = useState<Target | undefined>(present)
  const [refused, setRefused] = useState<Refusal[]>([])
  const options = useOptions(cards)
  const reward = usePublishReward(cards)
  const sharing = useSharing((left) => {
    setRefused(left)
    if (left.length > 0) return
    onShared?.()
    onClose()
  })
  const isChanged = target !== undefined && !(present && isSameTarget(present, target))
  const name = options?.find((option) => target && isSameTarget(option.target, target))?.name ?? ''
  return (
    <FormDialog
      onClose={onClose}
      title={only ? 'Share this card' : `Share ${plural(cards.length, 'card')}`}
      description={only ? `Now: ${only.readers.text}.` : whoReads(cards)}
      action={actionOf(target, name, cards.length, reward)}
      ready={isChanged}
      busy={sharing.isPending}
      onSubmit={() => target && sharing.mutate({ cards, target })}
    >
      {options ? (
        <Choice options={options} value={target} onChange={setTarget} present={present} />
      ) : (
        <Skeleton className="h-8 w-full" />
      )}
      {target?.kind === 'library' && isChanged && (
        <>
          <LicenceChoice
            cards={cards}
            value={target.licence}
            onChange={(licence) => setTarget({ kind: 'library', licence })}
          />
          <LibraryReview cards={cards} reward={reward} />
        </>
      )}
      {isChanged && cards.some((card) => card.home.kind === 'library') && target.kind !== 'library' && (
        <Notice tone="warn">
          {plural(cards.filter((card) => card.home.kind === 'library').length, 'card')} will leave the
          library. Credits that were earned stay; publishing again earns nothing.
        </Notice>
      )}
      <Refusals refused={refused} many={cards.length > 1} />
    </FormDialog>
  )
}

const whoReads = (cards: readonly Shareable[]): string => {
  const texts = [...new Set(cards.map((card) => card.readers.text))]
  return `Now: ${texts.slice(0, 3).join('; ')}${texts.length > 3 ? ' and others' : ''}.`
}

/** The button says what it does, and to how many. */
function actionOf(target: Target | undefined, name: string, count: number, reward: number): string {
  const what = count === 1 ? '' : ` ${plural(count, 'card')}`
  if (target?.kind === 'private') return count === 1 ? 'Keep it to yourself' : `Make${what} private`
  if (target?.kind === 'draft') return 'Make it a draft'
  if (target?.kind === 'library') return `Publish${what}${reward > 0 ? ` · earn ${reward}` : ''}`
  if (target?.kind === 'team') return `Share${what} with ${name}`
  return 'Share'
}

/** Only what is possible is offered: an owner decides alone who else reads a card. */
function useOptions(cards: readonly Shareable[]): Option[] | undefined {
  const me = useMe()
  const { data } = useQuery(workspacesQuery)
  if (!data) return undefined
  const areOwn = cards.every((card) => card.owner_id === me.user_id)
  const teams = data.items.filter(
    (one) => one.workspace_id !== me.personal_workspace_id && (one.role === 'admin' || one.role === 'editor'),
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
