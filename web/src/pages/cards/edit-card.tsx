import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { PencilOff } from 'lucide-react'
import { useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient, SENT_WHEN_BACK } from '../../api/query.ts'
import type { Card } from '../../api/types.ts'
import { formatAgo } from '../../lib/format.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { EmptyState, FormError, Notice, NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { CardForm } from './card-form.tsx'
import { cardQuery, isOutOfReach, mergedInto } from './card-queries.ts'
import { changesOf, type Draft, draftOf, isSameDraft, isSavedAs, unsavedPart } from './draft.ts'
import { EditorFrame, useSaving } from './editor-frame.tsx'
import { ReadersLine } from './readers.tsx'
import * as strings from './strings.ts'
import { AsNewCard, KeptText, useDraft } from './use-draft.tsx'
import { VersionDiff } from './version-diff.tsx'

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

const savedWords = ({ review, status }: Card): string =>
  review.status === 'rejected' && status === 'published' ? strings.savedWithFinding : strings.saved

type Save = {
  base: Card
  version: number
  saving: ReturnType<typeof useSaving>['saving']
  onConflict: (theirs: Card) => void
}

const useSave = ({ base, version, saving, onConflict }: Save) =>
  useMutation({
    ...SENT_WHEN_BACK,
    ...saving,
    mutationFn: async (draft: Draft) => {
      try {
        return await call(
          'PATCH /api/v1/cards/{card_id}',
          { card_id: base.card_id, ...changesOf(draft, base) },
          { headers: { 'If-Match': `"${version}"` } },
        )
      } catch (error) {
        const { queryKey } = cardQuery(base.card_id)
        if (isOutOfReach(error)) void queryClient.invalidateQueries({ queryKey, refetchType: 'none' })
        if (!(error instanceof ApiError && error.status === 412)) throw error
        const present = await queryClient.fetchQuery({ ...cardQuery(base.card_id), staleTime: 0 })
        if (present.merged_from) throw mergedInto(present.card_id)
        // The save succeeded and only its answer was lost.
        if (isSavedAs(draft, present)) return present
        onConflict(present)
        throw error
      }
    },
  })

/** Saves on top of the loaded version; a newer version on the server is shown first. */
function Editor({ loaded }: { loaded: Card }) {
  const navigate = useNavigate()
  const params = { cardId: loaded.card_id }
  const [base, setBase] = useState(loaded)
  const [theirs, setTheirs] = useState<Card | null>(null)
  const { draft, newest, change, savedAt, restored, discard, forget, baseVersion } = useDraft(
    loaded.card_id,
    draftOf(base),
    base.version,
  )
  const [version, setVersion] = useState(baseVersion)
  const { isSaving, saving } = useSaving(loaded.card_id, (card, sent) => {
    forget()
    toast(savedWords(card))
    if (!isSameDraft(newest.current, sent)) {
      setBase(card)
      setVersion(card.version)
      return change(unsavedPart(newest.current, sent))
    }
    return navigate({ to: '/cards/$cardId', params })
  })
  const save = useSave({ base, version, saving, onConflict: setTheirs })
  const keepMine = (newer: Card) => {
    setVersion(newer.version)
    setBase(newer)
    setTheirs(null)
    save.reset()
  }
  const takeTheirs = () => {
    discard(() => void navigate({ to: '/cards/$cardId/edit', params }))
    void queryClient.invalidateQueries({ queryKey: ['card', loaded.card_id] })
    void navigate({ to: '/cards/$cardId', params })
  }
  const api = save.error instanceof ApiError ? save.error : null
  const stale = api?.status === 412
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
      busy={isSaving}
      saveLabel={
        base.status === 'published' && base.readers.kind !== 'owner'
          ? strings.saveForAllReaders
          : strings.save
      }
      onSave={() => save.mutate(draft)}
      onDiscard={() => {
        discard(() => setVersion(baseVersion))
        setVersion(base.version)
      }}
      waits={save.isPaused}
      problem={theirs ?? (stale ? null : save.error)}
      notices={
        <>
          {restored && !stale && <Notice>{strings.draftIsBack(formatAgo(restored.savedAt))}</Notice>}
          {theirs && (
            <ConflictNotice
              mine={draft}
              theirs={theirs}
              onKeepMine={() => keepMine(theirs)}
              onTakeTheirs={takeTheirs}
            />
          )}
          {isOutOfReach(api) && (
            <AsNewCard cardId={loaded.card_id} draft={draft} why={api} onMoved={forget} />
          )}
          {!stale && !isOutOfReach(api) && <FormError error={save.error} />}
        </>
      }
    >
      <CardForm
        draft={draft}
        change={change}
        cardId={loaded.card_id}
        stored={base.evidences ?? []}
        fieldError={(name) => api?.field(name)}
      />
    </EditorFrame>
  )
}

type Props = { mine: Draft; theirs: Card; onKeepMine: () => void; onTakeTheirs: () => void }

function ConflictNotice({ mine, theirs, onKeepMine, onTakeTheirs }: Props) {
  return (
    <div className="grid gap-3">
      <Notice
        tone="warn"
        action={
          <span className="flex flex-wrap gap-2">
            <Button size="sm" onClick={onTakeTheirs}>
              {strings.takeTheirs}
            </Button>
            <Button size="sm" onClick={onKeepMine}>
              {strings.goOnWithMine}
            </Button>
          </span>
        }
      >
        {strings.conflictLead(formatAgo(theirs.updated_at), theirs.version)}
      </Notice>
      <details className="rounded-md border border-line px-3 py-2" open>
        <summary className="text-sm">{strings.conflictDiff}</summary>
        <div className="pt-3">
          <VersionDiff before={draftOf(theirs)} after={mine} />
        </div>
      </details>
    </div>
  )
}
