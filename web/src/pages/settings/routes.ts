import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../route-frame.tsx'

const tabs = ['keys', 'apps', 'account'] as const
export type SettingsTab = 'general' | (typeof tabs)[number]

const settings = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  validateSearch: (raw: Record<string, unknown>): { tab?: (typeof tabs)[number] | undefined } => ({
    tab: tabs.find((tab) => tab === raw.tab),
  }),
  component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
})

export const settingsRoutes = [settings] as const
