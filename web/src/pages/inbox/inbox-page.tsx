import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Inbox, LogOut } from 'lucide-react'
import type { ComponentProps } from 'react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { InboxNotice } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { formatAgo } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Pager } from '../../ui/table.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { inboxChanged, inboxQuery, PAGE_SIZE } from './inbox-queries.ts'
import * as strings from './strings.ts'

const route = getRouteApi('/app/inbox')

export function InboxPage() {
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const inbox = useQuery(inboxQuery(page))
  const readAll = useMutation({
    mutationFn: () => call('POST /api/v1/notices/read'),
    onError: toastError,
    onSettled: inboxChanged,
  })
  const { items = [], total = 0, unread = 0 } = inbox.data ?? {}
  return (
    <Page
      title={strings.inbox}
      lead={strings.inboxLead}
      narrow
      actions={
        unread > 0 && (
          <Button busy={readAll.isPending} onClick={() => readAll.mutate()}>
            {strings.markAllAsRead}
          </Button>
        )
      }
    >
      {!inbox.data && (
        <NotLoaded query={inbox}>
          <SkeletonList rows={3} />
        </NotLoaded>
      )}
      {inbox.data && total === 0 && (
        <EmptyState icon={<Inbox size={18} />} title={strings.nothingHere}>
          {strings.inboxHint}
        </EmptyState>
      )}
      {items.length > 0 && (
        <ul aria-label={strings.notices} className="divide-y divide-line border-y border-line">
          {items.map((notice) => (
            <NoticeRow key={notice.notice_id} notice={notice} />
          ))}
        </ul>
      )}
      {total > 0 && (
        <Pager
          page={page}
          pageSize={PAGE_SIZE}
          total={total}
          onPage={(next) => void navigate({ search: { page: next > 1 ? next : undefined } })}
        />
      )}
    </Page>
  )
}

function NoticeRow({ notice }: { notice: InboxNotice }) {
  const isNew = notice.read_at === null
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 py-4">
      <div className="min-w-0 max-w-dialog grow basis-64">
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <span className={cx('min-w-0 wrap-break-word', isNew && 'font-medium')}>{notice.heading}</span>
          {isNew && <Badge tone="accent">{strings.newLabel}</Badge>}
        </p>
        <p className="mt-0.5 text-sm wrap-break-word text-soft">{notice.text}</p>
        <p className="mt-1 text-xs text-faint">{formatAgo(notice.created_at)}</p>
      </div>
      <NoticeActions notice={notice} />
    </li>
  )
}

/** Links of notices without a card or workspace. */
const LINKS: Partial<Record<InboxNotice['kind'], ComponentProps<typeof LinkButton>>> = {
  'cards.review_due': { to: '/review', children: strings.openTheQueue },
  'ticket.answered': { to: '/support', search: { tab: 'mine' }, children: strings.openMyTickets },
  'moderation.waiting': { to: '/moderation', children: strings.openTheQueue },
  'drafts.new': { to: '/drafts', children: strings.openTheDrafts },
}

const IN_THREAD: readonly InboxNotice['kind'][] = ['card.commented', 'card.mentioned']

function NoticeActions({ notice }: { notice: InboxNotice }) {
  const { workspace_id: id, invite_id } = notice
  const read = () => {
    if (notice.read_at === null)
      void call('POST /api/v1/notices/read', { notice_ids: [notice.notice_id] }).then(inboxChanged)
  }
  if (invite_id) return <InviteActions inviteId={invite_id} />
  const link = LINKS[notice.kind]
  if (link) return <LinkButton {...link} onClick={read} />
  if (notice.card_id)
    return (
      <LinkButton
        to="/cards/$cardId"
        params={{ cardId: notice.card_id }}
        hash={IN_THREAD.includes(notice.kind) ? 'comments' : undefined}
        onClick={read}
      >
        {strings.openTheCard}
      </LinkButton>
    )
  if (!id) return null
  if (notice.role === null) return <span className="text-xs text-faint">{strings.notAMember}</span>
  return (
    <div className="flex flex-wrap gap-2">
      <Link
        to="/workspaces/$workspaceId"
        params={{ workspaceId: id }}
        className="self-center text-sm text-accent-strong underline-offset-2 hover:underline"
        onClick={read}
      >
        {strings.openLabel}
      </Link>
      {notice.kind === 'workspace.added' && <Leave notice={notice} workspaceId={id} />}
    </div>
  )
}

const settle = async (notice?: InboxNotice) => {
  if (notice?.read_at === null) await call('POST /api/v1/notices/read', { notice_ids: [notice.notice_id] })
  await Promise.all([inboxChanged(), queryClient.invalidateQueries({ queryKey: ['workspaces'] })])
}

function Leave({ notice, workspaceId }: { notice: InboxNotice; workspaceId: string }) {
  const me = useMe()
  const leave = useMutation({
    mutationFn: () =>
      call('DELETE /api/v1/workspaces/{workspace_id}/members/{user_id}', {
        workspace_id: workspaceId,
        user_id: me.user_id,
      }),
    onSuccess: async () => {
      queryClient.removeQueries({ queryKey: ['workspace', workspaceId] })
      toast(strings.youLeft)
      await settle(notice)
    },
    onError: toastError,
  })
  return (
    <Button busy={leave.isPending} onClick={() => leave.mutate()}>
      <LogOut size={14} aria-hidden />
      {strings.leave}
    </Button>
  )
}

function InviteActions({ inviteId }: { inviteId: string }) {
  const accept = useMutation({
    mutationFn: () => call('POST /api/v1/invitations/{invite_id}/accept', { invite_id: inviteId }),
    onSuccess: () => toast(strings.youAreAMember),
    onError: toastError,
    onSettled: () => settle(),
  })
  const decline = useMutation({
    mutationFn: () => call('POST /api/v1/invitations/{invite_id}/decline', { invite_id: inviteId }),
    onSuccess: () => toast(strings.invitationDeclined),
    onError: toastError,
    onSettled: () => settle(),
  })
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        look="primary"
        busy={accept.isPending}
        disabled={decline.isPending}
        onClick={() => accept.mutate()}
      >
        {strings.accept}
      </Button>
      <Button busy={decline.isPending} disabled={accept.isPending} onClick={() => decline.mutate()}>
        {strings.decline}
      </Button>
    </div>
  )
}
