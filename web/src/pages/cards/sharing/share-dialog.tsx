import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plural } from '../../../lib/format.ts'
import { configQuery } from '../../../session.ts'
import { FormDialog } from '../../../ui/dialog.tsx'
import { Notice, PartNotLoaded, Skeleton } from '../../../ui/states.tsx'
import { Choice } from './choice.tsx'
import { LibraryReview, usePublishReward } from './library-review.tsx'
import { LicenceChoice } from './licence-choice.tsx'
import { Refusals } from './refusals.tsx'
import { isSameTarget, presentTarget, type Shareable, type Target } from './sharing.ts'
import { useOptions } from './use-options.ts'
import { type Refusal, useSharing } from './use-sharing.ts'

type Props = {
  cards: readonly Shareable[]
  onClose: () => void
  /** Gets the cards that were refused; the others are done. */
  onShared?: (left: readonly Shareable[]) => void
}

/** Who reads a card, in one place: keep it private, share it with a team, publish it. For one card and for many. */
export function ShareDialog({ cards, onClose, onShared }: Props) {
  const [only] = cards.length === 1 ? cards : []
  // The last one of many that were refused is still named.
  const [many] = useState(!only)
  const present = presentOf(cards)
  const [target, setTarget] = useState<Target | undefined>(only && present)
  const [refused, setRefused] = useState<Refusal[]>([])
  const { workspaces, options } = useOptions(cards)
  const reward = usePublishReward(cards)
  const { data: config } = useQuery(configQuery)
  const sharing = useSharing((left) => {
    setRefused(left)
    onShared?.(left.map(({ card }) => card))
    if (left.length === 0) onClose()
  })
  const isChanged = target !== undefined && !(present && isSameTarget(present, target))
  // Nothing gets a licence that its owner was not shown.
  const isReady = isChanged && (target.kind !== 'library' || config !== undefined)
  const isNowhere = options?.every((option) => present && isSameTarget(option.target, present))
  const name = options?.find((option) => target && isSameTarget(option.target, target))?.name ?? ''
  return (
    <FormDialog
      onClose={onClose}
      title={only ? 'Share this card' : `Share ${plural(cards.length, 'card')}`}
      description={only ? `Now: ${only.readers.text}.` : whoReads(cards)}
      action={actionOf(target, name, cards.length, reward)}
      ready={isReady}
      busy={sharing.isPending}
      onSubmit={() => target && sharing.mutate({ cards, target })}
    >
      {/* Until the choices come it has the focus, which would begin behind them. */}
      <div tabIndex={-1} data-autofocus={options ? undefined : ''} className="focus:outline-none">
        {options ? (
          <Choice options={options} value={target} onChange={setTarget} present={present} />
        ) : (
          <PartNotLoaded what="The list of your teams" query={workspaces}>
            <Skeleton className="h-8 w-full" />
          </PartNotLoaded>
        )}
      </div>
      {isNowhere && (
        <Notice>There is no other place to which you may bring {only ? 'this card' : 'these cards'}.</Notice>
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
      <Refusals refused={refused} many={many} />
    </FormDialog>
  )
}

/** Where the cards are, if all are in the same place. What is published may be published again, with a licence. */
function presentOf(cards: readonly Shareable[]): Target | undefined {
  const [first, ...others] = cards.map(presentTarget)
  if (!first || (others.length > 0 && first.kind === 'library')) return
  return others.every((other) => isSameTarget(other, first)) ? first : undefined
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
