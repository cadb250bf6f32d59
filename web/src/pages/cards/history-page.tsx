import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { useState } from 'react'
import { cardHistory } from '../../api/card-feedback.ts'
import { updateCard } from '../../api/cards.ts'
import type { Card } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { formatAgo, formatTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonPage } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardChanged, cardQuery } from './card-queries.ts'
import { draftOf, fieldsOf } from './draft.ts'
import { VersionDiff } from './version-diff.tsx'

export function HistoryPage() {
  const { cardId } = useParams({ from: '/app/cards/$cardId/history' })
  const card = useQuery(cardQuery(cardId))
  const history = useQuery({
    queryKey: ['card', cardId, 'history'],
    queryFn: ({ signal }) => cardHistory({ card_id: cardId }, { signal }),
  })
  const error = card.error ?? history.error
  if (error)
    return <ErrorState error={error} onRetry={() => void Promise.all([card.refetch(), history.refetch()])} />
  if (!card.data || !history.data) return <SkeletonPage />
  return <Versions card={card.data} versions={history.data} />
}

/** Newest first; the chosen version against the one before it, and the way back to it. */
function Versions({ card, versions }: { card: Card; versions: Card[] }) {
  const all = [card, ...versions.filter((version) => version.version !== card.version)].toSorted(
    (a, b) => b.version - a.version,
  )
  const [chosen, setChosen] = useState(card.version)
  const at = Math.max(
    0,
    all.findIndex((version) => version.version === chosen),
  )
  const shown = all[at] ?? card
  const before = all[at + 1]
  const restore = useMutation({
    mutationFn: (version: Card) =>
      updateCard(
        { card_id: card.card_id, ...fieldsOf(draftOf(version)) },
        { headers: { 'If-Match': `"${card.version}"` } },
      ),
    onSuccess: (next, version) => {
      cardChanged(next)
      setChosen(next.version)
      toast(`Version ${version.version} is back, as version ${next.version}.`, {
        undo: () =>
          void updateCard({ card_id: card.card_id, ...fieldsOf(draftOf(card)) }).then(
            cardChanged,
            toastError,
          ),
      })
    },
    onError: toastError,
  })
  return (
    <Page
      title="History"
      back={
        <Link
          to="/cards/$cardId"
          params={{ cardId: card.card_id }}
          className="line-clamp-1 text-faint hover:text-ink"
        >
          {card.title}
        </Link>
      }
    >
      {all.length === 1 ? (
        <EmptyState icon={<History size={18} />} title="One version so far">
          Every change is kept here, with what it changed and a way back.
        </EmptyState>
      ) : (
        <div className="grid gap-6 md:grid-cols-[220px_minmax(0,1fr)]">
          <ol aria-label="Versions" className="flex gap-1 overflow-x-auto md:grid md:content-start">
            {all.map((version) => (
              <li key={version.version} className="shrink-0">
                <button
                  type="button"
                  aria-current={version.version === shown.version || undefined}
                  onClick={() => setChosen(version.version)}
                  className={cx(
                    'w-full rounded-md px-3 py-2 text-left text-sm',
                    version.version === shown.version ? 'bg-chosen' : 'hover:bg-hover',
                  )}
                >
                  <span className="block font-medium">
                    Version {version.version}
                    {version.version === card.version && (
                      <span className="font-normal text-faint"> · now</span>
                    )}
                  </span>
                  <span className="text-xs text-faint" title={formatTime(version.updated_at)}>
                    {formatAgo(version.updated_at)}
                  </span>
                </button>
              </li>
            ))}
          </ol>
          <div className="grid content-start gap-4">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <h2 className="text-base font-semibold">
                {before ? `What version ${shown.version} changed` : `Version ${shown.version}, the first`}
              </h2>
              {shown.version !== card.version && (
                <Button busy={restore.isPending} onClick={() => restore.mutate(shown)}>
                  Restore version {shown.version}
                </Button>
              )}
            </div>
            <VersionDiff before={before ? draftOf(before) : draftOf(shown)} after={draftOf(shown)} />
          </div>
        </div>
      )}
    </Page>
  )
}
