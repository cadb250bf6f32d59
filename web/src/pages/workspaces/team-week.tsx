import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarDays, CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { TeamWeek as Week, Workspace } from '../../api/types.ts'
import { formatAgo, formatTime, plural } from '../../lib/format.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { QueueRow } from '../cards/review-queue.tsx'
import { DayPlot } from '../effects/day-plot.tsx'
import * as strings from './strings.ts'
import { weekQuery } from './workspace-queries.ts'

const WEEKS_DRAWN = 4

/** What needs somebody, how the last weeks went, and what is new. */
export function TeamWeek({ workspace }: { workspace: Workspace }) {
  const week = useQuery(weekQuery(workspace.workspace_id))
  if (!week.data)
    return (
      <NotLoaded query={week}>
        <SkeletonList rows={5} />
      </NotLoaded>
    )
  return (
    <div className="grid gap-8 pt-2">
      {isQuiet(week.data) ? (
        <Quiet workspace={workspace} />
      ) : (
        <NeedsSomebody week={week.data} workspace={workspace} />
      )}
      <DayPlot
        workspaceId={workspace.workspace_id}
        days={WEEKS_DRAWN * 7}
        title={strings.lastWeeks(WEEKS_DRAWN)}
      />
      <News week={week.data} />
    </div>
  )
}

const partsOf = ({ cards, helped, missed_searches, doubted, review, drafts }: Week) => [
  cards,
  helped,
  doubted,
  drafts,
  missed_searches,
  review,
]

const isQuiet = (week: Week) => partsOf(week).every((part) => part === null || part.items.length === 0)

const Quiet = ({ workspace }: { workspace: Workspace }) => (
  <EmptyState
    icon={<CalendarDays size={18} />}
    title={strings.aQuietWeek}
    action={
      workspace.role === 'viewer' ? undefined : (
        <LinkButton to="/cards/new" look="primary">
          {strings.writeACard}
        </LinkButton>
      )
    }
  >
    {strings.quietWeekHint}
  </EmptyState>
)

/** Of many, the page shows the first; the queue and the list have all. */
const SHOWN = 5

function NeedsSomebody({ week, workspace }: { week: Week; workspace: Workspace }) {
  const { doubted, review, drafts } = week
  const canSettle = workspace.role !== 'viewer'
  const toLookAt = [...doubted.items, ...(review?.items ?? [])]
  const isMore = toLookAt.length > SHOWN || doubted.has_more || review?.has_more
  return (
    <section aria-label={strings.needsSomebody}>
      <h2 className="text-base font-semibold">{strings.needsSomebody}</h2>
      {toLookAt.length + drafts.items.length === 0 ? (
        <p className="mt-2 flex items-center gap-2 text-sm text-soft">
          <CircleCheck size={16} aria-hidden className="text-ok" />
          {strings.nothingWaits}
        </p>
      ) : (
        <ul aria-label={strings.needsSomebody} className="mt-2 divide-y divide-line border-y border-line">
          {toLookAt.slice(0, SHOWN).map((item) => (
            <QueueRow
              key={`${item.reason} ${item.card_id} ${item.other_card_id}`}
              item={item}
              canSettle={canSettle}
            />
          ))}
          {drafts.items.slice(0, SHOWN).map((draft) => (
            <DraftRow key={draft.card_id} draft={draft} />
          ))}
        </ul>
      )}
      {isMore && canSettle && (
        <p className="mt-2 text-sm">
          <Link to="/review" search={{ workspace: workspace.workspace_id }} className={LINK}>
            {strings.openReviewQueue}
          </Link>
        </p>
      )}
      {(drafts.items.length > SHOWN || drafts.has_more) && (
        <p className="mt-2 text-sm text-faint">
          {strings.moreDrafts(
            `${plural(drafts.items.length - SHOWN, 'draft')}${drafts.has_more ? ' or more' : ''}`,
          )}
        </p>
      )}
    </section>
  )
}

const DraftRow = ({ draft }: { draft: Week['drafts']['items'][number] }) => (
  <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 py-4">
    <div className="min-w-0 max-w-dialog grow basis-64">
      <p className="text-sm">
        <Link to="/cards/$cardId" params={{ cardId: draft.card_id }} className={`break-words ${LINK}`}>
          {draft.title}
        </Link>
      </p>
      <p className="mt-0.5 text-sm wrap-anywhere text-soft">
        {strings.draftByAgentOf(draft.owner_name)} · {formatAgo(draft.created_at)}
      </p>
    </div>
    <LinkButton to="/cards/$cardId" params={{ cardId: draft.card_id }}>
      {strings.readTheDraft}
    </LinkButton>
  </li>
)

const LINK = 'rounded-sm text-accent-strong underline-offset-2 hover:underline'

function News({ week }: { week: Week }) {
  const { cards, helped, missed_searches: missed } = week
  return (
    <div className="grid gap-x-10 gap-y-8 lg:grid-cols-2">
      <Part title={strings.newCards} part={cards}>
        {cards.items.map((one) => (
          <Line
            key={one.card_id}
            card={one}
            at={one.at}
            aside={
              one.change === 'new'
                ? one.by_name && strings.by(one.by_name)
                : one.by_name
                  ? strings.changedBy(one.by_name)
                  : strings.changed
            }
          />
        ))}
      </Part>
      <Part title={strings.whatHelpedWhom} part={helped}>
        {helped.items.map((one) => (
          <Line
            key={`${one.card_id} ${one.user_id}`}
            card={one}
            at={one.at}
            aside={strings.workedFor(one.user_name)}
          />
        ))}
      </Part>
      {missed && (
        <Part title={strings.missedSearches} lead={strings.missedSearchesHint} part={missed}>
          {missed.items.map((one) => (
            <li key={one.words} className="flex items-baseline justify-between gap-x-4 py-1.5 text-sm">
              <span className="min-w-0 truncate font-mono text-xs" title={one.words}>
                {one.words}
              </span>
              <span className="shrink-0 text-xs text-faint tabular-nums">
                {one.times > 1 && `${plural(one.times, 'time')} · `}
                {formatAgo(one.last_at)}
              </span>
            </li>
          ))}
        </Part>
      )}
    </div>
  )
}

type PartProps = {
  title: string
  lead?: string
  part: { items: readonly unknown[]; has_more: boolean }
  children: ReactNode
}

/** A part with nothing in it is left out. */
function Part({ title, lead, part, children }: PartProps) {
  if (part.items.length === 0) return null
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="text-base font-semibold">{title}</h2>
      {lead && <p className="mt-0.5 text-xs text-faint">{lead}</p>}
      <ul aria-label={title} className="mt-2 divide-y divide-line border-y border-line">
        {children}
      </ul>
      {part.has_more && (
        <p className="mt-2 text-sm text-faint">{strings.firstOnesShown(part.items.length)}</p>
      )}
    </section>
  )
}

type LineProps = {
  card: Pick<Week['cards']['items'][number], 'card_id' | 'title' | 'home'>
  at: string
  aside: string | null
}

const Line = ({ card, at, aside }: LineProps) => (
  <li className="flex items-baseline justify-between gap-x-4 py-1.5 text-sm">
    <Link
      to="/cards/$cardId"
      params={{ cardId: card.card_id }}
      title={card.title}
      className={`min-w-0 truncate ${LINK}`}
    >
      {card.title}
    </Link>
    <span className="max-w-1/2 shrink-0 truncate text-xs text-faint" title={formatTime(at)}>
      {aside && (
        <>
          <bdi>{aside}</bdi>
          {' · '}
        </>
      )}
      {formatAgo(at)}
      {card.home.published_from && ` · ${strings.alsoInLibrary}`}
    </span>
  </li>
)
