import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Building2, ChevronRight, Lock, Plus, User, Users } from 'lucide-react'
import { useState } from 'react'
import type { Workspace } from '../../api/team.ts'
import { plural } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { CreateWorkspace } from './create-workspace.tsx'
import { MyInvitations } from './my-invitations.tsx'
import { roleName, TYPE_NAMES, visibilityName } from './roles.ts'
import { workspacesQuery } from './workspace-queries.ts'

const ICONS = { personal: User, team: Users, org: Building2 }

export function WorkspacesPage() {
  const [creating, setCreating] = useState(false)
  const workspaces = useQuery(workspacesQuery)
  const shared = workspaces.data?.items.filter((one) => one.type !== 'personal') ?? []
  return (
    <Page
      title="Team"
      lead="A workspace holds the cards that a group of people shares. What you record elsewhere stays yours."
      actions={
        <Button look="primary" onClick={() => setCreating(true)}>
          <Plus size={14} aria-hidden />
          New workspace
        </Button>
      }
    >
      <MyInvitations />
      {!workspaces.data && (
        <NotLoaded query={workspaces}>
          <SkeletonList rows={3} />
        </NotLoaded>
      )}
      {workspaces.data && (
        <>
          <ul className="divide-y divide-line border-y border-line">
            {workspaces.data.items.map((workspace) => (
              <WorkspaceRow key={workspace.workspace_id} workspace={workspace} />
            ))}
          </ul>
          {shared.length === 0 && (
            <EmptyState
              icon={<Users size={18} />}
              title="No team yet"
              action={<Button onClick={() => setCreating(true)}>Create a workspace</Button>}
              example="Example: “Platform team”, private. Two editors record what they fix, everybody else finds it."
            >
              Make a workspace, invite people by e-mail, and share the cards that are worth finding twice.
            </EmptyState>
          )}
        </>
      )}
      {creating && <CreateWorkspace onClose={() => setCreating(false)} />}
    </Page>
  )
}

function WorkspaceRow({ workspace }: { workspace: Workspace }) {
  const Icon = ICONS[workspace.type]
  return (
    <li>
      <Link
        to="/workspaces/$workspaceId"
        params={{ workspaceId: workspace.workspace_id }}
        className="flex min-h-14 items-center gap-3 px-2 py-2 max-xs:flex-wrap transition-colors hover:bg-hover"
      >
        <span className="grid size-8 shrink-0 place-items-center rounded-md bg-sunken text-faint">
          <Icon size={16} aria-hidden />
        </span>
        <span className="min-w-0 grow max-xs:basis-20">
          <span className="block truncate text-sm font-medium">{workspace.name}</span>
          <span className="block truncate text-xs text-faint">
            {TYPE_NAMES[workspace.type]} · {plural(workspace.member_count, 'member')}
            <span className="sm:hidden"> · {visibilityName(workspace.visibility)}</span>
          </span>
        </span>
        <span className="flex shrink-0 items-center gap-2">
          <span className="max-sm:hidden">
            <Badge icon={workspace.visibility === 'private' ? <Lock size={12} aria-hidden /> : undefined}>
              {visibilityName(workspace.visibility)}
            </Badge>
          </span>
          {workspace.role && (
            <Badge tone={workspace.role === 'admin' ? 'accent' : 'neutral'}>{roleName(workspace.role)}</Badge>
          )}
          <ChevronRight size={16} className="text-faint" aria-hidden />
        </span>
      </Link>
    </li>
  )
}
