import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { ApiKey, RecordedSharing } from '../../api/types.ts'
import { meQuery } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, SelectField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import * as strings from './strings.ts'

const sharingQuery = queryOptions({
  queryKey: ['settings', 'sharing'],
  queryFn: ({ signal }) => call('GET /api/v1/user/sharing', {}, { signal }),
})

const useChoice = (onDone?: (sharing: RecordedSharing) => void) =>
  useMutation({
    mutationFn: (workspace_id: string | null) => call('PUT /api/v1/user/sharing', { workspace_id }),
    onSuccess: (sharing) => {
      queryClient.setQueryData(sharingQuery.queryKey, sharing)
      void queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
      void queryClient.invalidateQueries({ queryKey: ['settings'] })
      void queryClient.invalidateQueries({ queryKey: ['api-keys'] })
      onDone?.(sharing)
    },
    onError: toastError,
  })

type Team = { workspace_id: string; name: string }

/** Returns the private teams where the person may write. */
function useTeams(enabled: boolean): Team[] {
  const { data } = useQuery({ ...workspacesQuery, enabled })
  return (
    data?.items.filter(
      ({ type, visibility, role }) =>
        type !== 'personal' && visibility === 'private' && (role === 'editor' || role === 'admin'),
    ) ?? []
  )
}

/** Asks once, on Home and on the pages of a team, whether to share what the person and the agents record. */
export function SharingQuestion() {
  const path = useRouterState({ select: (state) => state.location.pathname })
  const isHere = path === '/' || path.startsWith('/workspaces')
  const teams = useTeams(isHere)
  const { data } = useQuery({ ...sharingQuery, enabled: isHere && teams.length > 0 })
  const [offered, setOffered] = useState<RecordedSharing>()
  if (!isHere) return null
  if (offered) return <EarlierCards sharing={offered} onClose={() => setOffered(undefined)} />
  if (!data || data.answered || data.workspace_id || teams.length === 0) return null
  return <Question teams={teams} onYes={setOffered} />
}

function Question({ teams, onYes }: { teams: Team[]; onYes: (sharing: RecordedSharing) => void }) {
  const [chosen, setChosen] = useState(teams[0]?.workspace_id ?? '')
  const team = teams.find((one) => one.workspace_id === chosen) ?? teams[0]
  const choice = useChoice((answer) => {
    if (answer.workspace_id && answer.earlier_cards > 0) onYes(answer)
  })
  return (
    <div className="px-4 pt-4">
      <Notice
        action={
          <div className="flex flex-wrap items-end gap-2">
            {teams.length > 1 && (
              <SelectField
                label={strings.team}
                value={chosen}
                onChange={(event) => setChosen(event.target.value)}
              >
                {teams.map((one) => (
                  <option key={one.workspace_id} value={one.workspace_id}>
                    {one.name}
                  </option>
                ))}
              </SelectField>
            )}
            <Button
              look="primary"
              busy={choice.isPending}
              onClick={() => team && choice.mutate(team.workspace_id)}
            >
              {strings.shareRecorded}
            </Button>
            <Button onClick={() => choice.mutate(null)}>{strings.keepPrivate}</Button>
          </div>
        }
      >
        <p className="font-medium">{strings.shareRecordedQuestion(team?.name ?? '')}</p>
        <p className="text-soft">{strings.shareRecordedHint}</p>
      </Notice>
    </div>
  )
}

function EarlierCards({ sharing, onClose }: { sharing: RecordedSharing; onClose: () => void }) {
  const share = useMutation({
    mutationFn: () => call('POST /api/v1/user/sharing/earlier'),
    onSuccess: ({ shared, kept }) => {
      toast(strings.earlierShared(shared, kept.length))
      void queryClient.invalidateQueries({ queryKey: ['cards'] })
      onClose()
    },
    onError: toastError,
  })
  return (
    <div className="px-4 pt-4">
      <Notice
        action={
          <div className="flex flex-wrap gap-2">
            <Button look="primary" busy={share.isPending} onClick={() => share.mutate()}>
              {strings.shareThem}
            </Button>
            <Button onClick={onClose}>{strings.keepThemPrivate}</Button>
          </div>
        }
      >
        <p className="font-medium">{strings.shareEarlierQuestion(sharing.earlier_cards)}</p>
      </Notice>
    </div>
  )
}

/** The same choice in the settings, for the person and all keys that follow it. */
export function SharingSection() {
  const { data } = useQuery(sharingQuery)
  const teams = useTeams(true)
  const choice = useChoice(() => toast(strings.saved))
  if (!data || teams.length === 0) return null
  return (
    <Section title={strings.sharingTitle}>
      <SelectField
        label={strings.sharedWith}
        hint={strings.sharedWithHint}
        value={data.workspace_id ?? ''}
        disabled={choice.isPending}
        onChange={(event) => choice.mutate(event.target.value || null)}
      >
        <option value="">{strings.nobodyByItself}</option>
        {teams.map((team) => (
          <option key={team.workspace_id} value={team.workspace_id}>
            {team.name}
          </option>
        ))}
      </SelectField>
    </Section>
  )
}

/** Switches for one key whether its cards are shared at once with its team. */
export function KeySharing({ of: key }: { of: ApiKey }) {
  const { data } = useQuery(workspacesQuery)
  const team = data?.items.find((one) => one.workspace_id === key.default_workspace_id)
  const change = useMutation({
    mutationFn: (share_recorded: boolean) =>
      call('PATCH /api/v1/auth/api-keys/{key_id}', { key_id: key.key_id, share_recorded }),
    onError: toastError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
  })
  if (team?.visibility !== 'private' || team.role === 'viewer') return null
  return (
    <Checkbox
      className="mt-1"
      label={strings.sharedAtOnce}
      checked={change.isPending ? (change.variables ?? false) : key.share_recorded}
      onChange={(event) => change.mutate(event.target.checked)}
    />
  )
}
