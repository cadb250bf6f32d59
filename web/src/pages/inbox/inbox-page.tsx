import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, type LinkProps } from '@tanstack/react-router'
import { Inbox, LogOut } from 'lucide-react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { InboxNotice } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { formatAgo, formatDay } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
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
          {grouped(items).map(([first, ...others]) =>
            others.length > 0 ? (
              <GroupRow key={first.notice_id} notices={[first, ...others]} />
            ) : (
              <NoticeRow key={first.notice_id} notice={first} />
            ),
          )}
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

type Group = [InboxNotice, ...InboxNotice[]]

/** Puts together on how many cards of the person one other person had success on one day, and whether it is read. */
export function grouped(notices: readonly InboxNotice[]): Group[] {
  const groups = new Map<string, Group>()
  for (const notice of notices) {
    const { notice_id, kind, said, actor_id, created_at, read_at } = notice
    const isPraise = kind === 'card.feedback' && said === 'worked' && actor_id !== null
    const key = isPraise ? `${actor_id} ${formatDay(created_at)} ${read_at === null}` : notice_id
    const group = groups.get(key)
    if (group) group.push(notice)
    else groups.set(key, [notice])
  }
  return [...groups.values()]
}

const markRead = (notices: readonly InboxNotice[]) => {
  const ids = notices.filter(({ read_at }) => read_at === null).map(({ notice_id }) => notice_id)
  if (ids.length > 0) void call('POST /api/v1/notices/read', { notice_ids: ids }).then(inboxChanged)
}

const ROW = 'relative flex flex-wrap items-start justify-between gap-x-6 gap-y-3 px-2 py-3 hover:bg-hover'

const WHOLE_ROW =
  'after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent'

function NoticeRow({ notice }: { notice: InboxNotice }) {
  const isNew = notice.read_at === null
  const link = linkOf(notice)
  const heading = cx('min-w-0 wrap-break-word', isNew && 'font-medium')
  return (
    <li className={ROW}>
      <div className="min-w-0 grow basis-64">
        <p className="flex items-start gap-2 text-sm">
          {link ? (
            <Link {...link} className={cx(heading, WHOLE_ROW)} onClick={() => markRead([notice])}>
              {notice.heading}
            </Link>
          ) : (
            <span className={heading}>{notice.heading}</span>
          )}
          {isNew && <Badge tone="accent">{strings.newLabel}</Badge>}
        </p>
        <p className="mt-0.5 text-sm wrap-break-word text-soft">{notice.text}</p>
        <p className="mt-0.5 text-xs text-faint">{formatAgo(notice.created_at)}</p>
      </div>
      <NoticeActions notice={notice} />
    </li>
  )
}

function GroupRow({ notices }: { notices: Group }) {
  const [first] = notices
  const isNew = first.read_at === null
  return (
    <li className={cx(ROW, 'flex-col')}>
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <span className={cx('min-w-0 wrap-break-word', isNew && 'font-medium')}>
          {strings.cardsWorkedFor(
            notices.length,
            first.actor_name ?? strings.somebody,
            dayWords(first.created_at),
          )}
        </span>
        {isNew && <Badge tone="accent">{strings.newLabel}</Badge>}
      </p>
      <ul className="-mt-2 grid w-full gap-0.5">
        {notices.map((notice) => {
          const link = linkOf(notice)
          const title = notice.card_title ?? notice.heading
          return (
            <li key={notice.notice_id} className="truncate text-sm">
              {link ? (
                <Link
                  {...link}
                  className="rounded-sm text-accent-strong underline-offset-2 hover:underline"
                  onClick={() => markRead([notice])}
                >
                  {title}
                </Link>
              ) : (
                title
              )}
            </li>
          )
        })}
      </ul>
    </li>
  )
}

const dayWords = (iso: string): string =>
  formatDay(iso) === formatDay(new Date().toISOString()) ? strings.today : strings.onDay(formatDay(iso))

/** Links of notices without a card or workspace. */
const LINKS: Partial<Record<InboxNotice['kind'], LinkProps>> = {
  'cards.review_due': { to: '/review' },
  'ticket.answered': { to: '/support', search: { tab: 'mine' } },
  'moderation.waiting': { to: '/moderation' },
  'drafts.new': { to: '/drafts' },
}

const IN_THREAD: readonly InboxNotice['kind'][] = ['card.commented', 'card.mentioned']

/** Returns where the whole row leads; an open invitation leads nowhere, it is answered in place. */
function linkOf({ kind, invite_id, card_id, workspace_id, role }: InboxNotice): LinkProps | undefined {
  if (invite_id) return undefined
  const link = LINKS[kind]
  if (link) return link
  if (card_id)
    return {
      to: '/cards/$cardId',
      params: { cardId: card_id },
      ...(IN_THREAD.includes(kind) && { hash: 'comments' }),
    }
  if (!workspace_id || role === null) return undefined
  return { to: '/workspaces/$workspaceId', params: { workspaceId: workspace_id } }
}

function NoticeActions({ notice }: { notice: InboxNotice }) {
  const { workspace_id: id, invite_id, card_id } = notice
  if (invite_id) return <InviteActions inviteId={invite_id} />
  if (!id || card_id || LINKS[notice.kind]) return null
  if (notice.role === null) return <span className="text-xs text-faint">{strings.notAMember}</span>
  return notice.kind === 'workspace.added' && <Leave notice={notice} workspaceId={id} />
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
    <Button busy={leave.isPending} className="relative z-10" onClick={() => leave.mutate()}>
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
