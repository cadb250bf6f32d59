/** The development provider's two hosted pages. They say on every screen that no money moves. */
import { isOpen } from '../../adapters/payments/development/checkout.ts'
import type {
  DevPayment,
  DevPortal,
  DevSession,
  DevSubscription,
} from '../../adapters/payments/development/objects.ts'
import type { Offer } from '../../adapters/payments/payments.ts'
import { localDay, localMoney } from '../../core/language.ts'
import { type Html, html } from '../pages/html.ts'
import { localised } from '../pages/localised.ts'
import { page } from '../pages/page.ts'

export const CHECKOUT_PATH = '/billing/dev/checkout'
export const PORTAL_PATH = '/billing/dev/portal'

const NOTICE = html`<p class="soft"><strong class="badge">Test mode</strong> No money moves, and no card data is asked for.</p>`

export function checkoutPage(session: DevSession, now: number, language: string): string {
  const { offer } = session
  if (!isOpen(session, now)) return closedPage(session)
  const price = money(language, offer.amountCents, offer.currency)
  return page({
    title: 'Checkout',
    body: html`<h1>${offer.name}</h1>
${NOTICE}
${session.declines > 0 && html`<p class="bad" role="alert">The card was declined. Nothing was charged; you can try again.</p>`}
<section class="panel" aria-label="Order">
<div class="row"><span>${offer.interval ? `Due today, then each ${offer.interval}` : 'Due today, once'}</span><strong class="total">${price}</strong></div>
<form method="post" action="${`${CHECKOUT_PATH}/${session.id}`}">
<div class="actions">
<button class="primary wide" name="action" value="pay">Pay ${price}</button>
<button name="action" value="decline">Simulate a declined card</button>
<button name="action" value="cancel">Cancel</button>
</div>
</form>
</section>`,
  })
}

function closedPage(session: DevSession): string {
  const paid = session.status === 'complete'
  return page({
    title: 'Checkout',
    body: html`<h1>${paid ? 'This order is paid' : 'This checkout is over'}</h1>
<p>${paid ? 'There is nothing left to do here.' : 'Nothing was charged. Start again from Billing.'}</p>
<p><a class="button" href="${paid ? session.successUrl : session.cancelUrl}">Back to Knowledge Vault</a></p>`,
  })
}

export type PortalView = {
  portal: DevPortal
  subscriptions: DevSubscription[]
  payments: DevPayment[]
  language: string
}

export function portalPage({ portal, subscriptions, payments, language }: PortalView): string {
  const running = subscriptions.filter((subscription) => subscription.status !== 'canceled')
  return page({
    title: 'Billing portal',
    body: html`<h1>Billing portal</h1>
${NOTICE}
${running.map((subscription) => subscriptionPanel(portal, subscription, language))}
${running.length === 0 && html`<section class="panel"><p>There is no running subscription.</p></section>`}
<h2>Payments</h2>
${payments.length === 0 && html`<p class="soft">None so far.</p>`}
${payments.map((payment) => paymentRow(portal, payment, language))}
<p class="actions"><a class="button" href="${portal.returnUrl}">Back to Knowledge Vault</a></p>`,
  })
}

function subscriptionPanel(portal: DevPortal, subscription: DevSubscription, language: string): Html {
  const { offer } = subscription
  const act = (action: string, label: string, extra?: { primary?: boolean; product?: string }) =>
    actionForm(
      portal,
      { action, subscription: subscription.id, product: extra?.product },
      label,
      extra?.primary,
    )
  return html`<section class="panel" aria-label="Subscription">
<div class="row"><strong>${offer.name}</strong><span>${money(language, offer.amountCents, offer.currency)} each ${offer.interval}</span></div>
<div class="row"><span>${stateOf(subscription)}</span><span class="soft">${day(language, subscription.periodEnd)}</span></div>
${subscription.nextOffer && html`<p class="warn">Changes to ${subscription.nextOffer.name} on ${day(language, subscription.periodEnd)}.</p>`}
<div class="actions">
${subscription.status === 'past_due' && act('settle', 'Pay the open invoice', { primary: true })}
${subscription.cancelAtPeriodEnd ? act('resume', 'Resume', { primary: true }) : act('cancel', 'Cancel at the end of the period')}
${subscription.status === 'active' && otherOffers(portal, subscription).map((other) => act('switch', `Switch to ${other.name}`, { product: other.productId }))}
</div>
${
  subscription.status === 'active' &&
  html`<h2>Simulate the end of the period</h2>
<div class="actions">${act('renew', 'Renew now')}${!subscription.cancelAtPeriodEnd && act('fail', 'Renew with a declined card')}</div>`
}
</section>`
}

function otherOffers(portal: DevPortal, { offer, nextOffer }: DevSubscription): Offer[] {
  const current = nextOffer ?? offer
  return portal.offers.filter((other) => other.productId !== current.productId)
}

function paymentRow(portal: DevPortal, payment: DevPayment, language: string): Html {
  const refunded = payment.refundedCents >= payment.amountCents
  return html`<div class="row">
<span>${payment.description}<br><span class="soft">${day(language, payment.created)}</span></span>
<span>${money(language, payment.amountCents, payment.currency)} ${refunded && html`<span class="warn">refunded</span>`}</span>
${!refunded && actionForm(portal, { action: 'refund', payment: payment.id }, 'Refund')}
</div>`
}

function actionForm(
  portal: DevPortal,
  fields: Record<string, string | undefined>,
  label: string,
  primary = false,
): Html {
  const hidden = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  )
  return html`<form method="post" action="${`${PORTAL_PATH}/${portal.id}`}">${hidden}<button class="${primary ? 'primary' : 'small'}">${label}</button></form>`
}

function stateOf(subscription: DevSubscription): Html {
  if (subscription.status === 'past_due') return html`<span class="bad">Payment failed</span>`
  if (subscription.cancelAtPeriodEnd) return html`<span class="warn">Ends on</span>`
  return html`<span class="good">Active, renews on</span>`
}

export function gonePage(): string {
  return page({
    title: 'Not found',
    body: html`<h1>This page is no longer there</h1>
<p>Checkout pages last a day and portal pages an hour. Start again from Billing.</p>
<p><a class="button" href="/billing">Back to Knowledge Vault</a></p>`,
  })
}

const money = (language: string, cents: number, currency: string): Html =>
  localised(localMoney(language, cents, currency))

const day = (language: string, seconds: number): Html =>
  localised(localDay(language, new Date(seconds * 1000)))
