import { expect, test } from 'vitest'
import { judge, look } from './pictures.ts'
import { openStage, type Person } from './support.ts'

const stage = openStage()

type Status = { plan_id: string; credits_balance: number; cancel_at_period_end: boolean }
const status = (person: Person) => person.api<Status>('GET', '/api/v1/billing/status')

/** The pages of the development provider are the server's own, not the app's. */
async function lookAtProvider({ page }: Person, url: string, name: string, ready: string): Promise<void> {
  await page.goto(new URL(url).pathname)
  await judge(page, name, undefined, () => page.getByText(ready).filter({ visible: true }).first().waitFor())
}

const checkout = async (person: Person, path: string, body: object) =>
  (await person.api<{ checkout_url: string }>('POST', path, body)).checkout_url

test('a person buys credits with nothing configured: page, decline, pay, back', async () => {
  const buyer = await stage.person('Buyer')
  const url = await checkout(buyer, '/api/v1/billing/credits/checkout', { pack_id: 'small' })
  await lookAtProvider(buyer, url, 'dev-checkout', 'Due today, once')
  await buyer.page.getByRole('button', { name: 'Simulate a declined card' }).click()
  await buyer.page.getByRole('alert').waitFor()
  expect((await status(buyer)).credits_balance).toBe(100)
  await buyer.page.getByRole('button', { name: 'Pay $4.00', exact: true }).click()
  await buyer.page.waitForURL('**/billing?checkout=success')
  expect((await status(buyer)).credits_balance).toBe(200)
})

test('a person subscribes, cancels and resumes in the portal', async () => {
  const buyer = await stage.person('Subscriber')
  await buyer.page.goto(await checkout(buyer, '/api/v1/billing/checkout', { plan_id: 'pro' }))
  await buyer.page.getByRole('button', { name: 'Pay $12.00', exact: true }).click()
  await buyer.page.waitForURL('**/billing?checkout=success')
  const { portal_url } = await buyer.api<{ portal_url: string }>('POST', '/api/v1/billing/portal', {})
  await lookAtProvider(buyer, portal_url, 'dev-portal', 'Payments')
  await buyer.page.getByRole('button', { name: 'Cancel at the end of the period' }).click()
  await buyer.page.getByText('Ends on').waitFor()
  expect(await status(buyer)).toMatchObject({ plan_id: 'pro', cancel_at_period_end: true })
  await buyer.page.getByRole('button', { name: 'Resume' }).click()
  await buyer.page.getByText('Active, renews on').waitFor()
  expect(await status(buyer)).toMatchObject({ cancel_at_period_end: false, credits_balance: 600 })
})

test('the guide reads well', async () => {
  const reader = await stage.person('Reader')
  await look(reader, '/guide/billing', 'guide-billing', 'What costs credits')
})
