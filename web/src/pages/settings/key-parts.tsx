import { useQuery } from '@tanstack/react-query'
import type { Scope } from '../../api/types.ts'
import { useMe } from '../../session.ts'
import { CopyBlock } from '../../ui/copy-button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Notice, PartNotLoaded } from '../../ui/states.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'

/** Sets the workspace for cards recorded with a key. */
export function KeyHome({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const me = useMe()
  const workspaces = useQuery(workspacesQuery)
  const teams =
    workspaces.data?.items.filter(
      (one) =>
        one.workspace_id !== me.personal_workspace_id && (one.role === 'admin' || one.role === 'editor'),
    ) ?? []
  if (teams.length === 0) return <PartNotLoaded what="Your teams" query={workspaces} />
  return (
    <SelectField
      label="What it records goes to"
      hint="As a draft that the editors of a team can read. Used where the agent names no workspace."
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">My personal workspace</option>
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
        ? 'Records in a team'
        : canWrite
          ? `Records in ${team.name}`
          : 'Records in your personal workspace: you can no longer write in its team'}
    </span>
  )
}

export const ShownKey = ({ apiKey }: { apiKey: string }) => (
  <div className="grid gap-3">
    <CopyBlock text={apiKey} label="API key" />
    <Notice tone="warn">
      This is the only time the key is shown. Keep it out of cards and repositories.
    </Notice>
  </div>
)

export const SCOPES: { value: Scope; may: string }[] = [
  { value: 'search', may: 'Search and read cards, memory and workspaces' },
  { value: 'record', may: 'Write memory, share cards with private teams, give feedback' },
  { value: 'case:write', may: 'Create and edit cards (together with record)' },
  {
    value: 'publish',
    may: 'Publish cards to the library, open them to strangers elsewhere, and take them back',
  },
  { value: 'workspace:write', may: 'Create workspaces, invite and remove people' },
  { value: 'account', may: 'Settings, keys, billing: everything about your account' },
]

/** The scopes of the tools, without the account. */
export const toolScopes: Scope[] = SCOPES.map((scope) => scope.value).filter((scope) => scope !== 'account')

/** Enough for an agent, without members and billing. */
export const AGENT_SCOPES: readonly Scope[] = ['search', 'record', 'case:write', 'publish']
