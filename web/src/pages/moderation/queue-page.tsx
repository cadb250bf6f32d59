import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronRight, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { ModerationMatter, PublishingBan } from '../../api/types.ts'
import { formatAgo, formatDay, plural } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Segmented, TextareaField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Pager } from '../../ui/table.tsx'
import { toast } from '../../ui/toast.tsx'
import { MatterBadges } from './matter-words.tsx'
import { bansQuery, moderationChanged, queueQuery } from './moderation-queries.ts'
import * as strings from './strings.ts'

const route = getRouteApi('/app/moderation')

const TABS = [
  { value: 'waiting', label: strings.waiting },
  { value: 'decided', label: strings.decided },
  { value: 'bans', label: strings.bans },
] as const

export function QueuePage() {
  const { tab, workspace, page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const onPage = (next: number) =>
    void navigate({ search: (before) => ({ ...before, page: next > 1 ? next : undefined }) })
  return (
    <Page
      title={strings.moderation}
      lead={strings.queueLead}
      actions={
        <Segmented
          label={strings.show}
          value={tab ?? 'waiting'}
          options={TABS}
          onChange={(next) =>
            void navigate({
              search: { workspace, tab: next === 'waiting' ? undefined : next },
              replace: true,
            })
          }
        />
      }
    >
      {tab === 'bans' ? (
        <Bans page={page} onPage={onPage} />
      ) : (
        <Queue waiting={tab === undefined} workspace={workspace} page={page} onPage={onPage} />
      )}
    </Page>
  )
}

type QueueProps = {
  waiting: boolean
  workspace: string | undefined
  page: number
  onPage: (page: number) => void
}

function Queue({ waiting, workspace, page, onPage }: QueueProps) {
  const queue = useQuery(queueQuery(waiting, workspace, page))
  const { data } = queue
  if (!data)
    return (
      <NotLoaded query={queue}>
        <SkeletonList rows={5} />
      </NotLoaded>
    )
  if (data.total === 0)
    return (
      <EmptyState
        icon={<ShieldCheck size={18} />}
        title={waiting ? strings.nothingIsWaiting : strings.nothingDecidedYet}
      >
        {strings.queueHint}
      </EmptyState>
    )
  return (
    <>
      <ul aria-label={strings.matters} className="divide-y divide-line border-y border-line">
        {data.items.map((one) => (
          <MatterRow key={one.matter_id} one={one} />
        ))}
      </ul>
      <Pager page={page} pageSize={data.page_size} total={data.total} onPage={onPage} />
    </>
  )
}

const MatterRow = ({ one }: { one: ModerationMatter }) => (
  <li>
    <Link
      to="/moderation/$matterId"
      params={{ matterId: one.matter_id }}
      className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 px-2 py-2 transition-colors hover:bg-hover"
    >
      <span className="min-w-0 grow basis-52">
        <span className="block truncate text-sm font-medium">{one.title ?? strings.goneOrChangedCard}</span>
        <span className="block truncate text-xs text-faint">
          <bdi>{one.publisher_name}</bdi> · <bdi>{one.workspace_name}</bdi> · {formatAgo(one.created_at)}
        </span>
      </span>
      {one.reports > 0 && <span className="text-xs text-faint">{plural(one.reports, 'report')}</span>}
      <MatterBadges one={one} />
      <ChevronRight size={16} className="shrink-0 text-faint" aria-hidden />
    </Link>
  </li>
)

function Bans({ page, onPage }: { page: number; onPage: (page: number) => void }) {
  const bans = useQuery(bansQuery(page))
  const { data } = bans
  const [lifting, setLifting] = useState<PublishingBan | null>(null)
  if (!data)
    return (
      <NotLoaded query={bans}>
        <SkeletonList rows={3} />
      </NotLoaded>
    )
  if (data.total === 0) return <EmptyState title={strings.nobodyIsBanned}>{strings.bansHint}</EmptyState>
  return (
    <>
      <ul aria-label={strings.bans} className="divide-y divide-line border-y border-line">
        {data.items.map((ban) => (
          <li key={ban.ban_id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-2 py-3">
            <div className="min-w-0 grow basis-52">
              <p className="flex flex-wrap items-center gap-2 text-sm font-medium">
                {ban.display_name}
                <Badge>{ban.workspace_id === null ? strings.everywhere : strings.inOneWorkspace}</Badge>
              </p>
              <p className="text-sm wrap-break-word text-soft">{ban.reason}</p>
              <p className="text-xs text-faint">
                {strings.bannedSince(formatDay(ban.created_at))}
                {ban.lifted_at && ` · lifted ${formatDay(ban.lifted_at)}: ${ban.lift_reason}`}
              </p>
            </div>
            {ban.lifted_at === null && <Button onClick={() => setLifting(ban)}>{strings.liftTheBan}</Button>}
          </li>
        ))}
      </ul>
      <Pager page={page} pageSize={data.page_size} total={data.total} onPage={onPage} />
      {lifting && <LiftDialog ban={lifting} onClose={() => setLifting(null)} />}
    </>
  )
}

function LiftDialog({ ban, onClose }: { ban: PublishingBan; onClose: () => void }) {
  const keptAs = `kv-reason:${useMe().user_id}:lift:${ban.ban_id}`
  const { text: reason, change: setReason, dropSent } = useKeptText(keptAs, '')
  const lift = useMutation({
    mutationFn: () => call('POST /api/v1/moderation/bans/{ban_id}/lift', { ban_id: ban.ban_id, reason }),
    onSuccess: () => {
      dropSent(reason)
      toast(strings.banLifted(ban.display_name))
      onClose()
    },
    onSettled: moderationChanged,
  })
  return (
    <FormDialog
      title={strings.letPublishAgain(ban.display_name)}
      description={strings.liftBanHint}
      action={strings.liftTheBan}
      ready={reason.trim().length >= 3}
      busy={lift.isPending}
      error={lift.error}
      onSubmit={() => lift.mutate()}
      onClose={onClose}
    >
      <TextareaField
        label={strings.reason}
        required
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  )
}
