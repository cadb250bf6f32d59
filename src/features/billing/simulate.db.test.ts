import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'

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
})
