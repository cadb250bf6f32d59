import { useQuery } from '@tanstack/react-query'
import { CORE_SCOPES } from '#server/shared/core-tools.ts'
import type { Scope } from '../../api/types.ts'
import { useMe } from '../../session.ts'
import { CopyBlock } from '../../ui/copy-button.tsx'
import { Checkbox, SelectField } from '../../ui/field.tsx'
import { Notice, PartNotLoaded } from '../../ui/states.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import * as strings from './strings.ts'

type KeyHomeProps = {
  value: string
  onChange: (value: string) => void
  /** The team with which the key shares what it records. */
  shared?: string | null
}

/** Sets the workspace for cards recorded with a key. */
export function KeyHome({ value, onChange, shared }: KeyHomeProps) {
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
      hint={value && value === shared ? strings.sharedWithHint : strings.recordsGoToHint}
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

/** Enough for an agent: search, record and edit cards. Publishing and members are chosen on purpose. */
export const AGENT_SCOPES: readonly Scope[] = CORE_SCOPES

type ScopeBoxesProps = {
  offered?: readonly Scope[]
  chosen: readonly Scope[]
  onChange: (chosen: Scope[]) => void
}

/** A box for each scope that a key may get. */
export function ScopeBoxes({ offered, chosen, onChange }: ScopeBoxesProps) {
  const toggled = (scope: Scope) =>
    chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope]
  return (
    <fieldset className="grid gap-2.5">
      <legend className="mb-2.5 text-sm font-medium">{offered ? strings.itMayAlso : strings.itMay}</legend>
      {SCOPES.filter(({ value }) => offered?.includes(value) ?? true).map(({ value, may }) => (
        <Checkbox
          key={value}
          label={may}
          hint={<span className="font-mono">{value}</span>}
          checked={chosen.includes(value)}
          onChange={() => onChange(toggled(value))}
        />
      ))}
    </fieldset>
  )
}

export const inOrder = (chosen: readonly Scope[]): Scope[] =>
  SCOPES.map(({ value }) => value).filter((scope) => chosen.includes(scope))
