import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { DAY_MS } from '../../shared/time.ts'
import { endPlans } from './subscriptions.ts'

onBothEngines('simulate-upgrade', (t) => {
  test('gives a plan and its credits once a month, and takes the plan away again', async () => {
    const one = await t.user()
    const up = await one.post('/api/v1/billing/simulate-upgrade', { plan_id: 'pro' })
    expect(up.body).toMatchObject({ plan_id: 'pro', status: 'active', credits_balance: 600 })
    await one.post('/api/v1/billing/simulate-upgrade', { plan_id: 'pro' })
    expect((await one.get('/api/v1/billing/status')).body.credits_balance).toBe(600)
    expect((await one.post('/api/v1/billing/simulate-upgrade', { plan_id: 'free' })).body).toMatchObject({
      plan_id: 'free',
      credits_balance: 600,
    })
    const unknown = await one.post('/api/v1/billing/simulate-upgrade', { plan_id: 'gold' })
    expect([unknown.status, unknown.body.detail[0]]).toMatchObject([
      422,
      { type: 'literal_error', loc: ['body', 'plan_id'], msg: "Input should be 'free' or 'pro' or 'team'" },
    ])
  })

  test('a checkout says how to end the plan, which the portal does not know', async () => {
    const one = await t.user()
    await one.post('/api/v1/billing/simulate-upgrade', { plan_id: 'pro' })
    const refused = await one.post('/api/v1/billing/checkout', { plan_id: 'team' })
    expect([refused.status, refused.body.code, refused.body.plan_id]).toEqual([
      409,
      'already_subscribed',
      'pro',
    ])
    expect(refused.body.detail).toContain('simulate-upgrade')
    expect(refused.body.detail).not.toContain('portal')
    await one.post('/api/v1/billing/simulate-upgrade', { plan_id: 'free' })
    expect((await one.post('/api/v1/billing/checkout', { plan_id: 'team' })).status).toBe(200)
  })

  test('nobody renews the plan: it ends with its period, and keeps nobody from deleting the account', async () => {
    const [one, other] = [await t.user(), await t.user()]
    for (const person of [one, other]) {
      const up = await person.post('/api/v1/billing/simulate-upgrade', { plan_id: 'pro' })
      expect(up.body).toMatchObject({ status: 'active', cancel_at_period_end: true })
    }
    expect((await other.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
    const { body: key } = await one.post('/api/v1/auth/api-keys', { name: 'Later' })
    t.later(31 * DAY_MS)
    await endPlans(contextFor(t.app.services))
    const later = { authorization: `Bearer ${key.api_key}` }
    expect((await t.anonymous().get('/api/v1/billing/status', later)).body).toMatchObject({
      plan_id: 'free',
      status: 'canceled',
    })
    expect((await t.anonymous().get('/api/v1/auth/me', later)).body.plan).toBe('free')
  })
})
