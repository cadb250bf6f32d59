import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { PencilOff } from 'lucide-react'
import { useState } from 'react'
import type { CardField } from '#server/shared/card-fields.ts'
import { ApiError, call } from '../../api/client.ts'
import { queryClient, SENT_WHEN_BACK } from '../../api/query.ts'
import type { Card } from '../../api/types.ts'
import { formatAgo } from '../../lib/format.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { EmptyState, FormError, Notice, NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { CardForm } from './card-form.tsx'
import { cardQuery, isOutOfReach, mergedInto } from './card-queries.ts'
import {
  type Choices,
  changesOf,
  type Draft,
  draftOf,
  type Ground,
  isSameDraft,
  isSavedAs,
  labelledTexts,
  mergeDrafts,
  unsavedPart,
} from './draft.ts'
import { EditorFrame, useSaving } from './editor-frame.tsx'
import { ReadersLine } from './readers.tsx'
import { type RefusedRule, refusedLine, refusedRules } from './refusals.ts'
import * as strings from './strings.ts'
import { AsNewCard, KeptText, useDraft } from './use-draft.tsx'
import { FieldDiff } from './version-diff.tsx'

export function EditCard() {
  const { cardId } = useParams({ from: '/app/cards/$cardId/edit' })
  const card = useQuery({
    ...cardQuery(cardId),
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (card.data?.evidences) return <Loaded key={cardId} card={card.data} />
  return (
    <>
      <NotLoaded isPage query={card}>
        <SkeletonPage />
      </NotLoaded>
      {isOutOfReach(card.error) && <KeptText cardId={cardId} />}
    </>
  )
}

/** An open editor stays open, with its text; saving reports lost permission. */
function Loaded({ card }: { card: Card }) {
  const [loaded] = useState(card)
  return (
    <>
      {loaded.merged_from && <KeptText cardId={loaded.merged_from} />}
      {loaded.can_edit ? <Editor loaded={loaded} /> : <MayNotEdit card={loaded} />}
    </>
  )
}

const MayNotEdit = ({ card }: { card: Card }) => (
  <>
    <EmptyState
      isPage
      icon={<PencilOff size={18} />}
      title={strings.mayNotEditTitle}
      action={
        <LinkButton to="/cards/$cardId" params={{ cardId: card.card_id }} look="primary">
          {strings.readTheCard}
        </LinkButton>
      }
    >
      {strings.mayNotEditHint}
    </EmptyState>
    <KeptText cardId={card.card_id} />
  </>
)

const savedWords = ({ review, status }: Card, isMerged: boolean): string =>
  review.status === 'rejected' && status === 'published'
    ? strings.savedWithFinding
    : isMerged
      ? strings.savedWithTheirs
      : strings.saved

type Save = {
  card_id: string
  ground: Ground
  saving: ReturnType<typeof useSaving>['saving']
  onConflict: (theirs: Card) => void
}

/** A card that others change all the time is not tried for ever. */
const MAX_TRIES = 4

/** Saves the changed fields. What others changed meanwhile stays; only a field that both changed is asked about. */
const useSave = ({ card_id, ground, saving, onConflict }: Save) =>
  useMutation({
    ...SENT_WHEN_BACK,
    ...saving,
    mutationFn: async (written: Draft) => {
      let [{ base, version }, draft] = [ground, written]
      for (let tries = 1; ; tries++)
        try {
          return await call(
            'PATCH /api/v1/cards/{card_id}',
            { card_id, ...changesOf(draft, base) },
            { headers: { 'If-Match': `"${version}"` } },
          )
        } catch (error) {
          const { queryKey } = cardQuery(card_id)
          if (isOutOfReach(error)) void queryClient.invalidateQueries({ queryKey, refetchType: 'none' })
          if (!(error instanceof ApiError && error.status === 412)) throw error
          const present = await queryClient.fetchQuery({ ...cardQuery(card_id), staleTime: 0 })
          if (present.merged_from) throw mergedInto(present.card_id)
          const merged = mergeDrafts(base, draft, draftOf(present))
          if (merged.asked.length > 0 || tries === MAX_TRIES) {
            onConflict(present)
            throw error
          }
          // The save succeeded and only its answer was lost, or the others wrote the same.
          if (isSavedAs(merged.draft, present)) return present
          ;({ base, version, draft } = {
            base: draftOf(present),
            version: present.version,
            draft: merged.draft,
          })
        }
    },
  })

/** Saves the changed fields only; a field that somebody else changed too is shown first. */
function Editor({ loaded }: { loaded: Card }) {
  const navigate = useNavigate()
  const params = { cardId: loaded.card_id }
  const [base, setBase] = useState(loaded)
  const [theirs, setTheirs] = useState<Card | null>(null)
  const { draft, newest, change, savedAt, restored, discard, forget, ground, setGround } = useDraft(
    loaded.card_id,
    draftOf(base),
    base.version,
  )
  const { isSaving, saving } = useSaving(loaded.card_id, (card, sent) => {
    forget()
    toast(savedWords(card, card.version > ground.version + 1))
    if (!isSameDraft(newest.current, sent)) {
      const merged = mergeDrafts(sent, newest.current, draftOf(card))
      setBase(card)
      setGround(
        merged.asked.length > 0
          ? { base: sent, version: ground.version }
          : { base: draftOf(card), version: card.version },
      )
      return change(unsavedPart(merged.draft, sent))
    }
    return navigate({ to: '/cards/$cardId', params })
  })
  const save = useSave({ card_id: loaded.card_id, ground, saving, onConflict: setTheirs })
  const decide = (newer: Card, choices: Choices) => {
    change(mergeDrafts(ground.base, newest.current, draftOf(newer), choices).draft)
    setGround({ base: draftOf(newer), version: newer.version })
    setBase(newer)
    setTheirs(null)
    save.reset()
  }
  const api = save.error instanceof ApiError ? save.error : null
  const stale = api?.status === 412
  const refused = refusedRules(save.error, draft.card_type)
  return (
    <EditorFrame
      title={strings.editCard}
      back={
        <Link to="/cards/$cardId" params={params} className="line-clamp-1 text-faint hover:text-ink">
          {base.title}
        </Link>
      }
      lead={<ReadersLine card={base} />}
      draft={draft}
      savedAt={savedAt}
      stored={base.evidences ?? []}
      cites={base.cites}
      isForLibrary={base.home.kind === 'library'}
      busy={isSaving}
      saveLabel={
        base.status === 'published' && base.readers.kind !== 'owner'
          ? strings.saveForAllReaders
          : strings.save
      }
      onSave={() => save.mutate(draft)}
      onDiscard={() => {
        discard()
        setTheirs(null)
        save.reset()
      }}
      waits={save.isPaused}
      problem={theirs ?? (stale ? null : save.error)}
      notices={
        <>
          {restored && !stale && <Notice>{strings.draftIsBack(formatAgo(restored.savedAt))}</Notice>}
          {theirs && (
            <Conflict
              key={theirs.version}
              base={ground.base}
              mine={draft}
              theirs={theirs}
              onDecided={(choices) => decide(theirs, choices)}
            />
          )}
          {isOutOfReach(api) && (
            <AsNewCard cardId={loaded.card_id} draft={draft} why={api} onMoved={forget} />
          )}
          {!stale && !isOutOfReach(api) && <NotSaved error={save.error} refused={refused} />}
        </>
      }
    >
      <CardForm
        draft={draft}
        change={change}
        cardId={loaded.card_id}
        stored={base.evidences ?? []}
        fieldError={(name) => api?.field(name) ?? refused.find(({ field }) => field === name)?.text}
      />
    </EditorFrame>
  )
}

/** What a refused review says about a field stands beside it. */
function NotSaved({ error, refused }: { error: unknown; refused: RefusedRule[] }) {
  if (refused.length === 0) return <FormError error={error} />
  const others = refused.filter(({ field }) => field === '' || field === 'cites').map(refusedLine)
  return (
    <Notice tone="bad">
      <p>{strings.notSavedBecause}</p>
      <ul className="list-disc pl-4">
        {others.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Notice>
  )
}

type ConflictProps = { base: Draft; mine: Draft; theirs: Card; onDecided: (choices: Choices) => void }

/** Asks about each field that both changed. The last answer puts the merged text into the form. */
function Conflict({ base, mine, theirs, onDecided }: ConflictProps) {
  const [choices, setChoices] = useState<Choices>({})
  const other = draftOf(theirs)
  const { asked } = mergeDrafts(base, mine, other, choices)
  const [texts, theirTexts] = [labelledTexts(mine), labelledTexts(other)]
  const choose = (field: CardField, side: 'mine' | 'theirs') => {
    const next = { ...choices, [field]: side }
    setChoices(next)
    if (asked.every((one) => next[one])) onDecided(next)
  }
  return (
    <Notice tone="warn">
      <p>{strings.conflictLead(formatAgo(theirs.updated_at))}</p>
      {asked.map((field) => (
        <section key={field} aria-label={texts[field].label} className="mt-3 grid gap-2">
          <h3 className="text-xs font-medium text-soft">{texts[field].label}</h3>
          <FieldDiff before={theirTexts[field].text} after={texts[field].text} />
          <span className="flex flex-wrap gap-2">
            <Button size="sm" onClick={() => choose(field, 'mine')}>
              {strings.keepMine(texts[field].label)}
            </Button>
            <Button size="sm" onClick={() => choose(field, 'theirs')}>
              {strings.takeTheirs(texts[field].label)}
            </Button>
          </span>
        </section>
      ))}
      {asked.length === 0 && (
        <Button size="sm" onClick={() => onDecided(choices)}>
          {strings.goOn}
        </Button>
      )}
    </Notice>
  )
}
