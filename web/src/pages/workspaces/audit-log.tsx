import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import type { AuditEntry } from '../../api/types.ts'
import { formatTime } from '../../lib/format.ts'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Pager, Table } from '../../ui/table.tsx'
import * as strings from './strings.ts'
import { auditQuery } from './workspace-queries.ts'

const route = getRouteApi('/app/workspaces/$workspaceId')

export function AuditLog({ workspaceId }: { workspaceId: string }) {
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const log = useQuery(auditQuery(workspaceId, page))
  if (!log.data)
    return (
      <NotLoaded query={log}>
        <SkeletonList rows={5} />
      </NotLoaded>
    )
  if (log.data.total === 0)
    return (
      <EmptyState icon={<ScrollText size={18} />} title={strings.emptyLogTitle}>
        {strings.emptyLogHint}
      </EmptyState>
    )
  return (
    <>
      <Table
        label={strings.auditLog}
        rows={log.data.items}
        rowKey={(entry) => entry.audit_id}
        columns={[
          {
            name: strings.when,
            wide: true,
            cell: (entry) => (
              <span className="whitespace-nowrap text-soft tabular-nums">{formatTime(entry.created_at)}</span>
            ),
          },
          {
            name: strings.what,
            cell: (entry) => (
              <>
                <span className="wrap-anywhere">
                  <span className="font-medium">{actorWords(entry)}</span> <Action entry={entry} />
                </span>
                <span className="block text-xs wrap-anywhere text-faint sm:hidden">
                  {[formatTime(entry.created_at), detailWords(entry)].filter(Boolean).join(' · ')}
                </span>
              </>
            ),
          },
          {
            name: strings.details,
            wide: true,
            cell: (entry) => <span className="text-xs wrap-anywhere text-soft">{detailWords(entry)}</span>,
          },
        ]}
      />
      <Pager
        page={page}
        pageSize={log.data.page_size}
        total={log.data.total}
        onPage={(next) => void navigate({ search: { tab: 'audit', page: next > 1 ? next : undefined } })}
      />
    </>
  )
}

/** Names and links cards that the reader may read. */
function Action({ entry }: { entry: AuditEntry }) {
  const { card_title, other_card, subject_id } = entry
  const words = actionWords(entry)
  const { before, after } = card_title === null ? { before: '', after: words } : wordsAroundTitle(words)
  const beforeOther = other_card && wordsBeforeOther(after)
  return (
    <>
      {before}
      {card_title !== null && <CardLink cardId={subject_id} title={card_title} />}
      {beforeOther ?? after}
      {beforeOther !== null && other_card && (
        <CardLink cardId={other_card.card_id} title={other_card.title} />
      )}
    </>
  )
}

const CardLink = ({ cardId, title }: { cardId: string; title: string }) => (
  <Link
    to="/cards/$cardId"
    params={{ cardId }}
    className="rounded-sm underline decoration-line-strong underline-offset-2 hover:decoration-current"
  >
    {title}
  </Link>
)

type Words = (whom: string, details: AuditEntry['details'], entry: AuditEntry) => string

const words: Record<string, Words> = {
  'workspace.created': () => strings.createdTheWorkspace,
  'workspace.updated': () => strings.changedTheWorkspace,
  // A person who accepts an invitation adds themselves.
  'member.added': (whom, _, { actor_id, subject_id }) =>
    actor_id === subject_id ? strings.joinedTheWorkspace : `added ${whom}`,
  'member.removed': (whom) => `removed ${whom}`,
  'member.left': () => strings.leftTheWorkspace,
  'member.role_changed': (whom) => strings.changedRoleOf(whom),
  'invite.created': (_, { email }) => `invited ${email ?? 'somebody'}`,
  'invite.resent': (_, { email }) => `made a new link for ${email ?? strings.anInvitation}`,
  'invite.revoked': (_, { email }) => `revoked the invitation of ${email ?? 'somebody'}`,
  'invite.accepted': () => strings.acceptedAnInvitation,
  'invite.declined': () => strings.declinedAnInvitation,
  'card.published': () => strings.publishedACard,
  'card.shared': () => strings.sharedACard,
  'card.unpublished': () => strings.tookCardBack,
  'card.moved_in': () => strings.movedCardIn,
  'card.moved_out': () => strings.movedCardOut,
  'card.deleted': () => strings.deletedACard,
  'card.undeleted': () => strings.broughtCardBack,
  'card.linked': () => strings.linkedCards,
  'card.unlinked': () => strings.unlinkedCards,
  'card.merged': () => strings.mergedCards,
  'card.unmerged': () => strings.unmergedCards,
  'comment.deleted': () => strings.deletedComment,
  'card.image_deleted': () => strings.deletedPicture,
  'library.pulled': (_, { server }) => `pulled cards from ${server ?? strings.anotherServer}`,
  'card.hidden_by_reports': () => strings.hidCard,
  'moderation.decided': (_, { decision }) => `decided about a card (${decision ?? 'moderation'})`,
  'moderation.appealed': () => strings.appealed,
  'moderation.appeal_decided': (_, { decision }) => `decided about the appeal on a card (${decision ?? ''})`,
  'moderation.asked': () => strings.askedModerators,
  'publisher.banned': (whom) => strings.banned(whom),
  'publisher.ban_lifted': (whom) => strings.liftedBan(whom),
  'material.deleted': () => strings.deletedRawMaterial,
  'memory.event_deleted': () => strings.deletedEvent,
  'memory.project_deleted': () => strings.deletedProject,
  'memory.commits_deleted': () => strings.deletedCommits,
}

const isDecision = (action: string) => /^publisher\.|^moderation\..*decided$/.test(action)

/** The server does not say which moderator has decided. */
export const actorWords = ({ actor_name, action }: AuditEntry): string =>
  actor_name || (isDecision(action) ? strings.aModerator : strings.theSystem)

/** Returns the action as the rest of a sentence; unknown actions read as words. */
export function actionWords(entry: AuditEntry): string {
  return (
    words[entry.action]?.(entry.subject_name || strings.aMember, entry.details, entry) ??
    entry.action.replace(/[._]/g, ' ')
  )
}

const CARD = strings.aCard

/** Returns the words before and after the title of a card. */
export function wordsAroundTitle(words: string): { before: string; after: string } {
  const at = words.indexOf(CARD)
  return at < 0
    ? { before: `${words}: `, after: '' }
    : { before: words.slice(0, at), after: words.slice(at + CARD.length) }
}

const OTHER_CARD = 'another'

/** Returns the words before the other end of a link or a merge, or null. */
export const wordsBeforeOther = (words: string): string | null =>
  words.endsWith(OTHER_CARD) ? words.slice(0, -OTHER_CARD.length) : null

const SAID_ALREADY = new Set(['email'])

/** Returns the details as "role: editor, visibility: private", without ids. */
export const detailWords = ({ action, details }: AuditEntry) =>
  Object.entries(details)
    .filter(
      ([key, value]) =>
        value !== null &&
        value !== '' &&
        !key.endsWith('_id') &&
        !(action.startsWith('invite.') && SAID_ALREADY.has(key)),
    )
    .map(
      ([key, value]) =>
        `${key.replace(/_/g, ' ')}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    )
    .join(', ')
