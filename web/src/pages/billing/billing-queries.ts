import { queryOptions } from '@tanstack/react-query'
import {
  billingStatus,
  creditsBalance,
  creditsHistory,
  listInviteCodes,
  listPacks,
  listPlans,
} from '../../api/billing.ts'
import { queryClient } from '../../api/query.ts'
import { refreshMe } from '../../session.ts'

const PAGE_SIZE = 20
/** The chart shows as many entries as one request returns. */
const CHART_ENTRIES = 100

export const balanceQuery = queryOptions({
  queryKey: ['billing', 'balance'],
  queryFn: ({ signal }) => creditsBalance({}, { signal }),
})

export const historyQuery = (page: number) =>
  queryOptions({
    queryKey: ['billing', 'history', page],
    queryFn: ({ signal }) => creditsHistory({ page, page_size: PAGE_SIZE }, { signal }),
    placeholderData: (before) => before,
  })

export const chartQuery = queryOptions({
  queryKey: ['billing', 'chart'],
  queryFn: ({ signal }) => creditsHistory({ page: 1, page_size: CHART_ENTRIES }, { signal }),
})

/** Polled after a payment, so it is separate from what other parts of the page show. */
export const newestBookingsQuery = queryOptions({
  queryKey: ['newest-bookings'],
  staleTime: 0,
  queryFn: ({ signal }) => creditsHistory({ page: 1, page_size: 10 }, { signal }),
})

export const statusQuery = queryOptions({
  queryKey: ['billing', 'status'],
  queryFn: ({ signal }) => billingStatus({}, { signal }),
})
export const codesQuery = queryOptions({
  queryKey: ['billing', 'codes'],
  queryFn: ({ signal }) => listInviteCodes({}, { signal }),
})
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  staleTime: 600_000,
  queryFn: ({ signal }) => listPlans({}, { signal }),
})
export const packsQuery = queryOptions({
  queryKey: ['packs'],
  staleTime: 600_000,
  queryFn: ({ signal }) => listPacks({}, { signal }),
})

export const billingChanged = () =>
  Promise.all([queryClient.invalidateQueries({ queryKey: ['billing'] }), refreshMe()])
