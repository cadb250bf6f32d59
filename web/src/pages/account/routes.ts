import { createRoute, redirect } from '@tanstack/react-router'
import { queryClient } from '../../api/query.ts'
import { lazyPage } from '../../lib/loadable.tsx'
import { safeNext } from '../../lib/safe-next.ts'
import { appRoute, openRoute } from '../../route-frame.tsx'
import { meQuery } from '../../session.ts'

/** `other`: sign in as another person. */
type SignInSearch = { next?: string | undefined; email?: string | undefined; other?: true | undefined }

const signInSearch = (search: Record<string, unknown>): SignInSearch => ({
  next: safeNext(search.next),
  email: typeof search.email === 'string' ? search.email : undefined,
  other: search.other === true || undefined,
})

/** Sends a signed-in person on. A page of the server, such as consent, needs a full page load. */
async function goOnIfSignedIn({ search }: { search: SignInSearch }) {
  if (search.other) return
  const user = await queryClient.ensureQueryData(meQuery).catch(() => null)
  if (user) throw redirect({ href: search.next ?? '/', reloadDocument: search.next !== undefined })
}

const signIn = createRoute({
  getParentRoute: () => openRoute,
  path: '/sign-in',
  validateSearch: signInSearch,
  beforeLoad: goOnIfSignedIn,
  component: lazyPage(() => import('./sign-in.tsx'), 'SignIn'),
})

const signUp = createRoute({
  getParentRoute: () => openRoute,
  path: '/sign-up',
  validateSearch: (search: Record<string, unknown>): SignInSearch & { invite?: string | undefined } => ({
    ...signInSearch(search),
    invite: typeof search.invite === 'string' ? search.invite : undefined,
  }),
  beforeLoad: goOnIfSignedIn,
  component: lazyPage(() => import('./sign-up.tsx'), 'SignUp'),
})

// Mails of the server link to these addresses.
const tokenSearch = (search: Record<string, unknown>): { token?: string | undefined } => ({
  token: typeof search.token === 'string' ? search.token : undefined,
})

const resetPassword = createRoute({
  getParentRoute: () => openRoute,
  path: '/reset',
  validateSearch: tokenSearch,
  component: lazyPage(() => import('./reset-password.tsx'), 'ResetPassword'),
})

const verifyEmail = createRoute({
  getParentRoute: () => openRoute,
  path: '/verify',
  validateSearch: tokenSearch,
  component: lazyPage(() => import('./verify-email.tsx'), 'VerifyEmail'),
})

const googleReturn = createRoute({
  getParentRoute: () => openRoute,
  path: '/auth/google',
  component: lazyPage(() => import('./google-return.tsx'), 'GoogleReturn'),
})

const welcome = createRoute({
  getParentRoute: () => appRoute,
  path: '/welcome',
  component: lazyPage(() => import('./welcome.tsx'), 'Welcome'),
})

const connect = createRoute({
  getParentRoute: () => appRoute,
  path: '/connect',
  component: lazyPage(() => import('./connect.tsx'), 'Connect'),
})

export const accountOpenRoutes = [signIn, signUp, resetPassword, verifyEmail, googleReturn] as const
export const accountRoutes = [welcome, connect] as const
