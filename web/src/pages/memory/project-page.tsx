import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ArrowRightLeft, Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { formatAgo, plural } from '../../lib/format.ts'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { Segmented } from '../../ui/field.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { NotLoaded, Skeleton } from '../../ui/states.tsx'
import { DeleteProject } from './delete-project.tsx'
import { MemoryDocument } from './document.tsx'
import {
  documentsQuery,
  type ProjectName,
  projectsQuery,
  type TimelineFilter,
  USER_PREFERENCES,
} from './memory-queries.ts'
import { MemorySearchBox, MemorySearchResults } from './project-search.tsx'
import { RenameProject } from './rename-project.tsx'
import { TimelineFilterBar } from './timeline/timeline-filter.tsx'
import { Timeline } from './timeline/timeline-view.tsx'
import { TransferDialog } from './transfer-dialog.tsx'

const route = getRouteApi('/app/memory/project')

type Asked = 'rename' | 'delete' | 'transfer'

export function ProjectPage() {
  const { key, workspace, q, view, session, type } = route.useSearch()
  const navigate = route.useNavigate()
  const [dialog, setDialog] = useState<Asked | null>(null)
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
      <NotLoaded isPage query={documents} action={<LinkButton to="/memory">All projects</LinkButton>}>
        {null}
      </NotLoaded>
    )
  return (
    <Page
      title={name}
      back={<BackLink to="/memory">Agent Memory</BackLink>}
      lead={
        documents.data && (
          <>
            {plural(events, 'event')}
            {project?.last_event_at && <> · last {formatAgo(project.last_event_at)}</>}
            {aliases.length > 0 && <> · also {aliases.join(', ')}</>}
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
        <aside aria-label="Documents" className={cx('min-w-0', view !== 'documents' && 'max-lg:hidden')}>
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

const ProjectActions = ({ ask }: { ask: (dialog: Asked) => void }) => (
  <>
    <Button onClick={() => ask('transfer')}>
      <ArrowRightLeft size={14} aria-hidden />
      Transfer preferences
    </Button>
    <Menu
      trigger={
        <IconButton label="More actions" look="plain">
          <Ellipsis size={16} />
        </IconButton>
      }
    >
      <MenuItem icon={<Pencil size={16} />} onSelect={() => ask('rename')}>
        Rename or merge
      </MenuItem>
      <MenuLine />
      <MenuItem danger icon={<Trash2 size={16} />} onSelect={() => ask('delete')}>
        Delete project
      </MenuItem>
    </Menu>
  </>
)

/** On a narrow screen, timeline and documents are shown one at a time. */
function ViewSwitch() {
  const { view } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Segmented
      label="View"
      className="lg:hidden"
      value={view ?? 'timeline'}
      options={[
        { value: 'timeline', label: 'Timeline' },
        { value: 'documents', label: 'Documents' },
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

/** What an agent is given at the start of its session. */
function Documents({ project }: { project: ProjectName }) {
  const { data } = useQuery(documentsQuery(project))
  if (!data)
    return (
      <div role="status" aria-label="Loading" className="grid gap-4">
        <Skeleton className="h-24 w-full" />
        <Skeleton className="h-32 w-full" />
        <Skeleton className="h-24 w-full" />
      </div>
    )
  return (
    <div className="grid gap-4">
      <h2 className="sr-only">What an agent is given at its start</h2>
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
