import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { createKey } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Scope } from '../../api/settings.ts'
import { useAttempt } from '../../api/use-attempt.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, FormDialog } from '../../ui/dialog.tsx'
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx'
import { KeyHome } from './key-home.tsx'
import { AGENT_SCOPES, SCOPES } from './scopes.ts'
import { ShownKey } from './shown-key.tsx'

export function CreateKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState(AGENT_SCOPES)
  const [days, setDays] = useState('')
  const [home, setHome] = useState('')
  const attempt = useAttempt()
  const create = useMutation({
    mutationFn: () => {
      const input = {
        name: name.trim(),
        scopes: SCOPES.map((scope) => scope.value).filter((scope) => chosen.includes(scope)),
        ...(days ? { expires_in_days: Number(days) } : {}),
        ...(home ? { default_workspace_id: home } : {}),
      }
      return attempt(input, (options) => createKey(input, options))
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
  })
  if (create.data) return <NewKey apiKey={create.data.api_key} onClose={onClose} />
  const toggle = (scope: Scope) =>
    setChosen((before) =>
      before.includes(scope) ? before.filter((one) => one !== scope) : [...before, scope],
    )
  return (
    <FormDialog
      onClose={onClose}
      title="New API key"
      action="Create key"
      ready={name.trim() !== '' && chosen.length > 0}
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={120}
        autoComplete="off"
        placeholder="Agent on my laptop"
        hint="So that you recognise it in this list."
        value={name}
        error={create.error instanceof ApiError ? create.error.field('name') : undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className="grid gap-2.5">
        <legend className="mb-2.5 text-sm font-medium">It may</legend>
        {SCOPES.map((scope) => (
          <Checkbox
            key={scope.value}
            label={scope.may}
            hint={<span className="font-mono">{scope.value}</span>}
            checked={chosen.includes(scope.value)}
            onChange={() => toggle(scope.value)}
          />
        ))}
      </fieldset>
      <SelectField label="Expires" value={days} onChange={(event) => setDays(event.target.value)}>
        <option value="">Never</option>
        <option value="30">In 30 days</option>
        <option value="90">In 90 days</option>
        <option value="365">In a year</option>
      </SelectField>
      <KeyHome value={home} onChange={setHome} />
    </FormDialog>
  )
}

const NewKey = ({ apiKey, onClose }: { apiKey: string; onClose: () => void }) => (
  <Dialog
    open
    onClose={onClose}
    keepOpen
    title="Your new key"
    footer={
      <Button look="primary" onClick={onClose}>
        Done
      </Button>
    }
  >
    <ShownKey apiKey={apiKey} />
  </Dialog>
)
