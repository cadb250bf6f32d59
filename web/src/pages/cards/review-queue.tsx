import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { ReviewItem } from '../../api/types.ts'
import { formatAgo } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { useUsualReaders } from '../search/sections.tsx'
import { queueQuery } from './card-queries.ts'
import { ReadersLine } from './readers.tsx'
import * as strings from './strings.ts'

const route = getRouteApi('/app/review')

const REASONS: Record<ReviewItem['reason'], string> = {
  doubted: strings.doubted,
  due: strings.due,
  contradiction: strings.contradiction,
}

export function ReviewQueue() {
  const { workspace } = route.useSearch()
  const queue = useQuery(queueQuery(workspace))
  const items = queue.data?.items ?? []
  return (
    <Page
      title={strings.reviewQueue}
      lead={workspace ? strings.reviewQueueOfWorkspace : strings.reviewQueueLead}
      narrow
    >
      {!queue.data && (
        <NotLoaded query={queue}>
          <SkeletonList rows={3} />
        </NotLoaded>
      )}
      {queue.data && items.length === 0 && (
        <EmptyState icon={<ListChecks size={18} />} title={strings.nothingToLookAt}>
          {strings.reviewQueueHint}
        </EmptyState>
      )}
      {items.length > 0 && (
        <ul aria-label={strings.cardsToLookAt} className="divide-y divide-line border-y border-line">
          {items.map((item) => (
            <QueueRow key={`${item.reason} ${item.card_id} ${item.other_card_id}`} item={item} />
          ))}
        </ul>
      )}
    </Page>
  )
}

/** Without `canSettle` the row leads to the card only. */
export function QueueRow({ item, canSettle = true }: { item: ReviewItem; canSettle?: boolean }) {
  const isUsual = useUsualReaders()
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 py-4">
      <div className="min-w-0 max-w-dialog grow basis-64">
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <CardLink cardId={item.card_id} title={item.title} />
          <Badge>{REASONS[item.reason]}</Badge>
        </p>
        {!isUsual(item) && <ReadersLine card={item} />}
        <Why item={item} />
      </div>
      <div className="flex flex-wrap gap-2">
        {canSettle && item.reason !== 'contradiction' ? (
          <StillWorks cardId={item.card_id} />
        ) : (
          <LinkButton to="/cards/$cardId" params={{ cardId: item.card_id }}>
            {item.reason === 'contradiction' ? strings.compare : strings.openTheCard}
          </LinkButton>
        )}
        {item.reason === 'doubted' && item.can_edit && canSettle && <Dismiss cardId={item.card_id} />}
      </div>
    </li>
  )
}

function CardLink({ cardId, title }: { cardId: string; title: string }) {
  return (
    <Link
      to="/cards/$cardId"
      params={{ cardId }}
      className="break-words text-accent-strong underline-offset-2 hover:underline"
    >
      {title}
    </Link>
  )
}

function Why({ item }: { item: ReviewItem }) {
  const style = 'mt-0.5 text-sm text-soft'
  if (item.other_card_id && item.other_title)
    return (
      <p className={style}>
        {strings.sameSymptom}
        <CardLink cardId={item.other_card_id} title={item.other_title} />
        {item.other_home && item.other_readers && (
          <span className="block">
            <ReadersLine card={{ home: item.other_home, readers: item.other_readers }} />
          </span>
        )}
      </p>
    )
  if (item.reason === 'due' && item.since)
    return <p className={style}>{strings.notConfirmedSince(formatAgo(item.since))}</p>
  return item.doubt ? <DoubtLine doubt={item.doubt} /> : <p className={style}>{item.trust?.summary}</p>
}

function DoubtLine({ doubt }: { doubt: NonNullable<ReviewItem['doubt']> }) {
  const ago = formatAgo(doubt.at)
  return (
    <>
      <p className="mt-0.5 text-sm text-soft [overflow-wrap:anywhere]">
        {doubt.outcome === 'failed'
          ? strings.failedFor(doubt.user_name ?? strings.somebody, ago)
          : strings.outdatedBy(doubt.user_name ?? strings.somebody, ago)}
      </p>
      {doubt.note && (
        <p className="mt-0.5 line-clamp-3 text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
          {doubt.note}
        </p>
      )}
    </>
  )
}

const queueChanged = (cardId: string) =>
  Promise.all(
    [['review-queue'], ['workspace'], ['card', cardId]].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )

function Dismiss({ cardId }: { cardId: string }) {
  const put = async (dismissed: boolean) => {
    await call('PUT /api/v1/cards/{card_id}/doubts', { card_id: cardId, dismissed })
    await queueChanged(cardId)
  }
  const dismiss = useMutation({
    mutationFn: () => put(true),
    onSuccess: () => toast(strings.dismissed, { undo: () => void put(false).catch(toastError) }),
    onError: toastError,
  })
  return (
    <Button look="ghost" busy={dismiss.isPending} onClick={() => dismiss.mutate()}>
      {strings.dismiss}
    </Button>
  )
}

function StillWorks({ cardId }: { cardId: string }) {
  const confirm = useMutation({
    mutationFn: () => call('POST /api/v1/cards/{card_id}/verdicts', { card_id: cardId, outcome: 'worked' }),
    onSuccess: async () => {
      toast(strings.confirmed)
      await queueChanged(cardId)
    },
    onError: toastError,
  })
  return (
    <Button busy={confirm.isPending} onClick={() => confirm.mutate()}>
      {strings.stillWorks}
    </Button>
  )
}
