import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { moveCard } from '../../api/cards.ts'
import type { Card } from '../../api/types.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Notice, Skeleton } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { cardChanged } from './card-queries.ts'

/** To a workspace in which one may write. Says before what becomes of a shared card there. */
export function MoveDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const [chosen, setChosen] = useState('')
  const { data } = useQuery(workspacesQuery)
  const targets =
    data?.items.filter(
      (one) => (one.role === 'admin' || one.role === 'editor') && one.workspace_id !== card.workspace_id,
    ) ?? []
  const target = targets.find((one) => one.workspace_id === chosen)
  const staysShared = target?.visibility === 'private' && target.type !== 'personal'
  const move = useMutation({
    mutationFn: () => moveCard({ card_id: card.card_id, workspace_id: chosen }),
    onSuccess: (next) => {
      cardChanged(next)
      const wasShared = card.status === 'published' && next.status === 'unpublished'
      toast(`Moved to ${target?.name ?? 'the workspace'}.`, {
        // A card that lost its sharing would come back without it, so no undo is offered for that.
        ...(wasShared
          ? {}
          : {
              undo: () =>
                void moveCard({ card_id: card.card_id, workspace_id: card.workspace_id }).then(
                  cardChanged,
                  toastError,
                ),
            }),
      })
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Move to another workspace"
      description="The card keeps its text, evidence, feedback and author. Its editors are those of the new workspace."
      action="Move"
      ready={target !== undefined}
      busy={move.isPending}
      error={move.error}
      onSubmit={() => move.mutate()}
    >
      {!data && <Skeleton className="h-8 w-full" />}
      {data && targets.length === 0 && <Notice>There is no other workspace in which you may write.</Notice>}
      {targets.length > 0 && (
        <SelectField
          label="Workspace"
          required
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        >
          <option value="" disabled>
            Choose one
          </option>
          {targets.map((one) => (
            <option key={one.workspace_id} value={one.workspace_id}>
              {one.name}
            </option>
          ))}
        </SelectField>
      )}
      {target && card.status === 'published' && (
        <Notice tone={staysShared ? 'info' : 'warn'}>
          {staysShared
            ? `It stays shared: the members of ${target.name} can read and find it, those of its present workspace no more.`
            : 'It arrives unpublished there. Share or publish it again if others are to read it.'}
        </Notice>
      )}
    </FormDialog>
  )
}
