import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deleteProject } from '../../api/memory.ts'
import { plural } from '../../lib/format.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { memoryChanged, named, type ProjectName } from './memory-queries.ts'

export function DeleteProject({
  project,
  events,
  onClose,
}: {
  project: ProjectName
  events: number
  onClose: () => void
}) {
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => deleteProject({ ...named(project), confirmed_by_user: true }),
    onSuccess: async ({ deleted_events }) => {
      await navigate({ to: '/memory' })
      await memoryChanged()
      toast(`${project.key} and its ${plural(deleted_events, 'event')} are deleted.`)
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={remove}
      title="Delete project"
      action={`Delete ${plural(events, 'event')}`}
      typed={project.key}
    >
      <p>
        This deletes {plural(events, 'event')} for good: messages, reports, summary, facts and preferences of
        this project. Cards stay. It cannot be undone.
      </p>
      <FormError error={remove.error} />
    </ConfirmDialog>
  )
}
