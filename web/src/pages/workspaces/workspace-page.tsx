import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { ApiError } from '../../api/client.ts'
import type { Workspace } from '../../api/team.ts'
import { plural } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { Notice, NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { listOf } from '../cards/list-state.ts'
import { AuditLog } from './audit-log.tsx'
import { DeleteSection } from './delete-workspace.tsx'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { PolicyEditor } from './policy-editor.tsx'
import { roleName, TYPE_NAMES, VISIBILITIES, visibilityName } from './roles.ts'
import type { WorkspaceTab } from './routes.ts'
import { TeamWeek } from './team-week.tsx'
import { workspaceQuery } from './workspace-queries.ts'

const route = getRouteApi('/app/workspaces/$workspaceId')

const back = <BackLink to="/workspaces">Team</BackLink>

export function WorkspacePage() {
  const { workspaceId } = route.useParams()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const me = useMe()
  const query = useQuery(workspaceQuery(workspaceId))
  const workspace = query.data
  const isGone = query.error instanceof ApiError && query.error.status === 404
  if (!workspace || isGone)
    return (
      <NotLoaded isPage query={query} action={<LinkButton to="/workspaces">All workspaces</LinkButton>}>
        <SkeletonPage />
      </NotLoaded>
    )
  const isHome = workspaceId === me.personal_workspace_id
  const tabs = tabsFor(workspace, isHome)
  const shown = tabs.find((one) => one.value === tab) ?? tabs[0]
  const open = (next: WorkspaceTab) => void navigate({ search: { tab: next }, replace: true })
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
          {workspace.role && workspace.role !== 'viewer' && (
            <LinkButton to="/review" search={{ workspace: workspaceId }}>
              Review queue
            </LinkButton>
          )}
          {workspace.role && workspace.type !== 'personal' && (
            <LinkButton to="/effects" search={{ workspace: workspaceId }}>
              What it did
            </LinkButton>
          )}
          {workspace.role === 'admin' && workspace.type !== 'personal' && (
            <LinkButton to="/moderation" search={{ workspace: workspaceId }}>
              Moderation
            </LinkButton>
          )}
          <LinkButton to="/cards" search={listOf(workspace)}>
            <FileText size={14} aria-hidden />
            Cards
          </LinkButton>
        </>
      }
    >
      {workspace.type === 'personal' && (
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
      {workspace.role && shown && (
        <Tabs<WorkspaceTab> label="Workspace" value={shown.value} onChange={open} tabs={tabs} />
      )}
    </Page>
  )
}

/** A team begins with its week; a workspace of one person has none. */
function tabsFor(workspace: Workspace, isHome: boolean) {
  const isAdmin = workspace.role === 'admin'
  const isTeam = workspace.type !== 'personal'
  const week = { value: 'week' as const, label: 'This week', content: <TeamWeek workspace={workspace} /> }
  const members = {
    value: 'members' as const,
    label: 'Members',
    content: (
      <>
        <Members workspace={workspace} />
        {isAdmin && !isHome && (
          <div className="mt-8 border-t border-line pt-6">
            <DeleteSection workspace={workspace} />
          </div>
        )}
      </>
    ),
  }
  const invitations = {
    value: 'invitations' as const,
    label: 'Invitations',
    content: <Invitations workspace={workspace} />,
  }
  const policy = {
    value: 'policy' as const,
    label: 'Policy',
    content: <PolicyEditor key={workspace.workspace_id} workspace={workspace} />,
    keep: true,
  }
  const audit = {
    value: 'audit' as const,
    label: 'Audit log',
    content: <AuditLog workspaceId={workspace.workspace_id} />,
  }
  return [
    ...(isTeam ? [week] : []),
    members,
    ...(isAdmin && isTeam ? [invitations] : []),
    ...(isAdmin ? [policy, audit] : []),
  ]
}
