import { useQuery } from '@tanstack/react-query'
import { useMe } from '../../session.ts'
import { SelectField } from '../../ui/field.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'

/** Where the cards go that an agent records with a key. Without a team there is nothing to choose. */
export function KeyHome({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const me = useMe()
  const { data } = useQuery(workspacesQuery)
  const teams =
    data?.items.filter(
      (one) =>
        one.workspace_id !== me.personal_workspace_id && (one.role === 'admin' || one.role === 'editor'),
    ) ?? []
  if (teams.length === 0) return null
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
