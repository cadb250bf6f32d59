import { expect, test } from 'vitest'
import { events, ledger, type Person, SECRET, webhookOf } from '../../../test/support/billing-events.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { withStripe } from '../../../test/support/with-stripe.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { book } from '../credits/ledger.ts'

const OPEN = { status: 'needs_response' }
const WON = { status: 'won' }

onBothEngines(
  'a dispute',
  (t) => {
    const deliver = (event: object) => webhookOf(t)(event)
    const balance = async (one: Person) =>
      (await one.get('/api/v1/billing/status')).body.credits_balance as number
    async function buyer() {
      const one: Person = { ...(await t.user()), services: t.app.services }
      return { one, make: events(one, t) }
    }
    const spend = (one: Person, credits: number) =>
      inTx(contextFor(t.app.services), (ctx) =>
        book(ctx, { userId: one.userId, delta: -credits, reason: 'public_search', cause: 'spent' }),
      )

    test('takes the credits back as a refund does, and gives them back once when it is won', async () => {
      const { one, make } = await buyer()
      await deliver(make.packPaid())
      expect((await deliver(make.disputed('created', OPEN))).body).toEqual({ received: true, handled: true })
      await deliver(make.disputed('funds_withdrawn', OPEN))
      expect(await balance(one)).toBe(100)
      expect(await ledger(one, 'refund')).toEqual([
        expect.objectContaining({ delta: -100, balance_after: 100, ref_type: 'payment' }),
      ])
      await Promise.all([1, 2, 3].map(() => deliver(make.disputed('closed', WON))))
      expect(await balance(one)).toBe(200)
      expect(await ledger(one, 'adjustment')).toEqual([
        expect.objectContaining({ delta: 100, ref_type: 'payment' }),
      ])
      await deliver(make.packRefunded({ cents: 400 }))
      expect(await balance(one)).toBe(100)
    })

    test('that is lost takes once, whichever of its messages comes', async () => {
      const { one, make } = await buyer()
      await deliver(make.packPaid())
      await Promise.all([
        deliver(make.disputed('closed', { status: 'lost' })),
        deliver(make.disputed('created', OPEN)),
        deliver(make.disputed('funds_withdrawn', OPEN)),
      ])
      expect(await balance(one)).toBe(100)
      expect(await ledger(one, 'refund')).toHaveLength(1)
    })

    test('takes what is left and gives back what it took', async () => {
      const { one, make } = await buyer()
      await deliver(make.packPaid())
      await spend(one, 170)
      await deliver(make.disputed('created', OPEN))
      expect(await balance(one)).toBe(0)
      await deliver(make.disputed('closed', WON))
      expect(await balance(one)).toBe(30)
    })

    test('and a refund together take no more than the payment gave', async () => {
      const { one, make } = await buyer()
      await deliver(make.packPaid())
      await deliver(make.packRefunded({ cents: 100 }))
      expect(await balance(one)).toBe(175)
      await deliver(make.disputed('created', OPEN))
      expect(await balance(one)).toBe(100)
      await deliver(make.disputed('closed', WON))
      expect(await balance(one)).toBe(175)
    })

    test('that is won gives back nothing that was refunded, also if the refund is reported later', async () => {
      for (const [cents, left] of [
        [100, 175],
        [400, 100],
      ] as const) {
        const { one, make } = await buyer()
        await deliver(make.packPaid())
        await deliver(make.disputed('created', OPEN))
        await deliver(make.packRefunded({ cents }))
        expect(await balance(one), `${cents}`).toBe(100)
        await deliver(make.disputed('closed', WON))
        expect(await balance(one), `${cents}`).toBe(left)
        const { credits_returned } = await t.app.services.database.read
          .selectFrom('billing_payments')
          .select('credits_returned')
          .where('user_id', '=', one.userId)
          .executeTakeFirstOrThrow()
        expect(credits_returned, `${cents}`).toBe(200 - left)
      }
    })

    test('takes its share of the credits if it is about a part of the payment', async () => {
      const { one, make } = await buyer()
      await deliver(make.packPaid())
      await deliver(make.disputed('created', { ...OPEN, cents: 200 }))
      expect(await balance(one)).toBe(150)
    })

    test('in another currency than the payment is about all of it', async () => {
      const { one, make } = await buyer()
      await deliver(make.packPaid())
      await deliver(make.disputed('created', { ...OPEN, cents: 316, currency: 'gbp' }))
      expect(await balance(one)).toBe(100)
      await deliver(make.disputed('closed', { ...WON, cents: 316, currency: 'gbp' }))
      expect(await balance(one)).toBe(200)
    })

    test('or refund of something else, however large its amount, is received', async () => {
      const { make } = await buyer()
      for (const event of [
        make.disputed('created', { ...OPEN, cents: 3_000_000_000, currency: 'idr' }),
        make.packRefunded({ cents: 3_000_000_000 }),
      ])
        expect((await deliver(event)).status).toBe(200)
    })

    test('that moves no money takes nothing; an inquiry takes when it becomes a dispute', async () => {
      const { one, make } = await buyer()
      await deliver(make.packPaid())
      for (const event of [
        make.disputed('created', { status: 'warning_needs_response' }),
        make.disputed('created', { status: 'prevented' }),
        make.disputed('closed', { status: 'warning_closed' }),
      ])
        expect((await deliver(event)).body).toEqual({ received: true, handled: false })
      expect(await balance(one)).toBe(200)
      await deliver(make.disputed('funds_withdrawn', OPEN))
      expect(await balance(one)).toBe(100)
    })

    test('may be reported before the payment, and its end before its beginning', async () => {
      const early = await buyer()
      await deliver(early.make.disputed('created', OPEN))
      await deliver(early.make.packPaid())
      expect(await balance(early.one)).toBe(100)
      await deliver(early.make.disputed('closed', WON))
      expect(await balance(early.one)).toBe(200)

      const ended = await buyer()
      await deliver(ended.make.disputed('closed', WON))
      await deliver(ended.make.packPaid())
      await deliver(ended.make.disputed('created', OPEN))
      expect(await balance(ended.one)).toBe(200)
      expect(await ledger(ended.one, 'refund')).toEqual([])

      const won = await buyer()
      await deliver(won.make.disputed('created', OPEN))
      await deliver(won.make.disputed('closed', WON))
      await deliver(won.make.packPaid())
      expect(await balance(won.one)).toBe(200)
    })
  },
  { STRIPE_WEBHOOK_SECRET: SECRET },
)

withStripe('a dispute about a plan', (scene) => {
  test('is matched through the invoice of the payment', async () => {
    const deliver = (event: object) => webhookOf(scene.t)(event)
    for (const isEarly of [false, true]) {
      const buyer = await scene.t.user()
      const make = events(buyer, scene.t)
      const paid = make.invoicePaid({})
      paid.data.object.payments.data = []
      scene.stripe.invoicePayments.set(`pi_plan_${buyer.userId}`, paid.data.object.id)
      const opened = make.disputed('created', { ...OPEN, cents: 1200, payment: 'plan' })
      for (const event of isEarly ? [opened, paid] : [paid, opened])
        expect((await deliver(event)).body).toMatchObject({ handled: true })
      const { credits_balance } = (await buyer.get('/api/v1/billing/status')).body
      expect([isEarly, credits_balance]).toEqual([isEarly, 100])
    }
  })
})
