import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute, openRoute } from '../../route-frame.tsx'

const supportSearch = (raw: Record<string, unknown>): { tab?: 'ticket' | undefined } => ({
  tab: raw.tab === 'ticket' ? 'ticket' : undefined,
})

const support = createRoute({
  getParentRoute: () => appRoute,
  path: '/support',
  validateSearch: supportSearch,
  component: lazyRouteComponent(() => import('./support-page.tsx'), 'SupportPage'),
})

/** For people who cannot get in: that is when help is needed most. */
const help = createRoute({
  getParentRoute: () => openRoute,
  path: '/help',
  validateSearch: supportSearch,
  component: lazyRouteComponent(() => import('./help-page.tsx'), 'HelpPage'),
})

export const supportRoutes = [support] as const
export const supportOpenRoutes = [help] as const
