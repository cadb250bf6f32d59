import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { queryClient } from './api/query.ts'
import { AppFrame } from './frame/app-frame.tsx'
import { NotFound, RouteError } from './frame/error-pages.tsx'
import { lazyPart } from './lib/loadable.tsx'
import { meQuery, useSignedIn } from './session.ts'
import { SkeletonPage } from './ui/states.tsx'
import { Toaster } from './ui/toast.tsx'

export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <Toaster />
    </>
  ),
  notFoundComponent: NotFound,
  errorComponent: RouteError,
})

const Landing = lazyPart(async () => (await import('./pages/account/landing.tsx')).Landing)

function HomeOrFrame() {
  return useSignedIn() ? <AppFrame /> : <Landing />
}

/** Parent of every page for signed-in people; others sign in first and come back. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  component: HomeOrFrame,
  errorComponent: RouteError,
  pendingComponent: SkeletonPage,
  beforeLoad: async ({ location }) => {
    const user = await queryClient.ensureQueryData(meQuery)
    if (!user && location.href !== '/') throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
})

/** Parent of the pages that anybody may open. */
export const openRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'open',
  errorComponent: RouteError,
})
