import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarDays } from 'lucide-react'
import type { ReactNode } from 'react'
import type { TeamWeek as Week, Workspace } from '../../api/types.ts'
import { formatAgo, formatTime, plural } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { ReadersLine } from '../cards/readers.tsx'
import * as strings from './strings.ts'
import { weekQuery } from './workspace-queries.ts'

export function TeamWeek({ workspace }: { workspace: Workspace }) {
  const week = useQuery(weekQuery(workspace.workspace_id))
  if (!week.data)
    return (
      <NotLoaded query={week}>
        <SkeletonList rows={5} />
      </NotLoaded>
    )
  if (isQuiet(week.data))
    return (
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
  return <Parts week={week.data} workspaceId={workspace.workspace_id} />
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

function Parts({ week, workspaceId }: { week: Week; workspaceId: string }) {
  const { cards, helped, missed_searches: missed, doubted, review, drafts } = week
  return (
    <div className="grid gap-x-10 gap-y-8 pt-2 lg:grid-cols-2">
      <Part title={strings.newCards} part={cards} none={strings.noNewCards}>
        {cards.items.map((one) => (
          <Row key={one.card_id} card={one} at={one.at} aside={one.by_name && `by ${one.by_name}`}>
            <Badge tone={one.change === 'new' ? 'accent' : 'neutral'}>
              {one.change === 'new' ? strings.newLabel : strings.changed}
            </Badge>
          </Row>
        ))}
      </Part>
      <Part title={strings.whatHelpedWhom} part={helped} none={strings.nobodyWasHelped}>
        {helped.items.map((one) => (
          <Row
            key={`${one.card_id} ${one.user_id}`}
            card={one}
            at={one.at}
            aside={one.said === 'worked' ? strings.workedFor(one.user_name) : strings.usefulTo(one.user_name)}
          />
        ))}
      </Part>
      {missed && (
        <Part
          title={strings.missedSearches}
          lead={strings.missedSearchesHint}
          part={missed}
          none={strings.noMissedSearches}
        >
          {missed.items.map((one) => (
            <li
              key={one.words}
              className="flex flex-wrap items-baseline justify-between gap-x-4 py-2 text-sm"
            >
              <span className="min-w-0 font-mono text-xs break-words">{one.words}</span>
              <span className="text-xs text-faint">
                {one.times > 1 && `${plural(one.times, 'time')} · `}
                {formatAgo(one.last_at)}
              </span>
            </li>
          ))}
        </Part>
      )}
      <Part title={strings.calledOutdated} part={doubted} none={strings.noOutdatedCards}>
        {doubted.items.map((one) => (
          <Row key={one.card_id} card={one} aside={plural(one.times, 'person', 'people')} />
        ))}
      </Part>
      {review && (
        <Part
          title={strings.waitingForReview}
          part={review}
          none={strings.nothingToReview}
          more={
            <Link to="/review" search={{ workspace: workspaceId }} className={LINK}>
              {strings.openReviewQueue}
            </Link>
          }
        >
          {review.items.map((one) => (
            <Row key={`${one.reason} ${one.card_id}`} card={one} aside={REASONS[one.reason]} />
          ))}
        </Part>
      )}
      <Part title={strings.draftsByAgents} part={drafts} none={strings.noDraftsByAgents}>
        {drafts.items.map((one) => (
          <Row key={one.card_id} card={one} at={one.created_at} aside={`of ${one.owner_name}`} />
        ))}
      </Part>
    </div>
  )
}

const LINK = 'rounded-sm text-accent-strong underline-offset-2 hover:underline'

const REASONS = {
  doubted: 'doubted',
  due: 'due',
  contradiction: strings.contradictsAnotherCard,
} as const

type PartProps = {
  title: string
  lead?: string
  none: string
  part: { items: readonly unknown[]; has_more: boolean }
  more?: ReactNode
  children: ReactNode
}

function Part({ title, lead, none, part, more, children }: PartProps) {
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="text-base font-semibold">{title}</h2>
      {lead && <p className="mt-0.5 text-xs text-faint">{lead}</p>}
      {part.items.length === 0 ? (
        <p className="mt-2 text-sm text-faint">{none}</p>
      ) : (
        <ul aria-label={title} className="mt-2 divide-y divide-line border-y border-line">
          {children}
        </ul>
      )}
      {(part.has_more || (more && part.items.length > 0)) && (
        <p className="mt-2 flex flex-wrap gap-3 text-sm text-faint">
          {part.has_more && <span>{strings.firstOnesShown(part.items.length)}</span>}
          {more}
        </p>
      )}
    </section>
  )
}

type RowProps = {
  card: Pick<Week['cards']['items'][number], 'card_id' | 'title' | 'home' | 'readers'>
  at?: string
  aside?: string | null
  children?: ReactNode
}

const Row = ({ card, at, aside, children }: RowProps) => (
  <li className="py-2 text-sm">
    <Link to="/cards/$cardId" params={{ cardId: card.card_id }} className={`break-words ${LINK}`}>
      {card.title}
    </Link>
    <span className="mt-0.5 flex flex-wrap items-center gap-x-2 text-xs text-faint">
      {children}
      <span className="wrap-anywhere">
        <bdi>{aside}</bdi>
        {aside && at && ' · '}
        {at && <span title={formatTime(at)}>{formatAgo(at)}</span>}
      </span>
      <ReadersLine card={card} />
    </span>
  </li>
)
