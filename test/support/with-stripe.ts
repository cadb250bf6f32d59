import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { SECRET } from './billing-events.ts'
import { TestVault } from './engines.ts'
import { type StripeStandIn, startStripeStandIn } from './stripe-stand-in.ts'

/** A vault that asks a stand-in of Stripe, and the errors that it has logged since the test began. */
export type WithStripe = { t: TestVault; stripe: StripeStandIn; logged: Record<string, unknown>[] }

/** Runs the same tests on both engines, each with a Stripe of its own. Read `scene` inside tests and hooks. */
export function withStripe(what: string, define: (scene: WithStripe) => void): void {
  describe.each(['sqlite', 'postgres'] as const)(`${what} on %s`, (engine) => {
    const scene = { logged: [] } as unknown as WithStripe
    beforeAll(async () => {
      scene.stripe = await startStripeStandIn()
      scene.t = new TestVault(engine, {
        STRIPE_SECRET_KEY: 'sk_test_stand_in',
        STRIPE_WEBHOOK_SECRET: SECRET,
        STRIPE_API_BASE: scene.stripe.url,
      })
      await scene.t.up(
        pino({ level: 'error' }, { write: (line) => void scene.logged.push(JSON.parse(line)) }),
      )
    })
    beforeEach(() => {
      scene.logged = []
    })
    afterAll(async () => {
      await scene.t.down()
      await scene.stripe.close()
    })
    define(scene)
  })
}
