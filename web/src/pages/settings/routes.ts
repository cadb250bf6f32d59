import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute } from '../../route-frame.tsx'

const TABS = ['keys', 'apps', 'account', 'server'] as const
export type SettingsTab = 'general' | (typeof TABS)[number]

const settings = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  validateSearch: (raw: Record<string, unknown>): { tab?: (typeof TABS)[number] | undefined } => ({
    tab: TABS.find((tab) => tab === raw.tab),
  }),
  component: lazyPage(() => import('./settings-page.tsx'), 'SettingsPage'),
})

export const settingsRoutes = [settings] as const
