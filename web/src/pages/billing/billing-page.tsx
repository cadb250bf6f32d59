import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { credits } from '../../lib/format.ts'
import { configQuery } from '../../session.ts'
import { IconButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { billingChanged, bookedBefore, newestBookingsQuery, statusQuery } from './checkout.ts'
import { CreditsTab, purchaseAmong } from './credits-tab.tsx'
import { InviteCodes } from './invite-codes.tsx'
import { Plans } from './plans.tsx'
import type { BillingTab } from './routes.ts'

const route = getRouteApi('/app/billing')

export function BillingPage() {
  const { tab = 'credits' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: config } = useQuery(configQuery)
  return (
    <Page
      title="Credits and billing"
      lead="Searching your own and your team’s cards is free. A library search costs credits only when it finds something; publishing earns some."
    >
      <div className="mb-5 grid gap-3 empty:hidden">
        <PaymentNotice />
        {config && !config.credits && (
          <Notice>Credits are switched off on this server: nothing is ever charged.</Notice>
        )}
      </div>
      <Tabs<BillingTab>
        label="Credits and billing"
        value={tab}
        onChange={(next) =>
          void navigate({ search: { tab: next === 'credits' ? undefined : next }, replace: true })
        }
        tabs={[
          { value: 'credits', label: 'Credits', content: <CreditsTab /> },
          { value: 'plans', label: 'Plans', content: <Plans /> },
          { value: 'codes', label: 'Invite codes', content: <InviteCodes /> },
        ]}
      />
    </Page>
  )
}

const ASK_EVERY_MS = 1500
const LATE_AFTER_MS = 20_000

/** Waits for the booking after the payment page. */
function PaymentNotice() {
  const { checkout } = route.useSearch()
  const navigate = route.useNavigate()
  if (!checkout) return null
  const close = () =>
    void navigate({ search: (before) => ({ ...before, checkout: undefined }), replace: true })
  return checkout === 'cancelled' ? (
    <Notice action={<Dismiss onClick={close} />}>The payment was cancelled. Nothing was charged.</Notice>
  ) : (
    <Paid onClose={close} />
  )
}

const Dismiss = ({ onClick }: { onClick: () => void }) => (
  <IconButton label="Dismiss" onClick={onClick}>
    <X size={14} />
  </IconButton>
)

function Paid({ onClose }: { onClose: () => void }) {
  const [before] = useState(bookedBefore)
  const [late, setLate] = useState(false)
  const { data } = useQuery({
    ...newestBookingsQuery,
    refetchInterval: (query) => (purchaseAmong(query.state.data?.items, before) ? false : ASK_EVERY_MS),
  })
  const booking = purchaseAmong(data?.items, before)
  const arrived = booking !== undefined
  // The provider reports a plan and its payment separately, in either order.
  useQuery({
    ...statusQuery,
    enabled: booking?.reason === 'plan_grant',
    refetchInterval: (query) => (query.state.data?.plan_id === 'free' && !late ? ASK_EVERY_MS : false),
  })
  useEffect(() => {
    if (arrived) void billingChanged()
    const timer = setTimeout(() => setLate(true), LATE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [arrived])
  if (booking)
    return (
      <Notice tone="ok" action={<Dismiss onClick={onClose} />}>
        Payment received. {credits(booking.delta)} were added; your balance is{' '}
        {credits(booking.balance_after)}.
      </Notice>
    )
  return (
    <Notice tone={late ? 'warn' : 'info'} action={<Dismiss onClick={onClose} />}>
      {late
        ? 'The payment provider has not confirmed yet. Nothing is lost: the credits are booked as soon as it does, even if this page is closed.'
        : 'Waiting for the payment provider to confirm …'}
    </Notice>
  )
}
