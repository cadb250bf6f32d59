import { useQuery } from '@tanstack/react-query'
import type { Scope } from '../../api/types.ts'
import { useMe } from '../../session.ts'
import { CopyBlock } from '../../ui/copy-button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Notice, PartNotLoaded } from '../../ui/states.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import * as strings from './strings.ts'

/** Sets the workspace for cards recorded with a key. */
export function KeyHome({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const me = useMe()
  const workspaces = useQuery(workspacesQuery)
  const teams =
    workspaces.data?.items.filter(
      (one) =>
        one.workspace_id !== me.personal_workspace_id && (one.role === 'admin' || one.role === 'editor'),
    ) ?? []
  if (teams.length === 0) return <PartNotLoaded what={strings.yourTeams} query={workspaces} />
  return (
    <SelectField
      label={strings.recordsGoTo}
      hint={strings.recordsGoToHint}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{strings.myPersonalWorkspace}</option>
      {teams.map((team) => (
        <option key={team.workspace_id} value={team.workspace_id}>
          {team.name}
        </option>
      ))}
    </SelectField>
  )
}

export function KeyHomeName({ workspaceId }: { workspaceId: string }) {
  const { data, isPending } = useQuery(workspacesQuery)
  const team = data?.items.find((one) => one.workspace_id === workspaceId)
  if (isPending) return null
  const canWrite = team?.role === 'admin' || team?.role === 'editor'
  return (
    <span className="block max-w-48 truncate text-xs text-soft sm:max-w-72">
      {!data
        ? strings.recordsInATeam
        : canWrite
          ? strings.recordsInTeam(team.name)
          : strings.recordsInPersonal}
    </span>
  )
}

export const ShownKey = ({ apiKey }: { apiKey: string }) => (
  <div className="grid gap-3">
    <CopyBlock text={apiKey} label={strings.apiKey} />
    <Notice tone="warn">{strings.keyShownOnce}</Notice>
  </div>
)

export const SCOPES: { value: Scope; may: string }[] = [
  { value: 'search', may: strings.maySearch },
  { value: 'record', may: strings.mayRecord },
  { value: 'case:write', may: strings.mayWriteCards },
  {
    value: 'publish',
    may: strings.mayPublishCards,
  },
  { value: 'workspace:write', may: strings.mayManageWorkspaces },
  { value: 'account', may: strings.mayManageAccount },
]

/** The scopes of the tools, without the account. */
export const toolScopes: Scope[] = SCOPES.map((scope) => scope.value).filter((scope) => scope !== 'account')

/** Enough for an agent, without members and billing. */
export const AGENT_SCOPES: readonly Scope[] = ['search', 'record', 'case:write', 'publish']
