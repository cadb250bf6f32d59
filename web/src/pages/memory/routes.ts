import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../route-frame.tsx'

/** Project keys hold slashes and colons, so the key stands in the query string and not in the path. */
export type ProjectSearch = {
  key: string
  workspace?: string | undefined
  q?: string | undefined
  by?: 'words' | undefined
  view?: 'documents' | undefined
}

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const projects = createRoute({
  getParentRoute: () => appRoute,
  path: '/memory',
  component: lazyRouteComponent(() => import('./projects-page.tsx'), 'ProjectsPage'),
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
  }),
  component: lazyRouteComponent(() => import('./project-page.tsx'), 'ProjectPage'),
})

export const memoryRoutes = [projects, project] as const
