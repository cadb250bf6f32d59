import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ArrowRightLeft, Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { readProjectKey } from '#server/shared/memory.ts'
import { ApiError, call } from '../../api/client.ts'
import type { MemoryProject } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { formatAgo, plural } from '../../lib/format.ts'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { ConfirmDialog, FormDialog, isTyped, TypedWord } from '../../ui/dialog.tsx'
import { Segmented, TextField } from '../../ui/field.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { FormError, Notice, NotLoaded, Skeleton } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { MemoryDocument } from './documents.tsx'
import {
  documentsQuery,
  memoryChanged,
  named,
  type ProjectName,
  projectsQuery,
  type TimelineFilter,
  USER_PREFERENCES,
} from './memory-queries.ts'
import { MemorySearchBox, MemorySearchResults } from './project-search.tsx'
import * as strings from './strings.ts'
import { Timeline, TimelineFilterBar } from './timeline.tsx'
import { TransferDialog } from './transfer-dialog.tsx'

const route = getRouteApi('/app/memory/project')

type ProjectDialog = 'rename' | 'delete' | 'transfer'

export function ProjectPage() {
  const { key, workspace, q, view, session, type } = route.useSearch()
  const navigate = route.useNavigate()
  const [dialog, setDialog] = useState<ProjectDialog | null>(null)
  const documents = useQuery(documentsQuery({ key, workspace }))
  const projects = useQuery(projectsQuery)
  const close = () => setDialog(null)
  const narrow = ({ session, type }: TimelineFilter) =>
    void navigate({ search: (before) => ({ ...before, session, type }), replace: true })
  const name = documents.data?.project_key ?? key
  const named = { key: name, workspace }
  const siblings =
    projects.data?.items.filter((one) => one.workspace_id === documents.data?.workspace_id) ?? []
  const project = siblings.find((one) => one.project_key === name)
  const events = documents.data?.total_events ?? 0
  const aliases = project?.aliases.filter((alias) => alias !== name) ?? []
  if (!documents.data && documents.error)
    return (
      <NotLoaded
        isPage
        query={documents}
        action={<LinkButton to="/memory">{strings.allProjects}</LinkButton>}
      >
        {null}
      </NotLoaded>
    )
  return (
    <Page
      title={name}
      back={<BackLink to="/memory">{strings.agentMemory}</BackLink>}
      lead={
        documents.data && (
          <>
            {plural(events, 'event')}
            {project?.last_event_at && <>{strings.lastEventAgo(formatAgo(project.last_event_at))}</>}
            {aliases.length > 0 && <>{strings.alsoKnownAs(aliases.join(', '))}</>}
          </>
        )
      }
      actions={<ProjectActions ask={setDialog} />}
    >
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <MemorySearchBox />
        <ViewSwitch />
      </div>
      <div className="grid gap-x-10 lg:grid-cols-[minmax(0,1fr)_--spacing(85)]">
        <div className={cx('min-w-0', view === 'documents' && 'max-lg:hidden')}>
          {q ? (
            <MemorySearchResults />
          ) : (
            <>
              <TimelineFilterBar filter={{ session, type }} onChange={narrow} />
              <Timeline
                project={{ key, workspace }}
                filter={{ session, type }}
                onSession={(chosen) => narrow({ type, session: chosen })}
              />
            </>
          )}
        </div>
        <aside
          aria-label={strings.documents}
          className={cx('min-w-0', view !== 'documents' && 'max-lg:hidden')}
        >
          <Documents project={{ key, workspace }} />
        </aside>
      </div>
      {dialog === 'rename' && (
        <RenameProject project={named} events={events} projects={siblings} onClose={close} />
      )}
      {dialog === 'delete' && <DeleteProject project={named} events={events} onClose={close} />}
      {dialog === 'transfer' && <TransferDialog source={named} projects={siblings} onClose={close} />}
    </Page>
  )
}

const ProjectActions = ({ ask }: { ask: (dialog: ProjectDialog) => void }) => (
  <>
    <Button onClick={() => ask('transfer')}>
      <ArrowRightLeft size={14} aria-hidden />
      {strings.transferPreferences}
    </Button>
    <Menu
      trigger={
        <IconButton label={strings.moreActions} look="plain">
          <Ellipsis size={16} />
        </IconButton>
      }
    >
      <MenuItem icon={<Pencil size={16} />} onSelect={() => ask('rename')}>
        {strings.renameOrMerge}
      </MenuItem>
      <MenuLine />
      <MenuItem danger icon={<Trash2 size={16} />} onSelect={() => ask('delete')}>
        {strings.deleteProject}
      </MenuItem>
    </Menu>
  </>
)

function ViewSwitch() {
  const { view } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Segmented
      label={strings.view}
      className="lg:hidden"
      value={view ?? 'timeline'}
      options={[
        { value: 'timeline', label: strings.timeline },
        { value: 'documents', label: strings.documents },
      ]}
      onChange={(next) =>
        void navigate({
          search: (before) => ({ ...before, view: next === 'documents' ? next : undefined }),
          replace: true,
        })
      }
    />
  )
}

/** The documents that an agent gets at the start of its session. */
function Documents({ project }: { project: ProjectName }) {
  const { data } = useQuery(documentsQuery(project))
  if (!data)
    return (
      <div role="status" aria-label={strings.loading} className="grid gap-4">
        <Skeleton className="h-24 w-full" />
        <Skeleton className="h-32 w-full" />
        <Skeleton className="h-24 w-full" />
      </div>
    )
  return (
    <div className="grid gap-4">
      <h2 className="sr-only">{strings.givenAtStart}</h2>
      <MemoryDocument kind="summary" project={project} event={data.summary} />
      <MemoryDocument kind="project_facts" project={project} event={data.facts} />
      <MemoryDocument kind="project_preferences" project={project} event={data.project_preferences} />
      {data.user_preferences && (
        <MemoryDocument
          kind="user_preferences"
          project={{ key: USER_PREFERENCES }}
          event={data.user_preferences}
        />
      )}
    </div>
  )
}

type Props = { project: ProjectName; events: number; projects: MemoryProject[]; onClose: () => void }

/** The name of another project means a merge: the dialog shows numbers and asks to type the name. */
function RenameProject({ project, events, projects, onClose }: Props) {
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
      call('POST /api/v1/project-context/projects/rename', {
        ...named(project),
        new_project_key: wanted,
        ...(merges ? { merge: true } : {}),
      }),
    onSuccess: async (done) => {
      onClose()
      await navigate({
        to: '/memory/project',
        search: { ...project, key: done.new_project_key },
        replace: true,
      })
      await memoryChanged()
      if (merges) toast(strings.eventsMoved(plural(done.moved_events, 'event'), done.new_project_key))
      else toast(strings.projectRenamed, { undo: () => void undo(done.new_project_key) })
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'project_exists') setRefused(wanted)
    },
  })
  const undo = (key: string) =>
    call('POST /api/v1/project-context/projects/rename', {
      ...named({ ...project, key }),
      new_project_key: projectKey,
    }).then(async () => {
      await navigate({ to: '/memory/project', search: project, replace: true })
      await memoryChanged()
    }, toastError)
  const ready = wanted !== '' && wanted !== projectKey && (!merges || isTyped(wanted, typed))
  return (
    <FormDialog
      onClose={onClose}
      title={strings.renameOrMerge}
      description={strings.projectKeyHint}
      action={merges ? strings.mergeEvents(plural(events, 'event')) : strings.rename}
      look={merges ? 'danger' : 'primary'}
      ready={ready}
      busy={rename.isPending}
      error={merges && refused === wanted ? null : rename.error}
      onSubmit={() => rename.mutate()}
    >
      <TextField
        label={strings.newKey}
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
            {strings.projectExists(
              other ? ` and has ${plural(other.events, 'event')}` : '',
              plural(events, 'event'),
            )}
            <span className="font-mono">{projectKey}</span>
            {strings.mergeWarning}
          </Notice>
          <TypedWord word={wanted} value={typed} onChange={setTyped} />
        </>
      )}
    </FormDialog>
  )
}

function DeleteProject({
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
    mutationFn: () =>
      call('DELETE /api/v1/project-context/projects', { ...named(project), confirmed_by_user: true }),
    onSuccess: async ({ deleted_events }) => {
      await navigate({ to: '/memory' })
      await memoryChanged()
      toast(strings.projectDeleted(project.key, plural(deleted_events, 'event')))
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={remove}
      title={strings.deleteProject}
      action={strings.deleteMaterial(plural(events, 'event'))}
      typed={project.key}
    >
      <p>{strings.deleteProjectWarning(plural(events, 'event'))}</p>
      <FormError error={remove.error} />
    </ConfirmDialog>
  )
}
