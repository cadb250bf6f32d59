import { createRoute, redirect } from '@tanstack/react-router'
import type { EventType } from '../../api/types.ts'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute } from '../../route-frame.tsx'

/** Project keys contain slashes and colons, so the key is in the query string. */
type ProjectSearch = {
  key: string
  workspace?: string | undefined
  q?: string | undefined
  by?: 'words' | undefined
  view?: 'documents' | undefined
  session?: string | undefined
  type?: TimelineType | undefined
}

export const EVENT_TYPES = {
  user_message: 'Messages',
  agent_report: 'Reports',
  turn: 'Turns',
  summary: 'Summaries',
  fact_snapshot: 'Facts and preferences',
} as const satisfies Record<EventType, string>

/** What a timeline can be narrowed to. */
export const TIMELINE_TYPES = { ...EVENT_TYPES, commit: 'Commits and records' } as const
export type TimelineType = keyof typeof TIMELINE_TYPES

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const projects = createRoute({
  getParentRoute: () => appRoute,
  path: '/memory',
  component: lazyPage(() => import('./projects-page.tsx'), 'ProjectsPage'),
})

const materials = createRoute({
  getParentRoute: () => appRoute,
  path: '/memory/materials',
  validateSearch: (raw: Record<string, unknown>): { page?: number | undefined } => ({
    page: Number.isInteger(raw.page) && Number(raw.page) > 1 ? Number(raw.page) : undefined,
  }),
  component: lazyPage(() => import('./materials-page.tsx'), 'MaterialsPage'),
})

const project = createRoute({
  getParentRoute: () => appRoute,
  path: '/memory/project',
  validateSearch: (raw: Record<string, unknown>): ProjectSearch => ({
    key: text(raw.key),
    workspace: text(raw.workspace) || undefined,
    q: text(raw.q) || undefined,
    by: raw.by === 'words' ? 'words' : undefined,
    view: raw.view === 'documents' ? 'documents' : undefined,
    session: text(raw.session) || undefined,
    type: Object.keys(TIMELINE_TYPES).find((type): type is TimelineType => type === raw.type),
  }),
  beforeLoad: ({ search }) => {
    if (!search.key.trim()) throw redirect({ to: '/memory', replace: true })
  },
  component: lazyPage(() => import('./project-page.tsx'), 'ProjectPage'),
})

const event = createRoute({
  getParentRoute: () => appRoute,
  path: '/memory/events/$rawId',
  component: lazyPage(() => import('./event-page.tsx'), 'EventPage'),
})

export const memoryRoutes = [projects, project, materials, event] as const
