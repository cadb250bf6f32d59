import { useQuery } from '@tanstack/react-query'
import { useMe } from '../../session.ts'
import { SelectField } from '../../ui/field.tsx'
import { Notice, PartNotLoaded } from '../../ui/states.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'

/** Where a new card goes. A draft may name a team that its writer has left, or that is gone: then it is Personal. */
export function useHome(wanted: string) {
  const { personal_workspace_id } = useMe()
  const query = useQuery(workspacesQuery)
  const writable = query.data?.items.filter(
    ({ workspace_id, role }) =>
      workspace_id !== personal_workspace_id && (role === 'admin' || role === 'editor'),
  )
  const isThere = !writable || writable.some(({ workspace_id }) => workspace_id === wanted)
  return {
    query,
    writable,
    home: isThere ? wanted : '',
    isLost: !isThere && wanted !== '' && wanted !== personal_workspace_id,
  }
}

type Props = { home: ReturnType<typeof useHome>; onChange: (workspaceId: string) => void }

/** Where the card will live: workspaces that the person may write in, and Personal. */
export function WorkspaceField({ home: { query, writable, home, isLost }, onChange }: Props) {
  const field = (
    <SelectField
      label="Workspace"
      value={home}
      disabled={!writable}
      onChange={(event) => onChange(event.target.value)}
      hint="Until you share it, only the editors of a team can read a card there; in Personal only you."
    >
      {writable ? <option value="">Personal</option> : <option value={home}>Loading …</option>}
      {writable?.map((workspace) => (
        <option key={workspace.workspace_id} value={workspace.workspace_id}>
          {workspace.name}
        </option>
      ))}
    </SelectField>
  )
  // It keeps its place until the list comes: the fields below would move under the pointer.
  if (!writable)
    return (
      <PartNotLoaded what="Your workspaces" query={query}>
        {field}
      </PartNotLoaded>
    )
  return (
    <div className="grid gap-2">
      {writable.length > 0 ? (
        field
      ) : (
        <p className="text-xs text-faint">
          It is saved in Personal: only you can read it until you share it.
        </p>
      )}
      {isLost && (
        <Notice tone="warn">
          You can no longer write in the workspace that this draft was for. It will be saved in Personal.
        </Notice>
      )}
    </div>
  )
}
