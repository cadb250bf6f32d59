import { createRouter } from '@tanstack/react-router'
import { queryClient } from './api/query.ts'
import { PageError } from './frame/error-pages.tsx'
import { guideFocus } from './lib/focus.ts'
import { whenSessionOver } from './lib/session-user.ts'
import { accountOpenRoutes, accountRoutes } from './pages/account/routes.ts'
import { billingRoutes } from './pages/billing/routes.ts'
import { cardRoutes } from './pages/cards/routes.ts'
import { draftRoutes } from './pages/drafts/routes.ts'
import { effectRoutes } from './pages/effects/routes.ts'
import { guideRoutes } from './pages/guide/routes.ts'
import { inboxRoutes } from './pages/inbox/routes.ts'
import { memoryRoutes } from './pages/memory/routes.ts'
import { moderationOpenRoutes, moderationRoutes } from './pages/moderation/routes.ts'
import { searchRoutes } from './pages/search/routes.ts'
import { settingsRoutes } from './pages/settings/routes.ts'
import { supportOpenRoutes, supportRoutes } from './pages/support/routes.ts'
import { workspaceOpenRoutes, workspaceRoutes } from './pages/workspaces/routes.ts'
import { appRoute, openRoute, rootRoute } from './route-frame.tsx'
import { meQuery } from './session.ts'
import { SkeletonPage } from './ui/states.tsx'
import { toastError } from './ui/toast.tsx'

const routeTree = rootRoute.addChildren([
  appRoute.addChildren([
    ...searchRoutes,
    ...cardRoutes,
    ...accountRoutes,
    ...workspaceRoutes,
    ...memoryRoutes,
    ...inboxRoutes,
    ...moderationRoutes,
    ...draftRoutes,
    ...effectRoutes,
    ...billingRoutes,
    ...settingsRoutes,
    ...supportRoutes,
    ...guideRoutes,
  ]),
  openRoute.addChildren([
    ...accountOpenRoutes,
    ...workspaceOpenRoutes,
    ...supportOpenRoutes,
    ...moderationOpenRoutes,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 80,
  defaultPendingMinMs: 0,
  defaultPendingComponent: SkeletonPage,
  defaultErrorComponent: PageError,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

guideFocus(router)

whenSessionOver(() => {
  queryClient.setQueryData(meQuery.queryKey, null)
  toastError(new Error('Your session has ended. Sign in to go on.'))
  void router.invalidate()
})
