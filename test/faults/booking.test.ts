import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SECRET } from '../../../test/support/billing-events.ts'
import { makeVault, type Vault } from '../../../test/support/engines.ts'
import { COMPILED_BEFORE } from '../../../test/support/process.ts'
import { signPayload } from '../../adapters/payments/payments.ts'

/**
 * At which look at the clock the process dies. The first one checks the signature; the others stand in the transaction:
 * when the event is noted, when the payment is noted, and when the last line of it is written.
 */
const LAST_LOOKS = [2, 3, 5]

async function start(vault: Vault) {
  const child = fork(join(import.meta.dirname, '..', '..', '..', 'test', 'support', 'crash-child.ts'), {
    // The test runner's own variables must not configure the program.
    env: { PATH: process.env.PATH, ...vault.env },
    execArgv: COMPILED_BEFORE,
  })
  const address = await Promise.race([
    once(child, 'message').then(([message]) => String(message)),
    once(child, 'exit').then(() => Promise.reject(new Error('the program did not start'))),
  ])
  return { child, address }
}

async function arm(child: ChildProcess, looks: number) {
  child.send(looks)
  await once(child, 'message')
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.disconnect()
  await once(child, 'exit')
}

async function call(url: string, init: RequestInit) {
  const response = await fetch(url, init)
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const asJson = (body: object, headers = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

const signed = (event: object) =>
  asJson(event, { 'stripe-signature': signPayload(JSON.stringify(event), SECRET, new Date()) })

function purchase(userId: string, number: number) {
  return {
    id: `evt_${number}`,
    object: 'event',
    type: 'checkout.session.completed',
    created: 100 + number,
    data: {
      object: {
        id: `cs_${number}`,
        mode: 'payment',
        payment_status: 'paid',
        customer: `cus_${userId}`,
        metadata: { user_id: userId, pack_id: 'small', credits: '100' },
        payment_intent: `pi_${number}`,
        amount_total: 400,
        currency: 'usd',
      },
    },
  }
}

describe.each(['sqlite', 'postgres'] as const)(
  'a process killed while an event is being booked, on %s',
  (engine) => {
    test('has booked nothing, and the next delivery books it once', async () => {
      const vault = await makeVault(engine, { STRIPE_WEBHOOK_SECRET: SECRET })
      let running = await start(vault)
      try {
        const register = { email: 'buyer@example.com', password: 'correct horse battery' }
        const account = await call(`${running.address}/api/v1/auth/register`, asJson(register))
        const bearer = { headers: { authorization: `Bearer ${account.body.access_token}` } }
        const balance = async () =>
          (await call(`${running.address}/api/v1/billing/status`, bearer)).body.credits_balance

        for (const [number, looks] of LAST_LOOKS.entries()) {
          const event = purchase(account.body.user.user_id, number)
          await arm(running.child, looks)
          const answer = call(`${running.address}/api/v1/billing/webhook`, signed(event))
          await expect(answer).rejects.toThrow('fetch failed')
          running = await start(vault)
          const before = 100 + number * 100
          expect(await balance()).toBe(before)
          for (let delivery = 0; delivery < 2; delivery++) {
            expect((await call(`${running.address}/api/v1/billing/webhook`, signed(event))).status).toBe(200)
          }
          expect(await balance()).toBe(before + 100)
        }
      } finally {
        await stop(running.child)
        await vault.remove()
      }
    }, 240_000)
  },
)
