import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import { createWorkspace, type Workspace } from '../../api/team.ts'
import { useAttempt } from '../../api/use-attempt.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { VisibilityField } from './visibility-field.tsx'
import { workspaceQuery } from './workspace-queries.ts'

export function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [type, setType] = useState<Workspace['type']>('team')
  const [visibility, setVisibility] = useState<Workspace['visibility']>('private')
  const attempt = useAttempt()
  const create = useMutation({
    mutationFn: () => {
      const input = { name: name.trim(), type, visibility }
      return attempt(input, (options) => createWorkspace(input, options))
    },
    onSuccess: (workspace) => {
      queryClient.setQueryData(workspaceQuery(workspace.workspace_id).queryKey, workspace)
      void queryClient.invalidateQueries({ queryKey: ['workspaces'] })
      onClose()
      void navigate({
        to: '/workspaces/$workspaceId',
        params: { workspaceId: workspace.workspace_id },
        search: { tab: 'invitations' },
      })
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title="New workspace"
      description="You become its admin. Inviting people is the next step."
      action="Create workspace"
      ready={name.trim() !== ''}
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
    >
      <TextField
        label="Name"
        value={name}
        maxLength={120}
        required
        autoFocus
        autoComplete="off"
        placeholder="Platform team"
        error={create.error instanceof ApiError ? create.error.field('name') : undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label="Kind"
        value={type}
        onChange={(event) => setType(event.target.value as Workspace['type'])}
      >
        <option value="team">Team</option>
        <option value="org">Organisation</option>
      </SelectField>
      <VisibilityField value={visibility} onChange={setVisibility} />
    </FormDialog>
  )
}
