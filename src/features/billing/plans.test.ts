import { expect, test } from 'vitest'
import { PACKS, PLANS } from './plans.ts'

test('the credits of a plan stand in one field, and packs are named as the guide writes numbers', () => {
  for (const { monthly_credits, features } of PLANS.filter((plan) => plan.monthly_credits > 0))
    expect(
      features.filter((feature) => feature.replaceAll(',', '').includes(String(monthly_credits))),
    ).toEqual([])
  for (const { name, credits } of PACKS) expect(name).toBe(`${credits.toLocaleString('en-US')} credits`)
})
