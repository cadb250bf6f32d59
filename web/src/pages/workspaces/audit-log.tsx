import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import type { AuditEntry } from '../../api/team.ts'
import { formatTime } from '../../lib/format.ts'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Pager, Table } from '../../ui/table.tsx'
import { actionWords, actorWords, detailWords, wordsAroundTitle, wordsBeforeOther } from './audit-words.ts'
import { auditQuery } from './workspace-queries.ts'

const route = getRouteApi('/app/workspaces/$workspaceId')

/** Who did what, newest first. Nothing in it can be changed or removed. */
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
      <EmptyState icon={<ScrollText size={18} />} title="Nothing has happened yet">
        Members, invitations, roles and publishing are written down here, and nobody can change it.
      </EmptyState>
    )
  return (
    <>
      <Table
        label="Audit log"
        rows={log.data.items}
        rowKey={(entry) => entry.audit_id}
        columns={[
          {
            name: 'When',
            wide: true,
            cell: (entry) => (
              <span className="whitespace-nowrap text-soft tabular-nums">{formatTime(entry.created_at)}</span>
            ),
          },
          {
            name: 'What',
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
            name: 'Details',
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

/** What was done; cards that the reader may read are named, and a click leads to them. */
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
