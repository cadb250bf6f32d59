/** The development provider's hosted pages: a checkout and a portal, without script, for one machine. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cancelSession, declineSession, paySession } from '../../adapters/payments/development/checkout.ts'
import type { DevChange } from '../../adapters/payments/development/objects.ts'
import { refund } from '../../adapters/payments/development/refund.ts'
import {
  payOpenInvoice,
  renew,
  setCancelAtPeriodEnd,
  switchOffer,
} from '../../adapters/payments/development/subscriptions.ts'
import type { Services } from '../../core/context.ts'
import type { RawRoute } from '../../core/http/raw-route.ts'
import type { Db } from '../../db/db.ts'
import { languageFor } from '../identity/users/users.ts'
import { PAGE_HEADERS } from '../pages/page.ts'
import { CHECKOUT_PATH, checkoutPage, gonePage, PORTAL_PATH, portalPage } from './development.pages.ts'
import { listDevObjects, loadDevObject } from './development.store.ts'
import { deliverEvents, saveChange, secondsOf } from './development.ts'

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

/** Only what belongs to the portal's own customer can be changed in it. */
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
