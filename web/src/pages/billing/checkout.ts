import { queryOptions, useMutation } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

import { queryClient } from '../../api/query.ts'
import { tab } from '../../lib/storage.ts'
import { refreshMe } from '../../session.ts'
import { toastError } from '../../ui/toast.tsx'

const PAGE_SIZE = 20
const CHART_ENTRIES = 100

export const balanceQuery = queryOptions({
  queryKey: ['billing', 'balance'],
  queryFn: ({ signal }) => call('GET /api/v1/credits/balance', {}, { signal }),
})

export const historyQuery = (page: number) =>
  queryOptions({
    queryKey: ['billing', 'history', page],
    queryFn: ({ signal }) => call('GET /api/v1/credits/history', { page, page_size: PAGE_SIZE }, { signal }),
    placeholderData: (before) => before,
  })

export const chartQuery = queryOptions({
  queryKey: ['billing', 'chart'],
  queryFn: ({ signal }) =>
    call('GET /api/v1/credits/history', { page: 1, page_size: CHART_ENTRIES }, { signal }),
})

/** Polled after a payment, so it is separate from the list on the page. */
export const newestBookingsQuery = queryOptions({
  queryKey: ['newest-bookings'],
  staleTime: 0,
  queryFn: ({ signal }) => call('GET /api/v1/credits/history', { page: 1, page_size: 10 }, { signal }),
})

export const statusQuery = queryOptions({
  queryKey: ['billing', 'status'],
  queryFn: ({ signal }) => call('GET /api/v1/billing/status', {}, { signal }),
})
export const codesQuery = queryOptions({
  queryKey: ['billing', 'codes'],
  queryFn: ({ signal }) => call('GET /api/v1/billing/invites', {}, { signal }),
})
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  staleTime: 600_000,
  queryFn: ({ signal }) => call('GET /api/v1/billing/plans', {}, { signal }),
})
export const packsQuery = queryOptions({
  queryKey: ['packs'],
  staleTime: 600_000,
  queryFn: ({ signal }) => call('GET /api/v1/billing/credit-packs', {}, { signal }),
})

export const billingChanged = () =>
  Promise.all([queryClient.invalidateQueries({ queryKey: ['billing'] }), refreshMe()])

const AFTER_KEY = 'kv-checkout-after'

export const bookedBefore = () => tab.read<string>(AFTER_KEY)

async function rememberNewestBooking() {
  const { items } = await call('GET /api/v1/credits/history', { page_size: 1 })
  tab.write(AFTER_KEY, items[0]?.entry_id ?? '')
}

const backTo = (query: string) => ({
  success_url: `/billing?${query}checkout=success`,
  cancel_url: `/billing?${query}checkout=cancelled`,
})

export function useCheckout() {
  const pack = useMutation({
    mutationFn: async (packId: string) => {
      await rememberNewestBooking()
      return call('POST /api/v1/billing/credits/checkout', { pack_id: packId, ...backTo('') })
    },
    onSuccess: ({ checkout_url }) => location.assign(checkout_url),
    onError: toastError,
  })
  const plan = useMutation({
    mutationFn: async (planId: string) => {
      await rememberNewestBooking()
      return call('POST /api/v1/billing/checkout', { plan_id: planId, ...backTo('tab=plans&') })
    },
    onSuccess: ({ checkout_url }) => location.assign(checkout_url),
    onError: toastError,
  })
  const portal = useMutation({
    mutationFn: () => call('POST /api/v1/billing/portal', { return_url: '/billing?tab=plans' }),
    onSuccess: ({ portal_url }) => location.assign(portal_url),
    onError: toastError,
  })
  return { pack, plan, portal }
}
