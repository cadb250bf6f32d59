import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { credits } from '../../lib/format.ts'
import { IconButton } from '../../ui/button.tsx'
import { Notice } from '../../ui/states.tsx'
import { billingChanged, newestBookingsQuery, statusQuery } from './billing-queries.ts'
import { purchaseAmong } from './ledger.ts'
import { bookedBefore } from './use-checkout.ts'

const route = getRouteApi('/app/billing')

const ASK_EVERY_MS = 1500
/** The provider notifies the server. After this time the page says that it may take a while. */
const PATIENCE_MS = 20_000

/** After the payment page: waits for the booking itself, and says what it was. */
export function PaymentNotice() {
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
  // The provider reports a plan apart from its payment, in either order.
  useQuery({
    ...statusQuery,
    enabled: booking?.reason === 'plan_grant',
    refetchInterval: (query) => (query.state.data?.plan_id === 'free' && !late ? ASK_EVERY_MS : false),
  })
  useEffect(() => {
    if (arrived) void billingChanged()
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
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
