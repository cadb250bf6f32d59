import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute } from '../../route-frame.tsx'

const TABS = ['plans', 'codes'] as const
export type BillingTab = 'credits' | (typeof TABS)[number]

/** `checkout` says how the person came back from the payment page. */
type BillingSearch = {
  tab?: (typeof TABS)[number] | undefined
  page?: number | undefined
  checkout?: 'success' | 'cancelled' | undefined
  code?: string | undefined
}

const billing = createRoute({
  getParentRoute: () => appRoute,
  path: '/billing',
  validateSearch: (raw: Record<string, unknown>): BillingSearch => ({
    tab: TABS.find((tab) => tab === raw.tab),
    page: Number.isInteger(raw.page) && Number(raw.page) > 1 ? Number(raw.page) : undefined,
    checkout: (['success', 'cancelled'] as const).find((end) => end === raw.checkout),
    code: typeof raw.code === 'string' || typeof raw.code === 'number' ? String(raw.code) : undefined,
  }),
  component: lazyPage(() => import('./billing-page.tsx'), 'BillingPage'),
})

export const billingRoutes = [billing] as const
