import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import pino from 'pino'
import { expect } from 'vitest'
import { signPayload } from '../../src/adapters/payments.ts'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { EngineName } from '../../src/db/db.ts'
import { SECRET } from '../support/billing-events.ts'
import { clientOf } from '../support/client.ts'
import { makeVault, QUICK_HASHING, type Vault } from '../support/engines.ts'
import { COMPILED_BEFORE, PROGRAM } from '../support/process.ts'

async function startChild(vault: Vault) {
  const child = fork(PROGRAM.crash, {
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

/** The program as it comes back, in the process of the test: a start there costs a tenth of one in a process of its own. */
async function comeBack(vault: Vault) {
  const app = await buildApp(readConfig(vault.env), {
    log: pino({ level: 'silent' }),
    jobs: [],
    passwordHashing: QUICK_HASHING,
  })
  return { client: clientOf(app, {}), close: app.close }
}

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

const signatureOf = (event: object) => ({
  'content-type': 'application/json',
  'stripe-signature': signPayload(JSON.stringify(event), SECRET, new Date()),
})

/**
 * A process is killed at each of the given looks at the clock while it books an event. The first look checks the
 * signature; the others stand in the transaction: when the event is noted, when the payment is noted, and when the last
 * line of it is written.
 */
export async function killWhileBooking(engine: EngineName, lastLooks: readonly number[]): Promise<void> {
  const vault = await makeVault(engine, { STRIPE_WEBHOOK_SECRET: SECRET })
  let alive = await comeBack(vault)
  try {
    const account = await alive.client.post('/api/v1/auth/register', {
      email: 'buyer@example.com',
      password: 'correct horse battery',
    })
    const bearer = { authorization: `Bearer ${account.body.access_token}` }
    for (const [number, looks] of lastLooks.entries()) {
      const event = purchase(account.body.user.user_id, number)
      await alive.close()
      const { child, address } = await startChild(vault)
      await arm(child, looks)
      const answer = fetch(`${address}/api/v1/billing/webhook`, {
        method: 'POST',
        headers: signatureOf(event),
        body: JSON.stringify(event),
      })
      await expect(answer, `look ${looks}`).rejects.toThrow('fetch failed')
      alive = await comeBack(vault)
      const { client } = alive
      const balance = async () => (await client.get('/api/v1/billing/status', bearer)).body.credits_balance
      const before = 100 + number * 100
      expect(await balance(), `look ${looks}`).toBe(before)
      for (let delivery = 0; delivery < 2; delivery++) {
        const delivered = await client.post('/api/v1/billing/webhook', event, signatureOf(event))
        expect(delivered.status).toBe(200)
      }
      expect(await balance(), `look ${looks}`).toBe(before + 100)
    }
  } finally {
    await alive.close()
    await vault.remove()
  }
}
