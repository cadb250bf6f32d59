import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  cancelSession,
  type DevChange,
  type DevEvent,
  type DevObject,
  type DevPayment,
  type DevPortal,
  type DevSession,
  type DevSubscription,
  declineSession,
  endSubscription,
  isOpen,
  newDevId,
  newSession,
  payOpenInvoice,
  paySession,
  refund,
  renew,
  setCancelAtPeriodEnd,
  subscriptionObject,
  switchOffer,
} from '../../adapters/development-payments.ts'
import {
  type Offer,
  type PaymentProvider,
  PaymentProviderError,
  signPayload,
  verifySignature,
} from '../../adapters/payments.ts'
import type { Config } from '../../config.ts'
import type { RawRoute } from '../../core/capability.ts'
import { contextFor, type Services } from '../../core/context.ts'
import { randomToken } from '../../core/crypto.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import { type Database, type Db, withPatience } from '../../db/db.ts'
import { type Html, html, localised, PAGE_HEADERS, page } from '../../pages/page.ts'
import { localDay, localMoney } from '../../shared/language.ts'
import { languageFor } from '../identity/index.ts'
import { receiveEvent } from './webhook.ts'

/** The two hosted pages of the development provider. Every screen says that no money moves. */

const CHECKOUT_PATH = '/billing/dev/checkout'
const PORTAL_PATH = '/billing/dev/portal'

const NOTICE = html`<p class="soft"><strong class="badge">Test mode</strong> No money moves, and no card data is asked for.</p>`

function checkoutPage(session: DevSession, now: number, language: string): string {
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

type PortalView = {
  portal: DevPortal
  subscriptions: DevSubscription[]
  payments: DevPayment[]
  language: string
}

function portalPage({ portal, subscriptions, payments, language }: PortalView): string {
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

function gonePage(): string {
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

type Kind = DevObject['kind']
type OfKind<K extends Kind> = Extract<DevObject, { kind: K }>

export async function loadDevObject<K extends Kind>(db: Db, kind: K, id: string): Promise<OfKind<K> | null> {
  const row = await db
    .selectFrom('billing_dev_objects')
    .select('data')
    .where('object_id', '=', id)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row ? fromJson<OfKind<K>>(row.data) : null
}

async function listDevObjects<K extends Kind>(db: Db, kind: K, customerId: string): Promise<OfKind<K>[]> {
  const rows = await db
    .selectFrom('billing_dev_objects')
    .select('data')
    .where('customer_id', '=', customerId)
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .orderBy('object_id')
    .execute()
  return rows.map((row) => fromJson<OfKind<K>>(row.data))
}

async function listDueSubscriptions(db: Db, now: number): Promise<OfKind<'subscription'>[]> {
  const rows = await db
    .selectFrom('billing_dev_objects')
    .select('data')
    .where('kind', '=', 'subscription')
    .execute()
  return rows
    .map((row) => fromJson<OfKind<'subscription'>>(row.data))
    .filter((subscription) => subscription.status === 'active' && subscription.periodEnd <= now)
}

export async function saveDevObjects(db: Db, objects: readonly DevObject[], now: string): Promise<void> {
  for (const object of objects) {
    const data = toJson(object)
    await db
      .insertInto('billing_dev_objects')
      .values({
        object_id: object.id,
        kind: object.kind,
        customer_id: object.customer,
        data,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('object_id').doUpdateSet({ data, updated_at: now }))
      .execute()
  }
}

async function saveDevEvents(db: Db, events: readonly DevEvent[], now: string): Promise<void> {
  for (const event of events) {
    await db
      .insertInto('billing_dev_events')
      .values({ event_id: event.id, payload: toJson(event), created_at: now, delivered_at: null })
      .execute()
  }
}

function listUndelivered(db: Db): Promise<{ event_id: string; payload: string }[]> {
  return db
    .selectFrom('billing_dev_events')
    .select(['event_id', 'payload'])
    .where('delivered_at', 'is', null)
    .orderBy('created_at')
    .execute()
}

async function markDelivered(db: Db, eventId: string, now: string): Promise<void> {
  await db
    .updateTable('billing_dev_events')
    .set({ delivered_at: now })
    .where('event_id', '=', eventId)
    .execute()
}

const SECRET_ID = 'webhook_secret'

/** Keeps the secret of the first writer if several processes start at once. */
async function keepDevSecret(db: Db, candidate: string, now: string): Promise<string> {
  await db
    .insertInto('billing_dev_objects')
    .values({
      object_id: SECRET_ID,
      kind: 'secret',
      customer_id: null,
      data: candidate,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('object_id').doNothing())
    .execute()
  const row = await db
    .selectFrom('billing_dev_objects')
    .select('data')
    .where('object_id', '=', SECRET_ID)
    .executeTakeFirstOrThrow()
  return row.data
}

/** The development provider: its data in the database, and the delivery of its events to our webhook. */

const PORTAL_SECONDS = 3600

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000)

async function developmentProvider(
  config: Config,
  database: Database,
  now: () => Date,
): Promise<PaymentProvider> {
  const secret =
    config.developmentWebhookSecret ??
    // Runs before the service answers; another process may hold the database while it indexes cards.
    (await withPatience(database).transaction((db) =>
      keepDevSecret(db, `whsec_${randomToken()}`, now().toISOString()),
    ))
  return {
    name: 'development',
    sign: (payload, at) => signPayload(payload, secret, at),
    verify: (rawBody, signature, at) => verifySignature(rawBody, signature, secret, at),
    createCustomer: async ({ userId }) => `cus_dev_${userId}`,
    openCheckout: async (order) => {
      const session = newSession(order, secondsOf(now()))
      await database.transaction((db) => saveDevObjects(db, [session], now().toISOString()))
      return { sessionId: session.id, url: `${config.baseUrl}${CHECKOUT_PATH}/${session.id}` }
    },
    openPortal: async ({ customerId, returnUrl, offers }) => {
      const id = newDevId('bps')
      const expiresAt = secondsOf(now()) + PORTAL_SECONDS
      const portal = {
        kind: 'portal' as const,
        id,
        customer: customerId,
        returnUrl,
        offers: [...offers],
        expiresAt,
      }
      await database.transaction((db) => saveDevObjects(db, [portal], now().toISOString()))
      return { url: `${config.baseUrl}${PORTAL_PATH}/${id}` }
    },
    currentSubscription: async (id) => {
      const subscription = await loadDevObject(database.read, 'subscription', id)
      if (!subscription) throw new PaymentProviderError('There is no such subscription.')
      return subscriptionObject(subscription)
    },
    ...endings(database, now),
    invoiceOfPayment: async (paymentIntent) =>
      (await loadDevObject(database.read, 'payment', paymentIntent))?.invoice ?? null,
  }
}

function endings(
  database: Database,
  now: () => Date,
): Pick<PaymentProvider, 'closeCheckouts' | 'cancelSubscription'> {
  return {
    closeCheckouts: (customerId, which, sparedAttempt) =>
      database.transaction(async (db) => {
        for (const session of await listDevObjects(db, 'session', customerId)) {
          const isSpared = sparedAttempt !== undefined && session.metadata.attempt === sparedAttempt
          if ((which === 'all' || session.offer.interval !== null) && !isSpared)
            await saveChange(db, cancelSession(session, secondsOf(now())), now())
        }
      }),
    cancelSubscription: (id) =>
      database.transaction(async (db) => {
        const subscription = await loadDevObject(db, 'subscription', id)
        if (subscription) await saveChange(db, endSubscription(subscription, secondsOf(now())), now())
      }),
  }
}

/** One transaction, so that a payment is always reported, if necessary after a restart. */
async function saveChange(db: Db, change: DevChange, now: Date): Promise<void> {
  await saveDevObjects(db, change.objects, now.toISOString())
  await saveDevEvents(db, change.events, now.toISOString())
}

async function deliverEvents(services: Services): Promise<void> {
  const provider = services.adapters.payments
  if (provider?.name !== 'development') return
  for (const { event_id, payload } of await listUndelivered(services.database.read)) {
    try {
      await receiveEvent(contextFor(services), Buffer.from(payload), provider.sign(payload, services.now()))
    } catch (error) {
      services.log.error({ err: error, event_id }, 'an event of the development provider was refused')
      continue
    }
    await services.database.transaction((db) => markDelivered(db, event_id, services.now().toISOString()))
  }
}

export async function keepDevelopmentBooks(services: Services): Promise<void> {
  if (services.adapters.payments?.name !== 'development') return
  const now = services.now()
  await services.database.transaction(async (db) => {
    for (const subscription of await listDueSubscriptions(db, secondsOf(now))) {
      await saveChange(db, renew(subscription, secondsOf(now), 'paid'), now)
    }
  })
  await deliverEvents(services)
}

type Form = Record<string, string>

const MAX_FORM_BYTES = 4096

function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  )
}

const formOf = (request: FastifyRequest): Form => (request.body ?? {}) as Form
const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id
const isOn = (services: Services) => services.adapters.payments?.name === 'development'

function send(reply: FastifyReply, page: string, status = 200) {
  return reply.code(status).headers(PAGE_HEADERS).header('cache-control', 'no-store').send(page)
}

function route(verb: 'GET' | 'POST', path: string, summary: string, handle: RawRoute['handle']): RawRoute {
  const [, , , what = ''] = path.split('/')
  return {
    name: `billing.dev_${what}_${verb.toLowerCase()}`,
    summary,
    route: `${verb} ${path as `/${string}`}/{id}`,
    scopes: 'public',
    prepare: acceptForms,
    handle: (services, request, reply) =>
      isOn(services) ? handle(services, request, reply) : Promise.resolve(send(reply, gonePage(), 404)),
  }
}

const CHECKOUT_ACTIONS = new Map([
  ['pay', paySession],
  ['decline', declineSession],
  ['cancel', cancelSession],
])

const showCheckout = route('GET', CHECKOUT_PATH, 'Checkout page', async (services, request, reply) => {
  const session = await loadDevObject(services.database.read, 'session', idOf(request))
  if (!session) return send(reply, gonePage(), 404)
  const language = await languageFor(services, request.viewer)
  return send(reply, checkoutPage(session, secondsOf(services.now()), language))
})

const actOnCheckout = route(
  'POST',
  CHECKOUT_PATH,
  'Pay, decline or cancel',
  async (services, request, reply) => {
    const act = CHECKOUT_ACTIONS.get(formOf(request).action ?? '')
    const now = services.now()
    const session = await services.database.transaction(async (db) => {
      const found = await loadDevObject(db, 'session', idOf(request))
      if (found && act) await saveChange(db, act(found, secondsOf(now)), now)
      return loadDevObject(db, 'session', idOf(request))
    })
    if (!session) return send(reply, gonePage(), 404)
    await deliverEvents(services)
    if (session.status === 'complete') return reply.redirect(session.successUrl, 303)
    if (session.status === 'expired') return reply.redirect(session.cancelUrl, 303)
    return reply.redirect(`${CHECKOUT_PATH}/${session.id}`, 303)
  },
)

async function loadPortal(services: Services, db: Db, id: string) {
  const portal = await loadDevObject(db, 'portal', id)
  return portal && portal.expiresAt > secondsOf(services.now()) ? portal : null
}

const showPortal = route('GET', PORTAL_PATH, 'Billing portal page', async (services, request, reply) => {
  await deliverEvents(services)
  const db = services.database.read
  const portal = await loadPortal(services, db, idOf(request))
  if (!portal) return send(reply, gonePage(), 404)
  const subscriptions = await listDevObjects(db, 'subscription', portal.customer)
  const payments = await listDevObjects(db, 'payment', portal.customer)
  const language = await languageFor(services, request.viewer)
  return send(reply, portalPage({ portal, subscriptions, payments, language }))
})

const actOnPortal = route('POST', PORTAL_PATH, 'Change a subscription', async (services, request, reply) => {
  const form = formOf(request)
  const now = services.now()
  const portal = await services.database.transaction(async (db) => {
    const found = await loadPortal(services, db, idOf(request))
    if (found) await saveChange(db, await decide(db, found, form, secondsOf(now)), now)
    return found
  })
  if (!portal) return send(reply, gonePage(), 404)
  await deliverEvents(services)
  return reply.redirect(`${PORTAL_PATH}/${portal.id}`, 303)
})

type Portal = NonNullable<Awaited<ReturnType<typeof loadPortal>>>

const NOTHING: DevChange = { objects: [], events: [] }

/** Applies a change to objects of the portal's own customer only. */
async function decide(db: Db, portal: Portal, form: Form, now: number): Promise<DevChange> {
  if (form.action === 'refund') {
    const payment = await loadDevObject(db, 'payment', form.payment ?? '')
    return payment?.customer === portal.customer ? refund(payment, now) : NOTHING
  }
  const subscription = await loadDevObject(db, 'subscription', form.subscription ?? '')
  if (subscription?.customer !== portal.customer) return NOTHING
  switch (form.action) {
    case 'cancel':
    case 'resume':
      return setCancelAtPeriodEnd(subscription, form.action === 'cancel', now)
    case 'renew':
      return renew(subscription, now, 'paid')
    case 'fail':
      return renew(subscription, now, 'failed')
    case 'settle':
      return payOpenInvoice(subscription, now)
    case 'switch': {
      const offer = portal.offers.find((one) => one.productId === form.product)
      return offer ? switchOffer(subscription, offer, now) : NOTHING
    }
    default:
      return NOTHING
  }
}

export const developmentPages: readonly RawRoute[] = [showCheckout, actOnCheckout, showPortal, actOnPortal]

/** Opens Stripe if its key is set; otherwise the development provider, except in production. */
export async function openPayments(
  config: Config,
  database: Database,
  now: () => Date,
): Promise<PaymentProvider | null> {
  if (config.stripe) {
    const { stripeProvider } = await import('../../adapters/stripe.ts')
    return stripeProvider(config.stripe)
  }
  return config.production ? null : developmentProvider(config, database, now)
}
