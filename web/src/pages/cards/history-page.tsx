import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Card } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { formatAgo, formatTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, Skeleton, SkeletonPage } from '../../ui/states.tsx'
import { Pager } from '../../ui/table.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardChanged, cardQuery } from './card-queries.ts'
import { draftOf } from './draft.ts'
import { ReadersLine } from './readers.tsx'
import * as strings from './strings.ts'
import { VersionDiff } from './version-diff.tsx'

const PAGE_SIZE = 20

export function HistoryPage() {
  const { cardId } = useParams({ from: '/app/cards/$cardId/history' })
  const [page, setPage] = useState(1)
  const [chosen, setChosen] = useState<number | null>(null)
  const card = useQuery(cardQuery(cardId))
  const history = useQuery({
    queryKey: ['card', cardId, 'history', page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call(
        'GET /api/v1/cards/{card_id}/history',
        { card_id: cardId, page, page_size: PAGE_SIZE },
        { signal },
      ),
  })
  if (!card.data || !history.data)
    return (
      <NotLoaded isPage query={card.data ? history : card}>
        <SkeletonPage />
      </NotLoaded>
    )
  const version = chosen ?? card.data.version
  return (
    <Page
      title={strings.historyLabel}
      lead={<ReadersLine card={card.data} />}
      back={
        <Link to="/cards/$cardId" params={{ cardId }} className="line-clamp-1 text-faint hover:text-ink">
          {card.data.title}
        </Link>
      }
    >
      {history.data.total === 1 ? (
        <EmptyState icon={<History size={18} />} title={strings.oneVersionSoFar}>
          {strings.historyLead}
        </EmptyState>
      ) : (
        <div className="grid gap-6 md:grid-cols-[--spacing(60)_minmax(0,1fr)]">
          <div>
            <ol aria-label={strings.versions} className="flex gap-1 overflow-x-auto md:grid md:content-start">
              {history.data.items.map((item) => (
                <li key={item.version} className="shrink-0">
                  <button
                    type="button"
                    aria-current={item.version === version || undefined}
                    onClick={() => setChosen(item.version)}
                    className={cx(
                      'w-full rounded-md px-3 py-2 text-left text-sm',
                      item.version === version ? 'bg-chosen' : 'hover:bg-hover',
                    )}
                  >
                    <span className="block font-medium">
                      {strings.versionTitle(item.version)}
                      {item.current && <span className="font-normal text-faint">{strings.nowMark}</span>}
                    </span>
                    <span className="text-xs text-faint" title={formatTime(item.changed_at)}>
                      <bdi>{item.changed_by_name}</bdi> · {formatAgo(item.changed_at)}
                    </span>
                  </button>
                </li>
              ))}
            </ol>
            <Pager page={page} pageSize={PAGE_SIZE} total={history.data.total} onPage={setPage} />
          </div>
          <Version card={card.data} version={version} onRestored={setChosen} />
        </div>
      )}
    </Page>
  )
}

function useVersion(cardId: string, version: number) {
  return useQuery({
    queryKey: ['card-version', cardId, version],
    enabled: version > 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      call('GET /api/v1/cards/{card_id}/history/{version}', { card_id: cardId, version }, { signal }),
  })
}

function Version({
  card,
  version,
  onRestored,
}: {
  card: Card
  version: number
  onRestored: (version: number) => void
}) {
  const shown = useVersion(card.card_id, version)
  const before = useVersion(card.card_id, version - 1)
  const bringBack = (wanted: number, on: number) =>
    call(
      'POST /api/v1/cards/{card_id}/restore',
      { card_id: card.card_id, version: wanted },
      { headers: { 'If-Match': `"${on}"` } },
    )
  const failed = (error: unknown) => {
    toastError(error)
    // The card may have changed: the next try starts from the current version.
    void queryClient.invalidateQueries({ queryKey: ['card', card.card_id] })
  }
  const restore = useMutation({
    mutationFn: (wanted: number) => bringBack(wanted, card.version),
    onSuccess: (next, wanted) => {
      cardChanged(next)
      onRestored(next.version)
      toast(strings.versionIsBack(wanted, next.version), {
        undo: () => void bringBack(card.version, next.version).then(cardChanged, failed),
      })
    },
    onError: failed,
  })
  const ready = shown.data && (version === 1 || before.data)
  return (
    <div className="grid content-start gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">
          {version > 1 ? strings.whatVersionChanged(version) : strings.firstVersion}
        </h2>
        {card.can_edit && version !== card.version && (
          <Button busy={restore.isPending} onClick={() => restore.mutate(version)}>
            {strings.restoreVersion(version)}
          </Button>
        )}
      </div>
      {ready ? (
        <VersionDiff
          before={before.data ? draftOf(before.data.content) : null}
          after={draftOf(shown.data.content)}
        />
      ) : (
        <NotLoaded query={shown.data ? before : shown}>
          <div role="status" aria-label={strings.loading} className="grid gap-2">
            <Skeleton className="w-2/3" />
            <Skeleton className="w-full" />
          </div>
        </NotLoaded>
      )}
    </div>
  )
}
