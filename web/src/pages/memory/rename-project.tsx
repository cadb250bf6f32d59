import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { readProjectKey } from '#server/shared/memory.ts'
import { ApiError } from '../../api/client.ts'
import { type MemoryProject, renameProject } from '../../api/memory.ts'
import { plural } from '../../lib/format.ts'
import { isTyped } from '../../lib/typed-word.ts'
import { FormDialog, TypedWord } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { memoryChanged, named, type ProjectName, USER_PREFERENCES } from './memory-queries.ts'

type Props = { project: ProjectName; events: number; projects: MemoryProject[]; onClose: () => void }

/** The name of another project means a merge: the dialog shows the numbers and asks to type the name. */
export function RenameProject({ project, events, projects, onClose }: Props) {
  const projectKey = project.key
  const listId = useId()
  const navigate = useNavigate()
  const [name, setName] = useState(projectKey)
  const [typed, setTyped] = useState('')
  const [refused, setRefused] = useState<string | null>(null)
  const wanted = name.trim()
  const canonical = wanted && readProjectKey(wanted).key
  const other = projects.find(
    (one) => one.project_key !== projectKey && [one.project_key, ...one.aliases].includes(canonical),
  )
  const merges = other !== undefined || refused === wanted
  const rename = useMutation({
    mutationFn: () =>
      renameProject({ ...named(project), new_project_key: wanted, ...(merges ? { merge: true } : {}) }),
    onSuccess: async (done) => {
      onClose()
      await navigate({
        to: '/memory/project',
        search: { ...project, key: done.new_project_key },
        replace: true,
      })
      await memoryChanged()
      if (merges) toast(`${plural(done.moved_events, 'event')} moved into ${done.new_project_key}.`)
      else
        toast('Renamed. Agents find it under the new key.', { undo: () => void undo(done.new_project_key) })
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'project_exists') setRefused(wanted)
    },
  })
  const undo = (key: string) =>
    renameProject({ ...named({ ...project, key }), new_project_key: projectKey }).then(async () => {
      await navigate({ to: '/memory/project', search: project, replace: true })
      await memoryChanged()
    }, toastError)
  const ready = wanted !== '' && wanted !== projectKey && (!merges || isTyped(wanted, typed))
  return (
    <FormDialog
      onClose={onClose}
      title="Rename or merge"
      description="The key is how agents find the project: a repository address, org/repo, or any stable name."
      action={merges ? `Merge ${plural(events, 'event')}` : 'Rename'}
      look={merges ? 'danger' : 'primary'}
      ready={ready}
      busy={rename.isPending}
      error={merges && refused === wanted ? null : rename.error}
      onSubmit={() => rename.mutate()}
    >
      <TextField
        label="New key"
        value={name}
        list={listId}
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setName(event.target.value)}
      />
      <datalist id={listId}>
        {projects
          .filter((one) => one.project_key !== projectKey && one.project_key !== USER_PREFERENCES)
          .map((one) => (
            <option key={one.project_key} value={one.project_key} />
          ))}
      </datalist>
      {merges && (
        <>
          <Notice tone="warn">
            This project exists{other ? ` and has ${plural(other.events, 'event')}` : ''}. All{' '}
            {plural(events, 'event')} of <span className="font-mono">{projectKey}</span> move into it; the
            newer summary and documents count. This cannot be undone.
          </Notice>
          <TypedWord word={wanted} value={typed} onChange={setTyped} />
        </>
      )}
    </FormDialog>
  )
}
