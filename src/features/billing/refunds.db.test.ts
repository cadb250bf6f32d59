import { expect, test } from 'vitest'
import { events, ledger, type Person, SECRET, webhookOf } from '../../../test/support/billing-events.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { book } from '../credits/ledger.ts'
import { reconcile } from '../credits/reconciliation.ts'

onBothEngines(
  'a refund',
  (t) => {
    const deliver = (event: object, options?: Parameters<ReturnType<typeof webhookOf>>[1]) =>
      webhookOf(t)(event, options)
    const person = async (): Promise<Person> => ({ ...(await t.user()), services: t.app.services })
    const status = async (one: Person) => (await one.get('/api/v1/billing/status')).body
    const balance = async (one: Person) => (await status(one)).credits_balance

    test('takes back the unspent credits and says so in the ledger', async () => {
      const buyer = await person()
      const make = events(buyer, t)
      await deliver(make.packPaid())
      await deliver(make.packRefunded({ cents: 400 }))
      expect(await balance(buyer)).toBe(100)
      expect(await ledger(buyer, 'refund')).toEqual([
        expect.objectContaining({ delta: -100, balance_after: 100, ref_type: 'payment' }),
      ])
    })

    test('never takes the balance below zero, and leaves a line even when nothing is left', async () => {
      const buyer = await person()
      const make = events(buyer, t)
      await deliver(make.packPaid())
      await spend(buyer, 170)
      await deliver(make.packRefunded({ cents: 400 }))
      expect(await balance(buyer)).toBe(0)
      expect((await ledger(buyer, 'refund'))[0]).toMatchObject({ delta: -30, balance_after: 0 })

      const poor = await person()
      const poorMake = events(poor, t)
      await deliver(poorMake.packPaid())
      await spend(poor, 200)
      await deliver(poorMake.packRefunded({ cents: 400 }))
      expect((await ledger(poor, 'refund'))[0]).toMatchObject({ delta: 0, balance_after: 0 })
    })

    test('is not counted as spent, and the sums of the account stay right', async () => {
      const buyer = await person()
      const make = events(buyer, t)
      await deliver(make.packPaid())
      await spend(buyer, 30)
      await deliver(make.packRefunded({ cents: 400 }))
      expect((await buyer.get('/api/v1/credits/balance')).body).toMatchObject({
        balance: 70,
        lifetime_earned: 100,
        lifetime_spent: 30,
      })
      expect((await reconcile(contextFor(t.app.services))).differences).toEqual([])
    })

    test('in parts takes parts, whatever the order of the messages', async () => {
      for (const order of [
        [100, 400],
        [400, 100],
      ]) {
        const buyer = await person()
        const make = events(buyer, t)
        await deliver(make.packPaid())
        for (const cents of order) await deliver(make.packRefunded({ cents }))
        expect(await balance(buyer)).toBe(100)
      }
    })

    test('that is reported before the payment comes out the same', async () => {
      const buyer = await person()
      const make = events(buyer, t)
      await deliver(make.packRefunded({ cents: 100 }))
      await deliver(make.packRefunded({ cents: 400 }))
      expect(await balance(buyer)).toBe(100)
      await deliver(make.packPaid())
      expect(await balance(buyer)).toBe(100)
      expect(await ledger(buyer, 'refund')).toHaveLength(1)
    })

    test('of a plan is matched by its payment, before and after', async () => {
      const before = await person()
      const make = events(before, t)
      await deliver(make.planRefunded({ cents: 1200 }))
      await deliver(make.invoicePaid({ created: 100 }))
      expect(await balance(before)).toBe(100)
      const after = await person()
      await deliver(events(after, t).invoicePaid({ created: 100 }))
      await deliver(events(after, t).planRefunded({ cents: 600 }))
      expect(await balance(after)).toBe(350)
    })

    test('delivered many times at once takes back once', async () => {
      const buyer = await person()
      const make = events(buyer, t)
      await deliver(make.packPaid())
      const event = make.packRefunded({ cents: 400 })
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => deliver({ ...event, id: `${event.id}_${i % 3}` })),
      )
      expect(await balance(buyer)).toBe(100)
      expect(await ledger(buyer, 'refund')).toHaveLength(1)
    })

    async function spend(one: Person, credits: number) {
      await inTx(contextFor(t.app.services), (ctx) =>
        book(ctx, {
          userId: one.userId,
          delta: -credits,
          reason: 'public_search',
          cause: `spent-${credits}`,
        }),
      )
    }
  },
  { STRIPE_WEBHOOK_SECRET: SECRET },
)
