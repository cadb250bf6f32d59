import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Coins, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { credits } from '../../lib/format.ts'
import { configQuery, useMe } from '../../session.ts'
import { IconButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, Notice } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { billingChanged, bookedBefore, newestBookingsQuery, statusQuery } from './checkout.ts'
import { CreditsTab, purchaseAmong } from './credits-tab.tsx'
import { InviteCodes } from './invite-codes.tsx'
import { Plans } from './plans.tsx'
import type { BillingTab } from './routes.ts'
import * as strings from './strings.ts'

const route = getRouteApi('/app/billing')

/** Opens for whom credits mean something, and for who comes back from a payment or with an invite code. */
export function BillingPage() {
  const { checkout, code } = route.useSearch()
  if (useMe().shows_credits || checkout || code) return <Billing />
  return (
    <EmptyState isPage icon={<Coins size={18} />} title={strings.nothingCosts}>
      {strings.nothingCostsHint}
    </EmptyState>
  )
}

function Billing() {
  const { tab: asked = 'credits' } = route.useSearch()
  const { data: status } = useQuery(statusQuery)
  const hasPlans = status?.provider !== 'none' || status.plan_id !== 'free'
  const tab = asked === 'plans' && !hasPlans ? 'credits' : asked
  const navigate = route.useNavigate()
  const { data: config } = useQuery(configQuery)
  return (
    <Page title={strings.creditsAndBilling} lead={strings.creditsLead}>
      <div className="mb-5 grid gap-3 empty:hidden">
        <PaymentNotice />
        {config && !config.credits && <Notice>{strings.creditsAreOff}</Notice>}
      </div>
      <Tabs<BillingTab>
        label={strings.creditsAndBilling}
        value={tab}
        onChange={(next) =>
          void navigate({ search: { tab: next === 'credits' ? undefined : next }, replace: true })
        }
        tabs={[
          { value: 'credits', label: strings.credits, content: <CreditsTab /> },
          ...(hasPlans ? [{ value: 'plans' as const, label: strings.plans, content: <Plans /> }] : []),
          { value: 'codes', label: strings.inviteCodes, content: <InviteCodes /> },
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
    <Notice action={<Dismiss onClick={close} />}>{strings.paymentCancelled}</Notice>
  ) : (
    <Paid onClose={close} />
  )
}

const Dismiss = ({ onClick }: { onClick: () => void }) => (
  <IconButton label={strings.dismiss} onClick={onClick}>
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
        {strings.paymentReceived(credits(booking.delta), credits(booking.balance_after))}
      </Notice>
    )
  return (
    <Notice tone={late ? 'warn' : 'info'} action={<Dismiss onClick={onClose} />}>
      {late ? strings.paymentNotConfirmed : strings.waitingForPayment}
    </Notice>
  )
}
