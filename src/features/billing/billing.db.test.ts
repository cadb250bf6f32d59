import { describe, expect, test } from 'vitest'
import { events, ledger, type Person, SECRET, webhookOf } from '../../../test/support/billing-events.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { signPayload } from '../../adapters/payments.ts'
import { contextFor } from '../../core/context.ts'
import { DAY_MS } from '../../shared/time.ts'
import { endPlans } from './subscriptions.ts'

onBothEngines(
  'billing',
  (t) => {
    const deliver = (event: object, options?: Parameters<ReturnType<typeof webhookOf>>[1]) =>
      webhookOf(t)(event, options)
    const person = async (): Promise<Person> => ({ ...(await t.user()), services: t.app.services })
    const status = async (one: Person) => (await one.get('/api/v1/billing/status')).body
    const balance = async (one: Person) => (await status(one)).credits_balance

    describe('what can be bought', () => {
      test('plans and packs are public and priced in whole cents', async () => {
        const plans = await t.anonymous().get('/api/v1/billing/plans')
        expect(plans.body.map((plan: { plan_id: string }) => plan.plan_id)).toEqual(['free', 'pro', 'team'])
        const packs = await t.anonymous().get('/api/v1/billing/credit-packs')
        expect(packs.body).toHaveLength(3)
        for (const one of [...plans.body, ...packs.body]) expect(Number.isInteger(one.price_cents)).toBe(true)
      })

      test('a new account has no plan', async () => {
        expect(await status(await person())).toEqual({
          plan_id: 'free',
          status: 'none',
          current_period_end: null,
          cancel_at_period_end: false,
          credits_balance: 100,
          provider: 'development',
        })
      })

      test('without a credential nothing is told or opened', async () => {
        expect((await t.anonymous().get('/api/v1/billing/status')).status).toBe(401)
        expect((await t.anonymous().post('/api/v1/billing/checkout', { plan_id: 'pro' })).status).toBe(401)
      })

      test.each([
        ['/api/v1/billing/checkout', { plan_id: 'gold' }, 'plan_id'],
        ['/api/v1/billing/checkout', { plan_id: 'free' }, 'plan_id'],
        ['/api/v1/billing/checkout', {}, 'plan_id'],
        ['/api/v1/billing/credits/checkout', { pack_id: 'huge' }, 'pack_id'],
        [
          '/api/v1/billing/checkout',
          { plan_id: 'pro', success_url: 'https://evil.example/x' },
          'success_url',
        ],
        ['/api/v1/billing/checkout', { plan_id: 'pro', cancel_url: '//evil.example' }, 'cancel_url'],
        ['/api/v1/billing/checkout', { plan_id: 'pro', cancel_url: '/\\evil.example' }, 'cancel_url'],
        [
          '/api/v1/billing/credits/checkout',
          { pack_id: 'small', success_url: 'javascript:alert(1)' },
          'success_url',
        ],
        ['/api/v1/billing/portal', { return_url: 'http://a@127.0.0.1:8080/' }, 'return_url'],
        ['/api/v1/billing/portal', { return_url: 'http://127.0.0.1:8081/' }, 'return_url'],
      ])('%s refuses %j', async (path, body, field) => {
        const answer = await (await person()).post(path, body)
        expect(answer.status).toBe(422)
        expect(answer.body.detail[0].loc).toEqual(['body', field])
      })
    })

    describe('the webhook', () => {
      test('refuses events that are unsigned, wrongly signed, altered or stale, and books nothing', async () => {
        const buyer = await person()
        const event = events(buyer, t).packPaid()
        const good = signPayload(JSON.stringify(event), SECRET, t.app.services.now())
        for (const attempt of [
          deliver(event, { header: '' }),
          deliver(event, { header: 't=1,v1=abc' }),
          deliver(event, { secret: 'whsec_somebody_else' }),
          deliver(event, { ageSeconds: 301 }),
          deliver({ ...event, extra: 1 }, { header: good }),
        ]) {
          const answer = await attempt
          expect(answer.status).toBe(400)
          expect(answer.body.code).toBe('invalid_signature')
        }
        expect(await balance(buyer)).toBe(100)
        expect((await deliver(event, { ageSeconds: 290 })).body).toEqual({ received: true, handled: true })
        expect(await balance(buyer)).toBe(200)
      })

      test('says so about events that do not concern it, and about nonsense', async () => {
        expect(
          (await deliver({ ...events(await person(), t).packPaid(), type: 'customer.created' })).body,
        ).toEqual({
          received: true,
          handled: false,
        })
        const stranger = { ...(await person()), userId: '01890000-0000-7000-8000-000000000000' }
        expect((await deliver(events(stranger, t).packPaid())).body.handled).toBe(false)
        expect((await deliver({ hello: 'world' })).body.code).toBe('invalid_event')
      })

      test('other purchases of the same customer at the provider are ignored', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        const foreign = { plan: 'shoes', metadataPlan: 'shoes', created: 100 }
        for (const event of [
          make.subscription('created', foreign),
          make.invoicePaid(foreign),
          make.invoiceFailed(foreign),
        ]) {
          expect((await deliver(event)).body).toEqual({ received: true, handled: false })
        }
        expect(await status(buyer)).toMatchObject({ plan_id: 'free', status: 'none', credits_balance: 100 })
      })

      test('other purchases on an invoice of the plan change neither credits nor plan nor status', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        await deliver(make.subscription('created', { created: 100, plan: 'pro', metadataPlan: 'team' }))
        const before = await status(buyer)
        const foreign = { product: 'prod_consulting', plan: 'team', created: 200 }
        for (const event of [make.invoicePaid(foreign), make.invoiceFailed(foreign)])
          expect((await deliver(event)).body).toEqual({ received: true, handled: false })
        expect(await status(buyer)).toEqual(before)
        expect(before).toMatchObject({ plan_id: 'pro', status: 'active', credits_balance: 100 })
      })

      test('an event that is delivered 50 times at once has one effect', async () => {
        const buyer = await person()
        const event = events(buyer, t).packPaid()
        const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(event)))
        expect(answers.map((answer) => answer.status)).toEqual(Array(50).fill(200))
        expect(answers.filter((answer) => !answer.body.duplicate)).toHaveLength(1)
        expect(await balance(buyer)).toBe(200)
        expect(await ledger(buyer, 'pack_purchase')).toHaveLength(1)
      })

      test('two events about one session or one invoice book once', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        const first = make.packPaid()
        const second = {
          ...first,
          id: 'evt_async_of_the_same',
          type: 'checkout.session.async_payment_succeeded',
        }
        await Promise.all([deliver(first), deliver(second)])
        expect(await balance(buyer)).toBe(200)
        const invoice = make.invoicePaid({ invoice: `in_${buyer.userId}` })
        await deliver(invoice)
        await deliver({ ...invoice, id: `${invoice.id}_again` })
        expect(await balance(buyer)).toBe(700)
        expect(await ledger(buyer, 'plan_grant')).toEqual([
          expect.objectContaining({ delta: 500, ref_type: 'invoice', ref_id: `in_${buyer.userId}` }),
        ])
      })

      test('a slow payment books when the money is there', async () => {
        const buyer = await person()
        const event = events(buyer, t).packPaid()
        const unpaid = {
          ...event,
          id: `${event.id}_unpaid`,
          data: { object: { ...event.data.object, payment_status: 'unpaid' } },
        }
        expect((await deliver(unpaid)).body.handled).toBe(false)
        expect(await balance(buyer)).toBe(100)
        await deliver({ ...event, type: 'checkout.session.async_payment_succeeded' })
        expect(await balance(buyer)).toBe(200)
      })

      test('the events of a purchase may come in any order', async () => {
        const orders = [
          [0, 1, 2, 3],
          [3, 2, 1, 0],
          [2, 0, 3, 1],
          [1, 3, 0, 2],
        ]
        for (const order of orders) {
          const buyer = await person()
          const make = events(buyer, t)
          const all = [
            make.subscription('created', { status: 'incomplete', created: 100 }),
            make.subscription('updated', { status: 'active', created: 102 }),
            make.invoicePaid({ created: 101, reason: 'subscription_create' }),
            make.subscriptionSession({ created: 102 }),
          ]
          for (const index of order) expect((await deliver(all[index] ?? {})).status).toBe(200)
          expect(await status(buyer)).toMatchObject({
            plan_id: 'pro',
            status: 'active',
            credits_balance: 600,
          })
          expect((await buyer.get('/api/v1/auth/me')).body.plan).toBe('pro')
        }
      })

      test('the events of a purchase may also come all at once', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        const all = [
          make.subscription('created', { status: 'incomplete', created: 100 }),
          make.subscription('updated', { status: 'active', created: 102 }),
          make.invoicePaid({ created: 101, reason: 'subscription_create' }),
          make.subscriptionSession({ created: 102 }),
        ]
        await Promise.all([...all, ...all, ...all].map((event) => deliver(event)))
        expect(await status(buyer)).toMatchObject({ plan_id: 'pro', status: 'active', credits_balance: 600 })
      })
    })

    describe('a subscription', () => {
      test('that could not be charged is past due, and active again once it is paid', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        await deliver(make.subscription('created', { created: 100 }))
        const failed = make.invoiceFailed({ created: 200 })
        await deliver(failed)
        expect(await status(buyer)).toMatchObject({ plan_id: 'pro', status: 'past_due' })
        const paid = make.invoicePaid({ created: 300, invoice: failed.data.object.id })
        await deliver(paid)
        expect(await status(buyer)).toMatchObject({ plan_id: 'pro', status: 'active', credits_balance: 600 })
      })

      test('whose failure is reported after the payment stays active', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        await deliver(make.subscription('created', { created: 100 }))
        const failed = make.invoiceFailed({ created: 200 })
        await deliver(make.invoicePaid({ created: 300, invoice: failed.data.object.id }))
        await deliver(failed)
        expect(await status(buyer)).toMatchObject({ status: 'active', credits_balance: 600 })
      })

      test('that was never paid gives no plan', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        await deliver(make.subscription('created', { status: 'incomplete', created: 100 }))
        await deliver(make.invoiceFailed({ created: 101, reason: 'subscription_create' }))
        expect(await status(buyer)).toMatchObject({ plan_id: 'free', status: 'none' })
        await deliver(make.subscription('updated', { status: 'incomplete_expired', created: 200 }))
        expect(await status(buyer)).toMatchObject({ plan_id: 'free', status: 'canceled' })
      })

      test('that is cancelled keeps its plan to the end of the period, and no longer', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        const end = Math.floor(t.app.services.now().getTime() / 1000) + 86_400
        await deliver(make.subscription('created', { created: 100, periodEnd: end }))
        await deliver(make.subscription('updated', { created: 200, periodEnd: end, cancel: true }))
        expect(await status(buyer)).toMatchObject({
          plan_id: 'pro',
          status: 'active',
          cancel_at_period_end: true,
          current_period_end: new Date(end * 1000).toISOString(),
        })
        await deliver(make.subscription('deleted', { created: 300, periodEnd: end }))
        expect(await status(buyer)).toMatchObject({ plan_id: 'free', status: 'canceled' })
        expect((await buyer.get('/api/v1/auth/me')).body.plan).toBe('free')
        await deliver(make.subscription('updated', { created: 250, periodEnd: end }))
        expect(await status(buyer)).toMatchObject({ plan_id: 'free', status: 'canceled' })
      })

      test('that is cancelled also ends when the last message never comes', async () => {
        const buyer = await person()
        const end = Math.floor(t.app.services.now().getTime() / 1000) + 10
        await deliver(
          events(buyer, t).subscription('updated', { created: 200, periodEnd: end, cancel: true }),
        )
        const plan = async () => (await buyer.get('/api/v1/auth/me')).body.plan
        await endPlans(contextFor(t.app.services))
        expect(await plan()).toBe('pro')
        t.later(11_000)
        expect(await status(buyer)).toMatchObject({ plan_id: 'free', status: 'canceled' })
        await endPlans(contextFor(t.app.services))
        expect(await plan()).toBe('free')
      })

      test('of which nobody speaks any more ends too: another plan may be bought, and the account deleted', async () => {
        const buyer = await person()
        const end = Math.floor(t.app.services.now().getTime() / 1000) + 10 - (90 * DAY_MS) / 1000
        await deliver(events(buyer, t).subscription('updated', { created: 200, periodEnd: end }))
        expect((await buyer.post('/api/v1/billing/checkout', { plan_id: 'team' })).status).toBe(409)
        t.later(11_000)
        expect(await status(buyer)).toMatchObject({ plan_id: 'free', status: 'canceled' })
        await endPlans(contextFor(t.app.services))
        expect((await buyer.get('/api/v1/auth/me')).body.plan).toBe('free')
        expect((await buyer.post('/api/v1/billing/checkout', { plan_id: 'team' })).status).toBe(200)
        expect((await buyer.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBeLessThan(300)
      })

      test('that moves to a smaller plan follows the product, and its next grant is the smaller one', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        await deliver(make.subscription('created', { created: 100, plan: 'team' }))
        await deliver(make.invoicePaid({ created: 100, plan: 'team' }))
        expect(await status(buyer)).toMatchObject({ plan_id: 'team', credits_balance: 2100 })
        await deliver(make.subscription('updated', { created: 200, plan: 'pro', metadataPlan: 'team' }))
        await deliver(make.invoicePaid({ created: 200, plan: 'pro', metadataPlan: 'team' }))
        expect(await status(buyer)).toMatchObject({ plan_id: 'pro', credits_balance: 2600 })
      })

      test('a second one may not be bought while the first is active', async () => {
        const buyer = await person()
        await deliver(events(buyer, t).subscription('created', { created: 100 }))
        const again = await buyer.post('/api/v1/billing/checkout', { plan_id: 'team' })
        expect(again.status).toBe(409)
        expect(again.body).toMatchObject({ code: 'already_subscribed', plan_id: 'pro' })
      })

      test('an account is not deleted while any of them would still be charged', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        const remove = '/api/v1/auth/me?confirmed_by_user=true'
        await deliver(make.subscription('created', { created: 100, plan: 'team', id: 'a', cancel: true }))
        await deliver(make.subscription('created', { created: 100, plan: 'pro', id: 'b' }))
        expect((await buyer.delete(remove)).body.code).toBe('subscription_active')
        await deliver(make.subscription('deleted', { created: 200, plan: 'pro', id: 'b' }))
        await deliver(make.packPaid())
        expect((await buyer.get('/api/v1/auth/me/export')).text).toContain('"kind":"payment"')
        expect((await buyer.delete(remove)).status).toBe(200)
        expect((await deliver(make.packRefunded({ cents: 400 }))).status).toBe(200)
        expect((await deliver(make.subscription('deleted', { created: 300, id: 'a' }))).body.handled).toBe(
          false,
        )
      })

      test('of two active ones, the better counts', async () => {
        const buyer = await person()
        const make = events(buyer, t)
        await deliver(make.subscription('created', { created: 100, plan: 'team', id: 'a', cancel: true }))
        await deliver(make.subscription('created', { created: 200, plan: 'pro', id: 'b' }))
        expect(await status(buyer)).toMatchObject({ plan_id: 'team' })
        await deliver(make.subscription('deleted', { created: 300, plan: 'team', id: 'a' }))
        expect(await status(buyer)).toMatchObject({ plan_id: 'pro' })
      })
    })
  },
  { STRIPE_WEBHOOK_SECRET: SECRET },
)
