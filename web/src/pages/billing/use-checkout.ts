import { useMutation } from '@tanstack/react-query'
import { billingPortal, creditsHistory, packCheckout, planCheckout } from '../../api/billing.ts'
import { tab } from '../../lib/storage.ts'
import { toastError } from '../../ui/toast.tsx'

const AFTER_KEY = 'kv-checkout-after'

/** The newest booking when the person left to pay: later ones are what they paid for. */
export const bookedBefore = () => tab.read<string>(AFTER_KEY)

async function rememberNewestBooking() {
  const { items } = await creditsHistory({ page_size: 1 })
  tab.write(AFTER_KEY, items[0]?.entry_id ?? '')
}

const backTo = (query: string) => ({
  success_url: `/billing?${query}checkout=success`,
  cancel_url: `/billing?${query}checkout=cancelled`,
})

/** Each of these leads to a page of the payment provider and from there back here. */
export function useCheckout() {
  const pack = useMutation({
    mutationFn: async (packId: string) => {
      await rememberNewestBooking()
      return packCheckout({ pack_id: packId, ...backTo('') })
    },
    onSuccess: ({ checkout_url }) => location.assign(checkout_url),
    onError: toastError,
  })
  const plan = useMutation({
    mutationFn: async (planId: string) => {
      await rememberNewestBooking()
      return planCheckout({ plan_id: planId, ...backTo('tab=plans&') })
    },
    onSuccess: ({ checkout_url }) => location.assign(checkout_url),
    onError: toastError,
  })
  const portal = useMutation({
    mutationFn: () => billingPortal({ return_url: '/billing?tab=plans' }),
    onSuccess: ({ portal_url }) => location.assign(portal_url),
    onError: toastError,
  })
  return { pack, plan, portal }
}
