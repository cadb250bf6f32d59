import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient, useAttempt } from '../../api/query.ts'
import type { ApiKey } from '../../api/types.ts'
import { formatAgo, formatDay } from '../../lib/format.ts'
import { Badge, Tag } from '../../ui/badge.tsx'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog, FormDialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { AGENT_SCOPES, inOrder, KeyHome, KeyHomeName, SCOPES, ScopeBoxes, ShownKey } from './key-parts.tsx'
import { KeySharing } from './sharing.tsx'
import * as strings from './strings.ts'

export function ApiKeys() {
  const keys = useQuery({
    queryKey: ['api-keys'],
    queryFn: ({ signal }) => call('GET /api/v1/auth/api-keys', {}, { signal }),
  })
  const [dialog, setDialog] = useState<'create' | ApiKey | null>(null)
  return (
    <Section
      title={strings.apiKeys}
      lead={strings.apiKeysLead}
      actions={
        <Button look="primary" onClick={() => setDialog('create')}>
          <Plus size={14} aria-hidden />
          {strings.newKey}
        </Button>
      }
    >
      {!keys.data && (
        <NotLoaded query={keys}>
          <SkeletonList rows={3} />
        </NotLoaded>
      )}
      {keys.data?.length === 0 && (
        <EmptyState
          icon={<KeyRound size={18} />}
          title={strings.noKeysYet}
          action={<LinkButton to="/connect">{strings.connectAnAgent}</LinkButton>}
          example={
            <>
              {strings.keyHeaderBefore}
              <span className="font-mono">X-API-Key</span>
              {strings.keyHeaderAfter}
            </>
          }
        >
          {strings.noKeysHint}
        </EmptyState>
      )}
      {keys.data && keys.data.length > 0 && (
        <Table
          label={strings.apiKeys}
          rows={keys.data}
          rowKey={(key) => key.key_id}
          columns={[
            { name: strings.key, cell: (key) => <KeyName of={key} /> },
            { name: strings.may, wide: true, cell: (key) => <Scopes of={key} /> },
            { name: strings.lastUsed, cell: (key) => <LastUse of={key} /> },
            {
              name: strings.actions,
              hideName: true,
              end: true,
              cell: (key) => (
                <IconButton label={strings.deleteKeyNamed(key.name)} onClick={() => setDialog(key)}>
                  <Trash2 size={16} />
                </IconButton>
              ),
            },
          ]}
        />
      )}
      {dialog === 'create' && <CreateKey onClose={() => setDialog(null)} />}
      {dialog && dialog !== 'create' && <DeleteKey apiKey={dialog} onClose={() => setDialog(null)} />}
    </Section>
  )
}

const KeyName = ({ of: key }: { of: ApiKey }) => (
  <span className="block min-w-0">
    <span className="block max-w-48 truncate font-medium sm:max-w-72">{key.name}</span>
    <span className="font-mono text-xs text-faint">{key.prefix}…</span>
    {key.default_workspace_id && <KeyHomeName workspaceId={key.default_workspace_id} />}
    {key.default_workspace_id && <KeySharing of={key} />}
  </span>
)

const Scopes = ({ of: key }: { of: ApiKey }) =>
  key.scopes.length === SCOPES.length ? (
    <span className="text-soft">{strings.everything}</span>
  ) : (
    <span className="flex flex-wrap gap-1">
      {key.scopes.map((scope) => (
        <Tag key={scope}>{strings.scopeNames[scope] ?? scope}</Tag>
      ))}
    </span>
  )

function LastUse({ of: key }: { of: ApiKey }) {
  if (key.expires_at && Date.parse(key.expires_at) < Date.now())
    return <Badge tone="warn">{strings.expired}</Badge>
  return (
    <span className="text-soft">
      {key.last_used_at ? formatAgo(key.last_used_at) : strings.never}
      {key.expires_at && (
        <span className="block text-xs text-faint">{strings.untilDay(formatDay(key.expires_at))}</span>
      )}
    </span>
  )
}

function DeleteKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/v1/auth/api-keys/{key_id}', { key_id: apiKey.key_id }),
    onSuccess: () => toast(strings.keyDeleted(apiKey.name)),
    onError: toastError,
    onSettled: async () => {
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['api-keys'] })
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={remove}
      title={strings.deleteThisKey}
      action={strings.deleteKey}
    >
      <p>
        {strings.deleteKeyWarning(
          apiKey.name,
          apiKey.last_used_at ? `It was last used ${formatAgo(apiKey.last_used_at)}.` : 'It was never used.',
        )}
      </p>
    </ConfirmDialog>
  )
}

function CreateKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState(AGENT_SCOPES)
  const [days, setDays] = useState('')
  const [home, setHome] = useState('')
  const attempt = useAttempt()
  const create = useMutation({
    mutationFn: () => {
      const input = {
        name: name.trim(),
        scopes: inOrder(chosen),
        ...(days ? { expires_in_days: Number(days) } : {}),
        ...(home ? { default_workspace_id: home } : {}),
      }
      return attempt(input, (options) => call('POST /api/v1/auth/api-keys', input, options))
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
  })
  if (create.data) return <NewKey apiKey={create.data.api_key} onClose={onClose} />
  return (
    <FormDialog
      onClose={onClose}
      title={strings.newApiKey}
      action={strings.createKey}
      ready={name.trim() !== '' && chosen.length > 0}
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
    >
      <TextField
        label={strings.nameLabel}
        required
        autoFocus
        maxLength={120}
        autoComplete="off"
        placeholder={strings.keyNameExample}
        hint={strings.keyNameHint}
        value={name}
        error={create.error instanceof ApiError ? create.error.field('name') : undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <ScopeBoxes chosen={chosen} onChange={setChosen} />
      <SelectField label={strings.expires} value={days} onChange={(event) => setDays(event.target.value)}>
        <option value="">{strings.never}</option>
        <option value="30">{strings.in30Days}</option>
        <option value="90">{strings.in90Days}</option>
        <option value="365">{strings.inAYear}</option>
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
    title={strings.yourNewKey}
    footer={
      <Button look="primary" onClick={onClose}>
        {strings.done}
      </Button>
    }
  >
    <ShownKey apiKey={apiKey} />
  </Dialog>
)
