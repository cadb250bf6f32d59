import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextFor } from '../../src/core/context.ts'
import { dropOldLeftAddresses, LEFT_ADDRESS_DAYS } from '../../src/features/credits/earning.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { type Person, record } from '../support/cards.ts'
import { type Client, clientOf } from '../support/client.ts'
import { onBothEngines } from '../support/engines.ts'
import { startSmtp } from '../support/smtp.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())
const PASSWORD = 'correct horse battery'

onBothEngines(
  'an address whose account was deleted',
  (t) => {
    let main: Person
    beforeAll(async () => {
      main = await t.user(t.engine)
      await prove(main, main.email)
    })

    const enter = async (step: 'register' | 'login', email: string): Promise<Client> => {
      const { body } = await t.anonymous().post(`/api/v1/auth/${step}`, { email, password: PASSWORD })
      return clientOf(t.app, { authorization: `Bearer ${body.access_token}` })
    }
    const follow = async (as: Client, email: string, subject: string, count: number) => {
      const mail = await smtp.mailTo(email, subject, count)
      const token = /token=([\w-]+)/.exec(mail.text ?? '')?.[1]
      expect((await as.post('/api/v1/auth/verify-email', { token })).status).toBe(204)
    }
    /** Follows the link in the mail; `count` is how many of these mails the address has got by now. */
    const prove = (as: Client, email: string, count = 1) =>
      follow(as, email, 'Confirm your e-mail address', count)
    const move = async (as: Client, email: string, count = 1) => {
      const asked = await as.post('/api/v1/auth/email', { email, current_password: PASSWORD })
      expect(asked.status, asked.text).toBe(200)
      await follow(as, email, 'Confirm your new e-mail address', count)
    }
    const leave = async (as: Client) =>
      expect((await as.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)

    const publicCard = async (by: Client) => {
      const { card_id } = await record(by)
      return (await by.post(`/api/v1/cards/${card_id}/publish`)).body
    }
    const praised = async (by: Client) => {
      const { card_id } = await publicCard(main)
      return (await by.post(`/api/v1/cards/${card_id}/feedback`, { kind: 'useful' })).body.credits_awarded
    }
    const redeem = async (by: Client) => {
      const { code } = (await main.post('/api/v1/billing/invites', {})).body
      return (await by.post('/api/v1/billing/redeem-invite', { code })).body
    }

    test('earns nothing for itself and for others with its next account, for 90 days', async () => {
      const email = `puppet@${t.engine}.example.com`
      const first = await enter('register', email)
      await prove(first, email)
      expect(await redeem(first)).toMatchObject({ credits_awarded: 20 })
      expect(await praised(first)).toBe(1)
      await leave(first)

      const again = await enter('register', email)
      // Before the proof the answer is as everybody's: it tells a stranger nothing about the address.
      expect(await redeem(again)).toMatchObject({ credits_awarded: 0, credits_pending: 20 })
      await prove(again, email, 2)
      expect((await again.get('/api/v1/credits/balance')).body.balance).toBe(100)
      expect(await praised(again)).toBe(0)
      const { card_id } = await publicCard(main)
      const verdict = await again.post(`/api/v1/cards/${card_id}/verdicts`, { outcome: 'worked' })
      expect([verdict.status, verdict.body.credits_awarded]).toEqual([201, 0])
      expect(await publicCard(again)).toMatchObject({ status: 'published', credits_earned: 0 })
      await leave(again)

      const third = await enter('register', email)
      await prove(third, email, 3)
      expect(await redeem(third)).toEqual({ credits_awarded: 0, credits_pending: 0, credits_balance: 100 })
      t.later(LEFT_ADDRESS_DAYS * DAY_MS)
      main = { ...main, ...(await enter('login', main.email)) }
      expect(await praised(await enter('login', email))).toBe(1)
    })

    test('is forgotten after 90 days', async () => {
      const { database } = t.app.services
      const kept = async () => (await database.read.selectFrom('left_addresses').selectAll().execute()).length
      const email = `once@${t.engine}.example.com`
      const account = await enter('register', email)
      await prove(account, email)
      await leave(account)
      const rows = await database.read.selectFrom('left_addresses').selectAll().execute()
      expect(JSON.stringify(rows)).not.toContain('once')
      t.later((LEFT_ADDRESS_DAYS - 1) * DAY_MS)
      await dropOldLeftAddresses(contextFor(t.app.services))
      expect(await kept()).toBe(1)
      t.later(DAY_MS)
      await dropOldLeftAddresses(contextFor(t.app.services))
      expect(await kept()).toBe(0)
      main = { ...main, ...(await enter('login', main.email)) }
    })

    test('is free if it was never proven: nobody takes the rewards of an address that is not theirs', async () => {
      const email = `owner@${t.engine}.example.com`
      await leave(await enter('register', email))
      const owner = await enter('register', email)
      await prove(owner, email, 2)
      expect(await praised(owner)).toBe(1)
    })

    test('counts also if the account had moved to another address; whoever moves back loses nothing', async () => {
      const [email, other] = [`a@${t.engine}.example.com`, `b@${t.engine}.example.com`]
      const account = await enter('register', email)
      await prove(account, email)
      await move(account, other)
      expect(await praised(account)).toBe(1)
      await move(account, email)
      expect(await praised(account)).toBe(1)
      await move(account, other, 2)
      await leave(account)
      const next = await enter('register', email)
      await prove(next, email, 2)
      expect(await praised(next)).toBe(0)
    })
  },
  { SMTP_URL: smtp.url },
)
