/** The development provider with its books in the database, and the delivery of its events to our own webhook. */
import { cancelSession, newSession } from '../../adapters/payments/development/checkout.ts'
import { subscriptionObject } from '../../adapters/payments/development/events.ts'
import { type DevChange, newDevId } from '../../adapters/payments/development/objects.ts'
import { endSubscription, renew } from '../../adapters/payments/development/subscriptions.ts'
import {
  type PaymentProvider,
  PaymentProviderError,
  signPayload,
  verifySignature,
} from '../../adapters/payments/payments.ts'
import type { Config } from '../../config.ts'
import { contextFor, type Services } from '../../core/context.ts'
import { randomToken } from '../../core/secrets.ts'
import { type Database, type Db, withPatience } from '../../db/db.ts'
import { CHECKOUT_PATH, PORTAL_PATH } from './development.pages.ts'
import {
  keepDevSecret,
  listDevObjects,
  listDueSubscriptions,
  listUndelivered,
  loadDevObject,
  markDelivered,
  saveDevEvents,
  saveDevObjects,
} from './development.store.ts'
import { receiveEvent } from './webhook.ts'

const PORTAL_SECONDS = 3600

export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000)

export async function developmentProvider(
  config: Config,
  database: Database,
  now: () => Date,
): Promise<PaymentProvider> {
  const secret =
    config.developmentWebhookSecret ??
    // Before the service answers: another process may be indexing cards.
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

/** As at Stripe: what is not there, or has ended already, counts as ended. */
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

/** Objects and events are written in one transaction, so a payment is always reported, if need be after a restart. */
export async function saveChange(db: Db, change: DevChange, now: Date): Promise<void> {
  await saveDevObjects(db, change.objects, now.toISOString())
  await saveDevEvents(db, change.events, now.toISOString())
}

/** Signs and delivers what is still undelivered, through the same door that Stripe's events take. */
export async function deliverEvents(services: Services): Promise<void> {
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

/** Renews what is due, then delivers what is undelivered: the part of a provider that works while nobody looks. */
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
