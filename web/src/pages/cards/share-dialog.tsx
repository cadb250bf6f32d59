import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Globe, Lock, PenLine, Users } from 'lucide-react'
import { useId, useState } from 'react'
import { LICENCE_TEXTS, LICENCES, type Licence, mustStay } from '#server/shared/licences.ts'
import { MAX_PUBLISH_REWARDS_PER_DAY } from '#server/shared/reward-limit.ts'
import { ApiError } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Card } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { credits, plural } from '../../lib/format.ts'
import { configQuery, creditsPolicyQuery, refreshMe, useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { ErrorText, Notice, PartNotLoaded, Skeleton } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { ownModerationQuery } from '../moderation/moderation-queries.ts'
import { cardChanged, listsChanged } from './card-queries.ts'
import { emptyDraft, fieldsOf } from './draft.ts'
import { refusedLine, refusedRules } from './refusals.ts'
import { type Reviewed, ReviewList, useReview } from './review-checklist.tsx'
import {
  applyTarget,
  currentTarget,
  isSameTarget,
  type Option,
  type Shareable,
  type Target,
  undoTarget,
  useOptions,
} from './sharing.ts'
import * as strings from './strings.ts'

type ShareDialogProps = {
  cards: readonly Shareable[]
  onClose: () => void
  /** Gets the cards that were refused. */
  onShared?: (left: readonly Shareable[]) => void
}

/** Sets who reads one card or many: private, a team, or the library. */
export function ShareDialog({ cards, onClose, onShared }: ShareDialogProps) {
  const [only] = cards.length === 1 ? cards : []
  // The last refused card of many is still named.
  const [many] = useState(!only)
  const present = commonTarget(cards)
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
  // Every licence is shown to the owner before it is given.
  const toLibrary = isChanged && target.kind === 'library'
  const review = useCardReview(only, toLibrary)
  const isReady = isChanged && (!toLibrary || (config !== undefined && review.mayPublish))
  const isNowhere = options?.every((option) => present && isSameTarget(option.target, present))
  const name = options?.find((option) => target && isSameTarget(option.target, target))?.name ?? ''
  return (
    <FormDialog
      onClose={onClose}
      title={only ? strings.shareThisCard : strings.shareCards(plural(cards.length, 'card'))}
      description={only ? strings.nowReadBy(only.readers.text) : whoReads(cards)}
      action={actionOf(target, name, cards.length, reward)}
      ready={isReady}
      busy={sharing.isPending}
      onSubmit={() => target && sharing.mutate({ cards, target })}
    >
      {/* Holds the focus until the choices are loaded. */}
      <div tabIndex={-1} data-autofocus={options ? undefined : ''} className="focus:outline-none">
        {options ? (
          <Choice options={options} value={target} onChange={setTarget} present={present} />
        ) : (
          <PartNotLoaded what={strings.teamsList} query={workspaces}>
            <Skeleton className="h-8 w-full" />
          </PartNotLoaded>
        )}
      </div>
      {isNowhere && <Notice>{strings.noOtherPlace(only ? 'this card' : 'these cards')}</Notice>}
      {toLibrary && (
        <>
          <LicenceChoice
            cards={cards}
            value={target.licence}
            onChange={(licence) => setTarget({ kind: 'library', licence })}
          />
          <LibraryReview cards={cards} reward={reward} review={review.reviewed} />
        </>
      )}
      {isChanged && cards.some((card) => card.home.kind === 'library') && target.kind !== 'library' && (
        <Notice tone="warn">
          {strings.leavesLibrary(plural(cards.filter((card) => card.home.kind === 'library').length, 'card'))}
        </Notice>
      )}
      <Refusals refused={refused} many={many} />
    </FormDialog>
  )
}

/** Returns the place of the cards if they share one. A published card may be published again with a licence. */
function commonTarget(cards: readonly Shareable[]): Target | undefined {
  const [first, ...others] = cards.map(currentTarget)
  if (!first || (others.length > 0 && first.kind === 'library')) return
  return others.every((other) => isSameTarget(other, first)) ? first : undefined
}

const whoReads = (cards: readonly Shareable[]): string => {
  const texts = [...new Set(cards.map((card) => card.readers.text))]
  return strings.nowReadByMany(texts.slice(0, 3).join('; '), texts.length > 3 ? ' and others' : '')
}

function actionOf(target: Target | undefined, name: string, count: number, reward: number): string {
  const what = count === 1 ? '' : ` ${plural(count, 'card')}`
  if (target?.kind === 'private') return count === 1 ? strings.keepToYourself : strings.makePrivate(what)
  if (target?.kind === 'draft') return strings.makeDraft
  if (target?.kind === 'library') return strings.publishCards(what, reward > 0 ? ` · earn ${reward}` : '')
  if (target?.kind === 'team') return strings.shareWith(what, name)
  return strings.share
}

type ChoiceProps = {
  options: Option[]
  value: Target | undefined
  present: Target | undefined
  onChange: (target: Target) => void
}

const ICONS = { private: Lock, draft: PenLine, team: Users, library: Globe } as const

const keyOf = (target: Target) => (target.kind === 'team' ? target.workspaceId : target.kind)

function Choice({ options, value, present, onChange }: ChoiceProps) {
  const name = useId()
  return (
    <fieldset className="grid gap-1">
      <legend className="sr-only">{strings.whoCanRead}</legend>
      {options.map((option) => {
        const Icon = ICONS[option.target.kind]
        const isChosen = value !== undefined && isSameTarget(value, option.target)
        return (
          <label
            key={keyOf(option.target)}
            className={cx(
              'flex items-start gap-2.5 rounded-md border px-3 py-2 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent',
              isChosen ? 'border-accent bg-chosen' : 'border-line hover:bg-hover',
            )}
          >
            <input
              type="radio"
              name={name}
              className="mt-1 accent-accent"
              checked={isChosen}
              onChange={() => onChange(option.target)}
            />
            <Icon size={16} aria-hidden className="mt-0.5 shrink-0 text-faint" />
            <span className="min-w-0 grow">
              <span className="flex items-center gap-2 text-sm font-medium">
                <span className="truncate">{option.name}</span>
                {present && isSameTarget(present, option.target) && <Badge>{strings.nowBadge}</Badge>}
              </span>
              <span className="block text-xs text-soft">{option.hint}</span>
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}

/** Returns the maximum reward: new publications only, up to the daily limit. */
function usePublishReward(cards: readonly Shareable[]): number {
  const { data: config } = useQuery(configQuery)
  const { data: policy } = useQuery(creditsPolicyQuery)
  if (!config?.credits) return 0
  const unpublished = cards.filter((card) => card.home.kind !== 'library').length
  return Math.min(unpublished, MAX_PUBLISH_REWARDS_PER_DAY) * (policy?.publish_reward_credits ?? 0)
}

const NO_CONTENT = fieldsOf(emptyDraft())

/** Says whether one card passes; of many, each is reviewed by the server. */
function useCardReview(only: Shareable | undefined, isWanted: boolean) {
  const full = only?.steps ? { ...only, steps: only.steps } : undefined
  const reviewed = useReview({
    content: full ?? NO_CONTENT,
    evidences: full?.evidences ?? [],
    evidenceCount: full?.evidence_count ?? 0,
    isWanted: isWanted && full !== undefined,
  })
  const mayBeCleared = reviewed !== null && !reviewed.isSafe
  const matters = useQuery({ ...ownModerationQuery(only?.card_id ?? ''), enabled: mayBeCleared }).data
    ?.matters
  const isDecided = matters?.some(
    ({ status, card_version }) => status === 'decided' && card_version === full?.version,
  )
  return {
    reviewed: full && reviewed,
    mayPublish: reviewed === null || reviewed.passed || (mayBeCleared && isDecided === true),
  }
}

type LibraryReviewProps = {
  cards: readonly Shareable[]
  reward: number
  review: Reviewed | null | undefined
}

function LibraryReview({ cards, reward, review }: LibraryReviewProps) {
  const [only] = cards.length === 1 ? cards : []
  const earns = reward > 0 ? strings.earns(plural(reward, 'credit'), cards.length) : ''
  if (only?.steps)
    return (
      <>
        {review ? (
          <ReviewList review={review} content={{ ...only, steps: only.steps }} />
        ) : (
          <Skeleton className="w-2/3" aria-hidden />
        )}
        {only.can_edit && review?.passed === false && (
          <Link to="/cards/$cardId/edit" params={{ cardId: only.card_id }} className="text-sm underline">
            {strings.editCard}
          </Link>
        )}
        {earns && <p className="text-xs text-faint">{earns}</p>}
      </>
    )
  return <Notice>{strings.eachIsReviewed(plural(cards.length, 'card'), earns)}</Notice>
}

const HINTS: Record<Licence, string> = {
  'CC0-1.0': strings.licenceNoConditions,
  'CC-BY-4.0': strings.licenceNameAuthor,
  'CC-BY-SA-4.0': strings.licenceShareAlike,
  MIT: strings.licenceForCode,
}

/** Returns the licence that a card has already, from this version or from its import. */
function fixedLicence(cards: readonly Shareable[]): Licence | undefined {
  const [only] = cards.length === 1 ? cards : []
  if (only?.publication?.licence) return only.publication.licence
  return only?.origin && mustStay(only.origin.licence) ? only.origin.licence : undefined
}

type LicenceChoiceProps = {
  cards: readonly Shareable[]
  value: Licence | undefined
  onChange: (licence: Licence) => void
}

/** Sets the licence of a publication. It is irrevocable for this version. */
function LicenceChoice({ cards, value, onChange }: LicenceChoiceProps) {
  const query = useQuery(configQuery)
  const config = query.data
  const fixed = fixedLicence(cards)
  if (!config) return <PartNotLoaded what={strings.licencePart} query={query} />
  const chosen = fixed ?? value ?? config.library_licence
  return (
    <div className="grid gap-1">
      <SelectField
        label={strings.licence}
        value={chosen}
        disabled={fixed !== undefined}
        onChange={(event) => onChange(event.target.value as Licence)}
        hint={fixed ? strings.licenceIsFixed : strings.licenceIsForEver}
      >
        {LICENCES.map((licence) => (
          <option key={licence} value={licence}>
            {licence}: {HINTS[licence]}
          </option>
        ))}
      </SelectField>
      <a
        href={LICENCE_TEXTS[chosen]}
        target="_blank"
        rel="license noreferrer"
        className="text-xs text-soft underline hover:text-ink"
      >
        {strings.readTheLicence}
      </a>
    </div>
  )
}

function Refusals({ refused, many }: { refused: readonly Refusal[]; many: boolean }) {
  if (refused.length === 0) return null
  return (
    <Notice tone="bad">
      {many && <p className="font-medium">{strings.cardsStayed(plural(refused.length, 'card'))}</p>}
      <ul className="grid gap-1.5">
        {refused.map(({ card, error }) => (
          <li key={card.card_id}>
            {many && <span className="block truncate font-medium">{card.title}</span>}
            <Reason card={card} error={error} />
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function Reason({ card, error }: Refusal) {
  if (!(error instanceof ApiError)) return <ErrorText error={error} />
  if (error.code === 'duplicate_card')
    return (
      <>
        {strings.libraryHasIt}
        <Link to="/cards/$cardId" params={{ cardId: String(error.extra.duplicate_of) }} className="underline">
          {strings.openThatCard}
        </Link>
        {strings.nothingWasChargedEnd}
      </>
    )
  const refused = refusedRules(error, card.card_type)
  if (refused.length === 0) return <ErrorText error={error} />
  return (
    <>
      {strings.notPublishedBecause}
      <ul className="mt-1 list-disc pl-4">
        {refused.map((one) => (
          <li key={refusedLine(one)}>{refusedLine(one)}</li>
        ))}
      </ul>
    </>
  )
}

type Refusal = { card: Shareable; error: unknown }
type Outcome = { done: { before: Shareable; after: Card }[]; refused: Refusal[] }

/** One card after the other, so that a refusal is shown beside the successes. */
async function shareAll(cards: readonly Shareable[], target: Target, personalId: string): Promise<Outcome> {
  const outcome: Outcome = { done: [], refused: [] }
  for (const card of cards) {
    try {
      const after = await applyTarget(card, target, personalId)
      cardChanged(after)
      outcome.done.push({ before: card, after })
    } catch (error) {
      void queryClient.invalidateQueries({ queryKey: ['card', card.card_id] })
      outcome.refused.push({ card, error })
    }
  }
  listsChanged()
  void refreshMe()
  return outcome
}

async function undoAll({ done }: Outcome): Promise<void> {
  for (const { before, after } of done) {
    try {
      await undoTarget(before, after)
    } catch (error) {
      toastError(error)
    }
    void queryClient.invalidateQueries({ queryKey: ['card', before.card_id] })
  }
  listsChanged()
}

function resultText({ done }: Outcome, target: Target): string {
  const [first] = done
  if (!first) return ''
  const earned = done.reduce((sum, { after }) => sum + (after.credits_earned ?? 0), 0)
  const reward = earned > 0 ? strings.youEarned(credits(earned)) : ''
  const who = first.after.readers.text
  if (target.kind === 'library')
    return strings.publishedToLibrary(
      done.length === 1 ? 'Published' : `${plural(done.length, 'card')} published`,
      reward,
    )
  return done.length === 1 ? strings.whoCanReadNow(who) : `${plural(done.length, 'card')}: ${who}.`
}

/** Shares one card or many, with one undo for all that worked. */
function useSharing(onDone: (refused: Refusal[]) => void) {
  const { personal_workspace_id, user_id } = useMe()
  return useMutation({
    mutationFn: ({ cards, target }: { cards: readonly Shareable[]; target: Target }) =>
      shareAll(cards, target, personal_workspace_id),
    onSuccess: (outcome, { target }) => {
      // Only the owner may take a card back.
      const mayUndo = outcome.done.every(({ before }) => before.owner_id === user_id)
      if (outcome.done.length > 0)
        toast(resultText(outcome, target), mayUndo ? { undo: () => void undoAll(outcome) } : {})
      onDone(outcome.refused)
    },
  })
}
