import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute } from '../../route-frame.tsx'
import { readCardState, readListState, readNewCardState } from './card-filters.tsx'

const mine = createRoute({
  getParentRoute: () => appRoute,
  path: '/cards',
  validateSearch: readListState,
  component: lazyPage(() => import('./my-cards.tsx'), 'MyCards'),
})

const library = createRoute({
  getParentRoute: () => appRoute,
  path: '/library',
  validateSearch: readListState,
  component: lazyPage(() => import('./library.tsx'), 'Library'),
})

/** The address of a public page, opened by a person who is signed in. */
const publicCard = createRoute({
  getParentRoute: () => appRoute,
  path: '/library/$cardId',
  beforeLoad: ({ params: { cardId } }) => {
    throw redirect({ to: '/cards/$cardId', params: { cardId }, replace: true })
  },
})

const create = createRoute({
  getParentRoute: () => appRoute,
  path: '/cards/new',
  validateSearch: readNewCardState,
  component: lazyPage(() => import('./new-card.tsx'), 'NewCard'),
})

const show = createRoute({
  getParentRoute: () => appRoute,
  path: '/cards/$cardId',
  validateSearch: readCardState,
  component: lazyPage(() => import('./card-page.tsx'), 'CardPage'),
})

const edit = createRoute({
  getParentRoute: () => appRoute,
  path: '/cards/$cardId/edit',
  component: lazyPage(() => import('./edit-card.tsx'), 'EditCard'),
})

const history = createRoute({
  getParentRoute: () => appRoute,
  path: '/cards/$cardId/history',
  component: lazyPage(() => import('./history-page.tsx'), 'HistoryPage'),
})

const review = createRoute({
  getParentRoute: () => appRoute,
  path: '/review',
  validateSearch: (raw: Record<string, unknown>): { workspace?: string | undefined } => ({
    workspace: typeof raw.workspace === 'string' ? raw.workspace : undefined,
  }),
  component: lazyPage(() => import('./review-queue.tsx'), 'ReviewQueue'),
})

export const cardRoutes = [mine, library, publicCard, create, show, edit, history, review] as const
