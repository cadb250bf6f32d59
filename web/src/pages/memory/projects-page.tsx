import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRightLeft, Brain, ChevronRight, FileText } from 'lucide-react'
import { useState } from 'react'
import type { MemoryProject } from '../../api/types.ts'
import { formatAgo, plural } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, Skeleton, SkeletonList } from '../../ui/states.tsx'
import { MemoryDocument } from './documents.tsx'
import { documentsQuery, nameOf, projectsQuery, USER_PREFERENCES } from './memory-queries.ts'
import * as strings from './strings.ts'
import { TransferDialog } from './transfer-dialog.tsx'

export function ProjectsPage() {
  const [transferring, setTransferring] = useState(false)
  const [filter, setFilter] = useState('')
  const projects = useQuery(projectsQuery)
  const items = projects.data?.items.filter((one) => one.project_key !== USER_PREFERENCES) ?? []
  const unlisted = projects.data ? projects.data.total - projects.data.items.length : 0
  const wanted = filter.trim().toLowerCase()
  const shown = items.filter((one) =>
    [one.project_key, ...one.aliases].some((name) => name.toLowerCase().includes(wanted)),
  )
  return (
    <Page
      title={strings.agentMemory}
      lead={strings.memoryLead}
      actions={
        <>
          <LinkButton to="/memory/materials">
            <FileText size={14} aria-hidden />
            {strings.rawMaterials}
          </LinkButton>
          {items.length > 0 && (
            <Button onClick={() => setTransferring(true)}>
              <ArrowRightLeft size={14} aria-hidden />
              {strings.transferPreferences}
            </Button>
          )}
        </>
      }
    >
      <Section
        title={strings.projects}
        actions={
          items.length > 8 && (
            <Input
              aria-label={strings.filterProjects}
              placeholder={strings.filter}
              className="w-48"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
          )
        }
      >
        {!projects.data && (
          <NotLoaded query={projects}>
            <SkeletonList rows={4} />
          </NotLoaded>
        )}
        {projects.data && items.length === 0 && <NoProjects />}
        {shown.length > 0 && (
          <ul className="divide-y divide-line border-y border-line">
            {shown.map((project) => (
              <ProjectRow key={`${project.project_key} ${project.workspace_id}`} project={project} />
            ))}
          </ul>
        )}
        {items.length > 0 && shown.length === 0 && (
          <p className="py-4 text-sm text-soft">{strings.noProjectByName}</p>
        )}
        {unlisted > 0 && (
          <p className="py-4 text-sm text-soft">
            {strings.olderProjects(
              plural(unlisted, 'project with older events is', 'projects with older events are'),
            )}
          </p>
        )}
      </Section>
      <OwnPreferences />
      {transferring && <TransferDialog projects={items} onClose={() => setTransferring(false)} />}
    </Page>
  )
}

const NoProjects = () => (
  <EmptyState
    icon={<Brain size={18} />}
    title={strings.noProjectYet}
    action={
      <LinkButton to="/connect" look="primary">
        {strings.connectYourAgent}
      </LinkButton>
    }
    example={
      <>
        {strings.exampleBeforeFolder}
        <span className="font-mono">github.com/example/shop</span>
        {strings.exampleAfterFolder}
      </>
    }
  >
    {strings.noProjectHint}
  </EmptyState>
)

function OwnPreferences() {
  const own = useQuery(documentsQuery({ key: USER_PREFERENCES }))
  return (
    <Section title={strings.preferencesEverywhere} lead={strings.preferencesEverywhereHint}>
      {!own.data && (
        <NotLoaded query={own}>
          <Skeleton className="h-16 w-full" />
        </NotLoaded>
      )}
      {own.data && (
        <MemoryDocument
          kind="user_preferences"
          project={{ key: USER_PREFERENCES }}
          event={own.data.user_preferences}
          plain
        />
      )}
    </Section>
  )
}

function ProjectRow({ project }: { project: MemoryProject }) {
  const me = useMe()
  const others = project.aliases.filter((alias) => alias !== project.project_key)
  return (
    <li>
      <Link
        to="/memory/project"
        search={nameOf(project, me)}
        className="flex min-h-14 items-center gap-3 px-2 py-2 transition-colors hover:bg-hover"
      >
        <span className="min-w-0 grow">
          <span className="block truncate font-mono text-sm">{project.project_key}</span>
          {others.length > 0 && (
            <span className="block truncate text-xs text-faint">{strings.alsoNamed(others.join(', '))}</span>
          )}
        </span>
        <span className="shrink-0 text-right text-xs text-faint">
          <span className="block text-soft tabular-nums">{plural(project.events, 'event')}</span>
          {project.last_event_at && formatAgo(project.last_event_at)}
        </span>
        <ChevronRight size={16} className="shrink-0 text-faint" aria-hidden />
      </Link>
    </li>
  )
}
