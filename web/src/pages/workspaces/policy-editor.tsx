import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Role, Workspace } from '../../api/types.ts'
import { tab } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import * as strings from './strings.ts'
import { ROLES, VisibilityField } from './workspace-fields.tsx'
import { workspaceChanged, workspaceQuery } from './workspace-queries.ts'

type Changes = Partial<PolicyForm & Pick<Workspace, 'name' | 'visibility'>>

/** Changes stay in this tab until they are saved. */
function useChanges(workspaceId: string) {
  const key = `kv-policy:${useMe().user_id}:${workspaceId}`
  const [kept] = useState(() => tab.read<Changes>(key))
  const [changes, setShown] = useState(kept ?? {})
  const newest = useRef(changes)
  const setChanges = (next: Changes) => {
    newest.current = next
    setShown(next)
    if (Object.keys(next).length > 0) tab.write(key, next)
    else tab.remove(key)
  }
  const dropSent = (sent: Changes) => newest.current === sent && setChanges({})
  return { changes, setChanges, dropSent, isRestored: changes === kept }
}

/** Keeps only local changes: other fields show the changes of other admins. */
export function PolicyEditor({ workspace }: { workspace: Workspace }) {
  const { changes, setChanges, dropSent, isRestored } = useChanges(workspace.workspace_id)
  const change = (part: Changes) => setChanges({ ...changes, ...part })
  const form = { ...readPolicy(workspace.policy_json), ...changes }
  const kept = Object.keys(form.others)
  const save = useMutation({
    mutationFn: async ({ name, visibility, ...policy }: Changes) => {
      const { workspace_id } = workspace
      const change = { workspace_id, name: name?.trim(), visibility }
      if (Object.keys(policy).length === 0) return call('PATCH /api/v1/workspaces/{workspace_id}', change)
      // Read again: the server replaces the whole policy, and another admin may have changed parts.
      const { policy_json } = await call('GET /api/v1/workspaces/{workspace_id}', { workspace_id })
      return call('PATCH /api/v1/workspaces/{workspace_id}', {
        ...change,
        policy_json: writePolicy({ ...readPolicy(policy_json), ...policy }),
      })
    },
    onSuccess: async (saved, sent) => {
      queryClient.setQueryData(workspaceQuery(workspace.workspace_id).queryKey, saved)
      dropSent(sent)
      await workspaceChanged(workspace.workspace_id)
      toast(strings.policySaved)
    },
  })
  const wrong = (field: string) => (save.error instanceof ApiError ? save.error.field(field) : undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(changes)
  }
  return (
    <form className="grid max-w-form gap-5" onSubmit={submit}>
      {isRestored && (
        <Notice
          action={
            <Button size="sm" onClick={() => setChanges({})}>
              {strings.discard}
            </Button>
          }
        >
          {strings.discardUndone}
        </Notice>
      )}
      <TextField
        label={strings.nameLabel}
        required
        maxLength={120}
        value={changes.name ?? workspace.name}
        error={wrong('name')}
        onChange={(event) => change({ name: event.target.value })}
      />
      {workspace.type !== 'personal' && (
        <VisibilityField
          value={changes.visibility ?? workspace.visibility}
          onChange={(visibility) => change({ visibility })}
        />
      )}
      <Checkbox
        label={strings.mayPublishElsewhere}
        hint={strings.mayPublishElsewhereHint}
        checked={form.allowPublish}
        onChange={(event) => change({ allowPublish: event.target.checked })}
      />
      {workspace.type !== 'personal' && <TeamFields form={form} change={change} wrong={wrong} />}
      <DaysField
        label={strings.reviewAfter}
        aside={strings.daysOptional}
        value={form.reviewAfterDays}
        hint={strings.reviewAfterHint}
        onChange={(reviewAfterDays) => change({ reviewAfterDays })}
      />
      <DaysField
        label={strings.halfWeightAfter}
        aside={strings.halfWeightDays}
        value={form.trustHalfLifeDays}
        hint={strings.halfWeightHint}
        onChange={(trustHalfLifeDays) => change({ trustHalfLifeDays })}
      />
      {kept.length > 0 && (
        <p className="text-xs text-faint">
          {strings.otherPolicyKeys}
          <span className="font-mono">{kept.join(', ')}</span>
          {strings.otherPolicyKeysStay}
        </p>
      )}
      <FormError error={save.error} />
      <div>
        <Button type="submit" look="primary" busy={save.isPending}>
          {strings.save}
        </Button>
      </div>
    </form>
  )
}

type FieldsProps = {
  form: PolicyForm
  change: (part: Partial<PolicyForm>) => void
  wrong: (field: string) => string | undefined
}

function TeamFields({ form, change, wrong }: FieldsProps) {
  const domains = domainsOf(form.inviteDomains)
  return (
    <>
      <TextField
        label={strings.inviteDomains}
        aside={strings.optional}
        placeholder={strings.domainsExample}
        autoComplete="off"
        value={form.inviteDomains}
        error={wrong('invite_domains')}
        hint={domains.length ? strings.onlyTheseDomains(domains.join(', ')) : strings.anyDomain}
        onChange={(event) => change({ inviteDomains: event.target.value })}
      />
      <SelectField
        label={strings.defaultRole}
        value={form.defaultRole}
        hint={strings.defaultRoleHint}
        onChange={(event) => change({ defaultRole: event.target.value as Role })}
      >
        {ROLES.map((role) => (
          <option key={role.value} value={role.value}>
            {role.label}
          </option>
        ))}
      </SelectField>
      <Checkbox
        label={strings.showMissedSearches}
        hint={strings.showMissedSearchesHint}
        checked={form.keepMissedSearches}
        onChange={(event) => change({ keepMissedSearches: event.target.checked })}
      />
    </>
  )
}

type DaysProps = {
  label: string
  aside: string
  hint: string
  value: string
  onChange: (days: string) => void
}

const DaysField = ({ onChange, ...field }: DaysProps) => (
  <TextField {...field} type="number" min={7} max={3650} onChange={(event) => onChange(event.target.value)} />
)

/** The policy as the form shows it; keys without a field are kept. */
type PolicyForm = {
  allowPublish: boolean
  inviteDomains: string
  defaultRole: Role
  /** Empty for the default. */
  reviewAfterDays: string
  trustHalfLifeDays: string
  keepMissedSearches: boolean
  others: Record<string, unknown>
}

export function readPolicy(policy: Record<string, unknown> | null): PolicyForm {
  const {
    allow_publish,
    invite_domains,
    default_role,
    review_after_days,
    trust_half_life_days,
    keep_missed_searches,
    ...others
  } = policy ?? {}
  return {
    allowPublish: allow_publish !== false,
    inviteDomains: Array.isArray(invite_domains) ? invite_domains.join(', ') : '',
    defaultRole: ROLES.find((role) => role.value === default_role)?.value ?? 'viewer',
    reviewAfterDays: daysText(review_after_days),
    trustHalfLifeDays: daysText(trust_half_life_days),
    keepMissedSearches: keep_missed_searches !== false,
    others,
  }
}

const daysText = (days: unknown): string => (typeof days === 'number' ? String(days) : '')

const daysOf = (key: string, text: string): Record<string, number> =>
  text.trim() === '' ? {} : { [key]: Number(text) }

export const domainsOf = (text: string) => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((domain) => domain.trim().replace(/^@/, '').toLowerCase())
      .filter(Boolean),
  ),
]

/** Writes only what differs from the default. */
export function writePolicy({
  allowPublish,
  inviteDomains,
  defaultRole,
  reviewAfterDays,
  trustHalfLifeDays,
  keepMissedSearches,
  others,
}: PolicyForm): Record<string, unknown> {
  const domains = domainsOf(inviteDomains)
  return {
    ...others,
    ...(allowPublish ? {} : { allow_publish: false }),
    ...(domains.length ? { invite_domains: domains } : {}),
    ...(defaultRole === 'viewer' ? {} : { default_role: defaultRole }),
    ...daysOf('review_after_days', reviewAfterDays),
    ...daysOf('trust_half_life_days', trustHalfLifeDays),
    ...(keepMissedSearches ? {} : { keep_missed_searches: false }),
  }
}
