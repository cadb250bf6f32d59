import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient } from '../../api/query.ts'
import { type Deletion, deleteWorkspace, previewDeletion, type Workspace } from '../../api/team.ts'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { FormError, Skeleton } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

export function DeleteSection({ workspace }: { workspace: Workspace }) {
  const [asking, setAsking] = useState(false)
  return (
    <Section
      title="Delete the workspace"
      lead="Its cards go home to the people who own them. The workspace itself cannot be brought back."
    >
      <Button look="danger" onClick={() => setAsking(true)}>
        Delete workspace
      </Button>
      {asking && <DeleteWorkspace workspace={workspace} onClose={() => setAsking(false)} />}
    </Section>
  )
}

function DeleteWorkspace({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const { workspace_id, name } = workspace
  const navigate = useNavigate()
  const preview = useQuery({
    queryKey: ['workspace', workspace_id, 'deletion'],
    queryFn: ({ signal }) => previewDeletion({ workspace_id }, { signal }),
    staleTime: 0,
  })
  const remove = useMutation({
    mutationFn: () => deleteWorkspace({ workspace_id, confirm_name: name }),
    onSuccess: async (done) => {
      await navigate({ to: '/workspaces' })
      queryClient.removeQueries({ queryKey: ['workspace', workspace_id] })
      await queryClient.invalidateQueries()
      const cards = done.own_cards + done.cards_of_others
      toast(`${done.name} is deleted. ${plural(cards, 'card')} went home.`)
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={remove}
      busy={remove.isPending || preview.isPending}
      title={`Delete ${name}`}
      action="Delete workspace"
      typed={name}
    >
      {preview.isPending && <Skeleton className="h-16 w-full" />}
      {preview.data && <Consequences deletion={preview.data} />}
      <FormError error={remove.error ?? preview.error} />
    </ConfirmDialog>
  )
}

function Consequences({ deletion }: { deletion: Deletion }) {
  const others = deletion.members - 1
  return (
    <>
      <ul aria-label="What happens" className="grid list-disc gap-1 pl-5">
        <li>
          Home to their owners’ personal workspaces, unpublished: {plural(deletion.own_cards, 'card')} of
          yours, {plural(deletion.cards_of_others, 'card')} of others.
        </li>
        {deletion.published_cards > 0 && (
          <li>No longer read by others: {plural(deletion.published_cards, 'card')}.</li>
        )}
        {deletion.deleted_cards > 0 && (
          <li>
            Deleted cards that their owners can still bring back: {plural(deletion.deleted_cards, 'card')}.
          </li>
        )}
        {deletion.raw_materials > 0 && (
          <li>To their owners: {plural(deletion.raw_materials, 'raw material')}.</li>
        )}
        {others > 0 && <li>Without access afterwards: {plural(others, 'other member')}.</li>}
        {deletion.open_invites > 0 && (
          <li>Links that stop working: {plural(deletion.open_invites, 'open invitation')}.</li>
        )}
      </ul>
      <p>
        Cards that were published to the library stay there. What agents remember stays with each person. It
        cannot be undone.
      </p>
    </>
  )
}
