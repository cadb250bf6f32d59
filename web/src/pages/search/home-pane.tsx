import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { CircleCheck, Inbox, ListChecks, type LucideIcon, Pickaxe, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import type { TeamWeek, Workspace } from '../../api/types.ts'
import { formatAgo, plural } from '../../lib/format.ts'
import { useWide } from '../../lib/hooks.ts'
import { Key } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { queueQuery } from '../cards/card-queries.ts'
import { draftsQuery } from '../drafts/draft-queries.ts'
import { useIsConnected } from '../first-steps/first-steps.tsx'
import { unreadQuery } from '../inbox/inbox-queries.ts'
import { weekQuery, workspacesQuery } from '../workspaces/workspace-queries.ts'
import * as strings from './strings.ts'

const TEAMS_SHOWN = 3

/** What waits for the person, what worked in the teams, and how to connect. */
export function HomePane() {
  const wide = useWide()
  const { data: workspaces } = useQuery(workspacesQuery)
  const teams = (workspaces?.items ?? []).filter(({ type, role }) => type !== 'personal' && role)
  const shown = teams.slice(0, TEAMS_SHOWN)
  return (
    <div className="grid max-w-reading content-start gap-8 px-4 py-4 md:p-8">
      <Waits teams={shown} />
      {shown.map((team) => (
        <Worked key={team.workspace_id} team={team} />
      ))}
      <Connect />
      {wide && <Keys />}
    </div>
  )
}

type Waiting = LinkProps & { icon: LucideIcon; words: string }

function Waits({ teams }: { teams: Workspace[] }) {
  const drafts = useQuery(draftsQuery)
  const notices = useQuery(unreadQuery)
  const queue = useQuery(queueQuery(undefined))
  const known = drafts.data && notices.data && queue.data
  const own: Waiting[] = [
    { icon: Pickaxe, to: '/drafts', count: drafts.data?.total, words: strings.draftsWait, one: 'draft' },
    { icon: Inbox, to: '/inbox', count: notices.data?.unread, words: strings.unreadWait, one: 'new notice' },
    {
      icon: ListChecks,
      to: '/review',
      count: queue.data?.items.length,
      words: strings.cardsToLookAt,
      one: 'card',
    },
  ].flatMap(({ icon, to, count, words, one }) =>
    count ? [{ icon, to: to as LinkProps['to'], words: words(plural(count, one)) }] : [],
  )
  return (
    <section aria-label={strings.waitsForYou}>
      <h2 className="text-base font-semibold">{strings.waitsForYou}</h2>
      {!known && <Skeleton className="mt-3 h-8 w-full" />}
      <ul className="mt-2 divide-y divide-line border-y border-line empty:hidden">
        {own.map((waiting) => (
          <WaitRow key={waiting.words} {...waiting} />
        ))}
        {teams.map((team) => (
          <TeamWaits key={team.workspace_id} team={team} />
        ))}
      </ul>
      {known && own.length === 0 && (
        <p className="mt-2 flex items-center gap-2 text-sm text-soft">
          <CircleCheck size={16} aria-hidden className="text-ok" />
          {strings.nothingWaits}
        </p>
      )}
    </section>
  )
}

const WaitRow = ({ icon: Icon, words, ...link }: Waiting) => (
  <li>
    <Link {...link} className="flex min-h-10 items-center gap-2 px-1 text-sm hover:bg-hover">
      <Icon size={16} aria-hidden className="text-faint" />
      {words}
    </Link>
  </li>
)

/** Cards that the person sees as their own to look at are counted there. */
function TeamWaits({ team }: { team: Workspace }) {
  const { data } = useQuery(weekQuery(team.workspace_id))
  const count = data ? data.doubted.items.length + (data.review?.items.length ?? 0) : 0
  if (count === 0) return null
  return (
    <WaitRow
      icon={Users}
      to="/workspaces/$workspaceId"
      params={{ workspaceId: team.workspace_id }}
      words={strings.needSomebody(team.name, plural(count, 'card'))}
    />
  )
}

const WORKED_SHOWN = 5

function Worked({ team }: { team: Workspace }) {
  const { data } = useQuery(weekQuery(team.workspace_id))
  const helped: TeamWeek['helped']['items'] = data?.helped.items.slice(0, WORKED_SHOWN) ?? []
  if (helped.length === 0) return null
  return (
    <Part title={strings.workedIn(team.name)}>
      {helped.map((one) => (
        <li
          key={`${one.card_id} ${one.user_id}`}
          className="flex items-baseline justify-between gap-x-4 py-1.5 text-sm"
        >
          <Link
            to="/cards/$cardId"
            params={{ cardId: one.card_id }}
            className="min-w-0 truncate rounded-sm text-accent-strong underline-offset-2 hover:underline"
          >
            {one.title}
          </Link>
          <span className="max-w-2/5 shrink-0 truncate text-xs text-faint">
            <bdi>{strings.workedFor(one.user_name)}</bdi> · {formatAgo(one.at)}
          </span>
        </li>
      ))}
    </Part>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className="min-w-0">
    <h2 className="text-base font-semibold">{title}</h2>
    <ul className="mt-2 divide-y divide-line border-y border-line">{children}</ul>
  </section>
)

function Connect() {
  const isConnected = useIsConnected()
  if (isConnected !== false) return null
  return (
    <section aria-label={strings.connectTitle}>
      <h2 className="text-base font-semibold">{strings.connectTitle}</h2>
      <p className="mt-1 mb-3 max-w-lead text-sm text-soft">{strings.connectHint}</p>
      <LinkButton to="/connect">{strings.connectYourAgent}</LinkButton>
    </section>
  )
}

const KEYS = [
  ['/', strings.keyToSearch],
  ['J', 'and'],
  ['K', strings.keyToMove],
  ['?', strings.keyForEveryKey],
]

const Keys = () => (
  <p className="flex flex-wrap items-center gap-1.5 text-sm text-faint">
    {KEYS.map(([key, does]) => (
      <span key={key} className="inline-flex items-center gap-1.5">
        <Key>{key}</Key> {does}
      </span>
    ))}
  </p>
)
