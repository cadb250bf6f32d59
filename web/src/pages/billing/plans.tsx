import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BillingStatus, Plan } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { credits, formatDay, money } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { plansQuery, statusQuery, useCheckout } from './checkout.ts'
import * as strings from './strings.ts'

const PROVIDERS: Record<BillingStatus['provider'], string> = {
  stripe: strings.stripeTakesPayments,
  development: strings.developmentPayments,
  none: strings.noPayments,
}

export function Plans() {
  const plans = useQuery(plansQuery)
  const status = useQuery(statusQuery)
  const { plan: subscribe, portal } = useCheckout()
  if (!plans.data || !status.data)
    return (
      <NotLoaded query={plans.data ? status : plans}>
        <SkeletonList rows={3} />
      </NotLoaded>
    )
  const current = status.data
  const isPaying = current.status !== 'none' && current.status !== 'canceled'
  const canPay = current.provider !== 'none'
  const manage = (
    <Button busy={portal.isPending} onClick={() => portal.mutate()}>
      {strings.openPortal}
    </Button>
  )
  return (
    <div className="grid gap-5">
      <PlanState status={current} plans={plans.data} />
      <ul className="grid gap-3 md:grid-cols-3">
        {plans.data.map((plan) => (
          <PlanCard key={plan.plan_id} plan={plan} isCurrent={plan.plan_id === current.plan_id}>
            {plan.price_cents === 0 || isPaying || !canPay ? null : (
              <Button
                look={plan.plan_id === 'pro' ? 'primary' : 'plain'}
                busy={subscribe.isPending && subscribe.variables === plan.plan_id}
                disabled={subscribe.isPending}
                onClick={() => subscribe.mutate(plan.plan_id)}
              >
                {strings.subscribeFor(money(plan.price_cents, plan.currency), plan.interval)}
              </Button>
            )}
          </PlanCard>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-3 border-t border-line pt-4 text-sm text-soft">
        {canPay && (isPaying || current.status === 'canceled') ? manage : null}
        <p>
          {canPay && isPaying ? strings.portalHint : ''}
          {PROVIDERS[current.provider]}
        </p>
      </div>
    </div>
  )
}

function PlanCard({ plan, isCurrent, children }: { plan: Plan; isCurrent: boolean; children: ReactNode }) {
  return (
    <li
      className={cx('flex flex-col gap-4 rounded-md border p-4', isCurrent ? 'border-accent' : 'border-line')}
    >
      <div>
        <h3 className="flex items-center gap-2 text-base font-semibold">
          {plan.name}
          {isCurrent && <Badge tone="accent">{strings.yourPlan}</Badge>}
        </h3>
        <p className="mt-1">
          <span className="text-lg font-semibold">{money(plan.price_cents, plan.currency)}</span>{' '}
          <span className="text-sm text-soft">a {plan.interval}</span>
        </p>
        <p className="text-sm text-soft">
          {plan.monthly_credits > 0
            ? strings.creditsEachMonth(credits(plan.monthly_credits))
            : strings.noMonthlyCredits}
        </p>
      </div>
      <ul className="grid grow content-start gap-1.5 text-sm">
        {plan.features.map((feature) => (
          <li key={feature} className="flex gap-2">
            <Check size={16} aria-hidden className="mt-0.5 shrink-0 text-ok" />
            {feature}
          </li>
        ))}
      </ul>
      {children}
    </li>
  )
}

function PlanState({ status, plans }: { status: BillingStatus; plans: Plan[] }) {
  const name = plans.find((plan) => plan.plan_id === status.plan_id)?.name ?? status.plan_id
  const until = status.current_period_end ? formatDay(status.current_period_end) : null
  if (status.status === 'past_due') return <Notice tone="bad">{strings.paymentFailed(name)}</Notice>
  if (status.cancel_at_period_end && until)
    return <Notice tone="warn">{strings.planEnds(name, until)}</Notice>
  if (status.status === 'active' && until)
    return <p className="text-sm text-soft">{strings.planRenews(name, until)}</p>
  if (status.status === 'trialing' && until)
    return <p className="text-sm text-soft">{strings.trialEnds(name, until)}</p>
  return null
}
