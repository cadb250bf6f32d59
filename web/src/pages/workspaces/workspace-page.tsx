import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft, FileText } from 'lucide-react'
import { plural } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, Notice, SkeletonPage } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AuditLog } from './audit-log.tsx'
import { DeleteSection } from './delete-workspace.tsx'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { PolicyEditor } from './policy-editor.tsx'
import { roleName, TYPE_NAMES, VISIBILITIES, visibilityName } from './roles.ts'
import type { WorkspaceTab } from './routes.ts'
import { workspaceQuery } from './workspace-queries.ts'

const route = getRouteApi('/app/workspaces/$workspaceId')

const back = (
  <Link to="/workspaces" className="inline-flex items-center gap-1 rounded-sm text-soft hover:text-ink">
    <ArrowLeft size={14} aria-hidden />
    Team
  </Link>
)

export function WorkspacePage() {
  const { workspaceId } = route.useParams()
  const { tab = 'members' } = route.useSearch()
  const navigate = route.useNavigate()
  const me = useMe()
  const { data: workspace, error, refetch } = useQuery(workspaceQuery(workspaceId))
  if (error)
    return (
      <ErrorState
        error={error}
        onRetry={() => void refetch()}
        action={<LinkButton to="/workspaces">All workspaces</LinkButton>}
      />
    )
  if (!workspace) return <SkeletonPage />
  const isAdmin = workspace.role === 'admin'
  const isPersonal = workspace.type === 'personal'
  const open = (next: WorkspaceTab) =>
    void navigate({ search: { tab: next === 'members' ? undefined : next }, replace: true })
  return (
    <Page
      title={workspace.name}
      back={back}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          {TYPE_NAMES[workspace.type]} · {plural(workspace.member_count, 'member')}
          <Badge>{visibilityName(workspace.visibility)}</Badge>
          {workspace.role && <Badge tone="accent">You are {roleName(workspace.role).toLowerCase()}</Badge>}
        </span>
      }
      actions={
        <>
          {workspace.role !== 'viewer' && (
            <LinkButton to="/review" search={{ workspace: workspaceId }}>
              Review queue
            </LinkButton>
          )}
          {workspace.role && !isPersonal && (
            <LinkButton to="/effects" search={{ workspace: workspaceId }}>
              What it did
            </LinkButton>
          )}
          <LinkButton to="/cards" search={{ scope: 'workspace', workspace: workspaceId }}>
            <FileText size={14} aria-hidden />
            Its cards
          </LinkButton>
        </>
      }
    >
      {isPersonal && (
        <div className="mb-5">
          <Notice>
            This is your own workspace. It has one member and takes no invitations; make a team workspace to
            share cards.
          </Notice>
        </div>
      )}
      {!workspace.role && (
        <Notice>
          {VISIBILITIES.find((one) => one.value === workspace.visibility)?.means} You are not a member, so the
          list of members is not shown.
        </Notice>
      )}
      {workspace.role && (
        <Tabs<WorkspaceTab>
          label="Workspace"
          value={isAdmin ? tab : 'members'}
          onChange={open}
          tabs={[
            {
              value: 'members',
              label: 'Members',
              content: (
                <>
                  <Members workspace={workspace} />
                  {isAdmin && workspaceId !== me.personal_workspace_id && (
                    <div className="mt-8 border-t border-line pt-6">
                      <DeleteSection workspace={workspace} />
                    </div>
                  )}
                </>
              ),
            },
            ...(isAdmin && !isPersonal
              ? [
                  {
                    value: 'invitations' as const,
                    label: 'Invitations',
                    content: <Invitations workspace={workspace} />,
                  },
                ]
              : []),
            ...(isAdmin
              ? [
                  {
                    value: 'policy' as const,
                    label: 'Policy',
                    content: <PolicyEditor key={workspace.updated_at} workspace={workspace} />,
                  },
                  {
                    value: 'audit' as const,
                    label: 'Audit log',
                    content: <AuditLog workspaceId={workspaceId} />,
                  },
                ]
              : []),
          ]}
        />
      )}
    </Page>
  )
}
