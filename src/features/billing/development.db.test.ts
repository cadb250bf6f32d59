import { describe, expect, test } from 'vitest'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { DAY_MS } from '../../shared/time.ts'
import { keepDevelopmentBooks, loadDevObject, saveDevObjects } from './development-provider.ts'

type Someone = Awaited<ReturnType<TestVault['user']>>

onBothEngines('the development provider', (t) => {
  const status = async (one: Someone) => (await one.get('/api/v1/billing/status')).body
  const path = (url: string) => new URL(url).pathname

  async function submit(url: string, form: Record<string, string>) {
    const answer = await t.app.server.inject({
      method: 'POST',
      url: path(url),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
    })
    return { status: answer.statusCode, location: answer.headers.location, text: answer.payload }
  }

  const checkout = async (one: Someone, body: object) => {
    const where = 'plan_id' in body ? '/api/v1/billing/checkout' : '/api/v1/billing/credits/checkout'
    return (await one.post(where, body)).body as { checkout_url: string; session_id: string }
  }

  /** The hidden fields of the button with this label. */
  async function press(portalUrl: string, label: string) {
    const { text } = await t.anonymous().get(path(portalUrl))
    const form = text.split('<form').find((part) => part.includes(`>${label}<`))
    if (!form) throw new Error(`no button "${label}" in ${text}`)
    const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map((match) => [match[1], match[2]])
    return submit(portalUrl, Object.fromEntries(fields))
  }

  const portalOf = async (one: Someone) =>
    (await one.post('/api/v1/billing/portal', {})).body.portal_url as string

  async function subscriber() {
    const one = await t.user()
    const { checkout_url } = await checkout(one, { plan_id: 'pro' })
    await submit(checkout_url, { action: 'pay' })
    return one
  }

  describe('checkout', () => {
    test('credits are bought end to end: page, pay, back to us, credits there', async () => {
      const buyer = await t.user()
      const { checkout_url, session_id } = await checkout(buyer, {
        pack_id: 'small',
        success_url: '/billing?ok=1',
      })
      expect(checkout_url).toContain(session_id)
      const page = await t.anonymous().get(path(checkout_url))
      expect(page.status).toBe(200)
      expect(page.text).toContain('$4.00')
      expect(page.text).toContain('No money moves')
      expect(page.text).not.toContain('<script')
      expect(page.headers['content-security-policy']).toContain("default-src 'none'")
      const paid = await submit(checkout_url, { action: 'pay' })
      expect(paid).toMatchObject({ status: 303, location: 'http://127.0.0.1:8080/billing?ok=1' })
      expect(await status(buyer)).toMatchObject({ plan_id: 'free', credits_balance: 200 })
      expect((await t.anonymous().get(path(checkout_url))).text).toContain('This order is paid')
    })

    test('prices and dates on the pages are in the language of the signed-in reader', async () => {
      const buyer = await subscriber()
      await buyer.put('/api/v1/user/settings', { language: 'de' })
      const { checkout_url } = await checkout(buyer, { pack_id: 'small' })
      expect((await buyer.get(path(checkout_url))).text).toContain('<span lang="de">4,00\u00a0$</span>')
      expect((await t.anonymous().get(path(checkout_url))).text).toContain('$4.00')
      const portal = (await buyer.get(path(await portalOf(buyer)))).text
      expect(portal).toMatch(/<span lang="de">\d\d\.\d\d\.\d{4}<\/span>/)
      expect(portal).toContain('<html lang="en">')
    })

    test('paying many times at once books once', async () => {
      const buyer = await t.user()
      const { checkout_url } = await checkout(buyer, { pack_id: 'small' })
      await Promise.all(Array.from({ length: 10 }, () => submit(checkout_url, { action: 'pay' })))
      expect(await status(buyer)).toMatchObject({ credits_balance: 200 })
    })

    test('a declined card charges nothing and can be tried again; cancelling ends it', async () => {
      const buyer = await t.user()
      const { checkout_url } = await checkout(buyer, { pack_id: 'small', cancel_url: '/billing?no=1' })
      await submit(checkout_url, { action: 'decline' })
      expect((await t.anonymous().get(path(checkout_url))).text).toContain('declined')
      expect(await status(buyer)).toMatchObject({ credits_balance: 100 })
      const cancelled = await submit(checkout_url, { action: 'cancel' })
      expect(cancelled.location).toBe('http://127.0.0.1:8080/billing?no=1')
      await submit(checkout_url, { action: 'pay' })
      expect(await status(buyer)).toMatchObject({ credits_balance: 100 })
    })

    test('closes with the account: what was opened before cannot be paid after', async () => {
      const buyer = await t.user()
      const { checkout_url } = await checkout(buyer, { plan_id: 'pro' })
      expect((await buyer.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
      await expect
        .poll(async () => (await t.anonymous().get(path(checkout_url))).text)
        .toContain('This checkout is over')
    })

    test('a new page for a plan closes the former one; two that are paid all the same leave one plan', async () => {
      const buyer = await t.user()
      const pages = [await checkout(buyer, { plan_id: 'pro' }), await checkout(buyer, { plan_id: 'team' })]
      const [first, second] = pages.map(({ checkout_url }) => checkout_url) as [string, string]
      expect((await t.anonymous().get(path(first))).text).toContain('This checkout is over')
      const { database } = t.app.services
      await database.transaction(async (db) => {
        const closed = await loadDevObject(db, 'session', pages[0]?.session_id ?? '')
        if (closed) await saveDevObjects(db, [{ ...closed, status: 'open' }], new Date().toISOString())
      })
      for (const url of [first, second]) await submit(url, { action: 'pay' })
      expect(await status(buyer)).toMatchObject({ plan_id: 'pro', status: 'active' })
      const portal = (await t.anonymous().get(path(await portalOf(buyer)))).text
      expect(portal.match(/aria-label="Subscription"/g)).toHaveLength(1)
      expect(portal.match(/>Refund</g)).toHaveLength(2)
    })

    test('unknown actions, unknown and old sessions change nothing', async () => {
      const buyer = await t.user()
      const { checkout_url } = await checkout(buyer, { pack_id: 'small' })
      expect((await submit(checkout_url, { action: 'constructor' })).status).toBe(303)
      expect((await submit(checkout_url, {})).status).toBe(303)
      expect((await t.anonymous().get('/billing/dev/checkout/cs_dev_none')).status).toBe(404)
      t.later(2 * DAY_MS)
      await submit(checkout_url, { action: 'pay' })
      expect(await status(buyer)).toMatchObject({ credits_balance: 100 })
      expect((await t.anonymous().get(path(checkout_url))).text).toContain('This checkout is over')
    })
  })

  describe('portal', () => {
    test('a plan is cancelled and resumed within one second, and the last word counts', async () => {
      const one = await subscriber()
      expect(await status(one)).toMatchObject({ plan_id: 'pro', status: 'active', credits_balance: 600 })
      const portal = await portalOf(one)
      await press(portal, 'Cancel at the end of the period')
      expect(await status(one)).toMatchObject({ status: 'active', cancel_at_period_end: true })
      await press(portal, 'Resume')
      expect(await status(one)).toMatchObject({ cancel_at_period_end: false })
      await press(portal, 'Cancel at the end of the period')
      expect(await status(one)).toMatchObject({ cancel_at_period_end: true })
      await press(portal, 'Renew now')
      expect(await status(one)).toMatchObject({ plan_id: 'free', status: 'canceled', credits_balance: 600 })
    })

    test('renewals grant again; a failed one is past due until it is paid', async () => {
      const one = await subscriber()
      const portal = await portalOf(one)
      await press(portal, 'Renew now')
      expect(await status(one)).toMatchObject({ status: 'active', credits_balance: 1100 })
      await press(portal, 'Renew with a declined card')
      expect(await status(one)).toMatchObject({ plan_id: 'pro', status: 'past_due', credits_balance: 1100 })
      await press(portal, 'Pay the open invoice')
      expect(await status(one)).toMatchObject({ status: 'active', credits_balance: 1600 })
    })

    test('upwards at once, downwards at the end of the period', async () => {
      const one = await subscriber()
      const portal = await portalOf(one)
      await press(portal, 'Switch to Knowledge Vault Team')
      const upgraded = await status(one)
      expect(upgraded.plan_id).toBe('team')
      expect(upgraded.credits_balance).toBe(600 + 1500)
      await press(portal, 'Switch to Knowledge Vault Pro')
      expect((await status(one)).plan_id).toBe('team')
      await press(portal, 'Renew now')
      expect(await status(one)).toMatchObject({ plan_id: 'pro', credits_balance: 600 + 1500 + 500 })
    })

    test('a refund takes the credits of that payment back', async () => {
      const one = await subscriber()
      await press(await portalOf(one), 'Refund')
      expect(await status(one)).toMatchObject({ plan_id: 'pro', credits_balance: 100 })
    })

    test('shows and changes only what belongs to its customer, and closes after an hour', async () => {
      const [owner, other] = [await subscriber(), await subscriber()]
      const own = await portalOf(owner)
      const foreign = await portalOf(other)
      const { text } = await t.anonymous().get(path(own))
      const subscription = /name="subscription" value="([^"]+)"/.exec(text)?.[1] ?? ''
      const payment = /name="payment" value="([^"]+)"/.exec(text)?.[1] ?? ''
      expect(subscription).toMatch(/^sub_dev_/)
      await submit(foreign, { action: 'cancel', subscription })
      await submit(foreign, { action: 'refund', payment })
      expect(await status(owner)).toMatchObject({ cancel_at_period_end: false, credits_balance: 600 })
      t.later(3601_000)
      expect((await submit(own, { action: 'cancel', subscription })).status).toBe(404)
      expect((await t.anonymous().get(path(own))).status).toBe(404)
    })
  })

  test('renews a subscription when its period is over, and delivers events that a crash left undelivered', async () => {
    const one = await subscriber()
    t.later(32 * DAY_MS)
    const later = (
      await t.anonymous().post('/api/v1/auth/login', { email: one.email, password: 'correct horse battery' })
    ).body
    const bearer = { authorization: `Bearer ${later.access_token}` }
    await Promise.all([keepDevelopmentBooks(t.app.services), keepDevelopmentBooks(t.app.services)])
    const renewed = await t.anonymous().get('/api/v1/billing/status', bearer)
    expect(renewed.body).toMatchObject({ plan_id: 'pro', status: 'active', credits_balance: 1100 })
    await t.app.services.database.transaction((db) =>
      db.updateTable('billing_dev_events').set({ delivered_at: null }).execute(),
    )
    await keepDevelopmentBooks(t.app.services)
    const again = await t.anonymous().get('/api/v1/billing/status', bearer)
    expect(again.body).toEqual(renewed.body)
  })

  test('keeps its own secret, which no answer shows', async () => {
    const { data } = await t.app.services.database.read
      .selectFrom('billing_dev_objects')
      .select('data')
      .where('kind', '=', 'secret')
      .executeTakeFirstOrThrow()
    expect(data).toMatch(/^whsec_[\w-]{43}$/)
  })
})

onBothEngines(
  'a server in production without Stripe',
  (t) => {
    test('sells nothing, plays nothing, and says so', async () => {
      const one = await t.user()
      expect((await one.post('/api/v1/billing/checkout', { plan_id: 'pro' })).body.code).toBe(
        'not_configured',
      )
      expect((await one.post('/api/v1/billing/portal', {})).status).toBe(503)
      expect((await one.post('/api/v1/billing/simulate-upgrade', { plan_id: 'pro' })).status).toBe(404)
      expect((await t.anonymous().post('/api/v1/billing/webhook', {})).status).toBe(503)
      expect((await t.anonymous().get('/billing/dev/checkout/cs_dev_x')).status).toBe(404)
      expect(await status(one)).toMatchObject({ plan_id: 'free', provider: 'none', credits_balance: 100 })
    })
    const status = async (one: Someone) => (await one.get('/api/v1/billing/status')).body
  },
  { NODE_ENV: 'production' },
)
