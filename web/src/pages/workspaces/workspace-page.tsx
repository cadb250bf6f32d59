import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Deletion, Workspace } from '../../api/types.ts'
import { plural } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { BackLink, Page, Section } from '../../ui/page.tsx'
import { FormError, Notice, NotLoaded, Skeleton, SkeletonPage } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toast.tsx'
import { listOf } from '../cards/card-filters.tsx'
import { Insights } from '../effects/effects-page.tsx'
import { AuditLog } from './audit-log.tsx'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { PolicyEditor } from './policy-editor.tsx'
import type { WorkspaceTab } from './routes.ts'
import * as strings from './strings.ts'
import { TeamWeek } from './team-week.tsx'
import { roleName, VISIBILITIES, visibilityName } from './workspace-fields.tsx'
import { workspaceQuery } from './workspace-queries.ts'

const route = getRouteApi('/app/workspaces/$workspaceId')

const back = <BackLink to="/workspaces">{strings.team}</BackLink>

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
      <NotLoaded
        isPage
        query={query}
        action={<LinkButton to="/workspaces">{strings.allWorkspaces}</LinkButton>}
      >
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
          {plural(workspace.member_count, 'member')}
          <Badge>{visibilityName(workspace.visibility)}</Badge>
          {workspace.role && (
            <Badge tone="accent">{strings.yourRole(roleName(workspace.role).toLowerCase())}</Badge>
          )}
        </span>
      }
      actions={
        <LinkButton to="/cards" search={listOf(workspace)}>
          <FileText size={14} aria-hidden />
          {strings.cards}
        </LinkButton>
      }
    >
      {workspace.type === 'personal' && (
        <div className="mb-5">
          <Notice>{strings.ownWorkspaceLead}</Notice>
        </div>
      )}
      {!workspace.role && (
        <Notice>
          {VISIBILITIES.find((one) => one.value === workspace.visibility)?.means}
          {strings.notAMember}
        </Notice>
      )}
      {workspace.role && shown && (
        <Tabs<WorkspaceTab> label={strings.workspace} value={shown.value} onChange={open} tabs={tabs} />
      )}
    </Page>
  )
}

function tabsFor(workspace: Workspace, isHome: boolean) {
  const isAdmin = workspace.role === 'admin'
  const isTeam = workspace.type !== 'personal'
  const week = {
    value: 'week' as const,
    label: strings.thisWeek,
    content: <TeamWeek workspace={workspace} />,
  }
  const insights = {
    value: 'insights' as const,
    label: strings.insights,
    content: (
      <>
        <Insights workspaceId={workspace.workspace_id} />
        {isAdmin && (
          <p className="mt-8 text-sm">
            <LinkButton to="/moderation" search={{ workspace: workspace.workspace_id }} look="ghost">
              {strings.reportsAndAppeals}
            </LinkButton>
          </p>
        )}
      </>
    ),
  }
  const members = {
    value: 'members' as const,
    label: strings.members,
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
    label: strings.invitations,
    content: <Invitations workspace={workspace} />,
  }
  const policy = {
    value: 'policy' as const,
    label: strings.policy,
    content: <PolicyEditor key={workspace.workspace_id} workspace={workspace} />,
    keep: true,
  }
  const audit = {
    value: 'audit' as const,
    label: strings.auditLog,
    content: <AuditLog workspaceId={workspace.workspace_id} />,
  }
  return [
    ...(isTeam ? [week, insights] : []),
    members,
    ...(isAdmin && isTeam ? [invitations] : []),
    ...(isAdmin ? [policy, audit] : []),
  ]
}

function DeleteSection({ workspace }: { workspace: Workspace }) {
  const [asking, setAsking] = useState(false)
  return (
    <Section title={strings.deleteTheWorkspace} lead={strings.deleteWorkspaceHint}>
      <Button look="danger" onClick={() => setAsking(true)}>
        {strings.deleteWorkspace}
      </Button>
      {asking && <DeleteWorkspace workspace={workspace} onClose={() => setAsking(false)} />}
    </Section>
  )
}

function DeleteWorkspace({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const { workspace_id, name } = workspace
  const navigate = useNavigate()
  const preview = useQuery({
    queryKey: ['workspace', workspace_id, 'deletion'],
    queryFn: ({ signal }) =>
      call('GET /api/v1/workspaces/{workspace_id}/deletion', { workspace_id }, { signal }),
    staleTime: 0,
  })
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/v1/workspaces/{workspace_id}', { workspace_id, confirm_name: name }),
    onSuccess: async (done) => {
      await navigate({ to: '/workspaces' })
      queryClient.removeQueries({ queryKey: ['workspace', workspace_id] })
      await queryClient.invalidateQueries()
      const cards = done.own_cards + done.cards_of_others
      toast(strings.workspaceDeleted(done.name, plural(cards, 'card')))
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={remove}
      busy={remove.isPending || preview.isPending}
      title={strings.deleteNamed(name)}
      action={strings.deleteWorkspace}
      typed={name}
    >
      {preview.isPending && <Skeleton className="h-16 w-full" />}
      {preview.data && <Consequences deletion={preview.data} />}
      <FormError error={remove.error ?? preview.error} />
    </ConfirmDialog>
  )
}

function Consequences({ deletion }: { deletion: Deletion }) {
  const others = deletion.members - 1
  return (
    <>
      <ul aria-label={strings.whatHappens} className="grid list-disc gap-1 pl-5">
        <li>
          {strings.cardsGoHome(plural(deletion.own_cards, 'card'), plural(deletion.cards_of_others, 'card'))}
        </li>
        {deletion.published_cards > 0 && (
          <li>{strings.cardsNoLongerRead(plural(deletion.published_cards, 'card'))}</li>
        )}
        {deletion.deleted_cards > 0 && (
          <li>{strings.deletedCardsToKeep(plural(deletion.deleted_cards, 'card'))}</li>
        )}
        {deletion.raw_materials > 0 && (
          <li>{strings.rawMaterialsToOwners(plural(deletion.raw_materials, 'raw material'))}</li>
        )}
        {others > 0 && <li>{strings.membersWithoutAccess(plural(others, 'other member'))}</li>}
        {deletion.open_invites > 0 && (
          <li>{strings.linksStopWorking(plural(deletion.open_invites, 'open invitation'))}</li>
        )}
      </ul>
      <p>{strings.whatStays}</p>
    </>
  )
}
