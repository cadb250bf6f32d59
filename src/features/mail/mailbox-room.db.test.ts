import { afterAll, expect, test } from 'vitest'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { enqueueMail } from './outbox.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const PASSWORD = 'correct horse battery'
const DAY_MS = 24 * 3_600_000

/** What is in the outbox of a vault. */
function mailsOf(t: TestVault) {
  const MAIL = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
  /** As others have caused them before: sent, or waiting for the next try. */
  const fill = (kind: string, to: string, count: number, status: 'sent' | 'pending' = 'sent') =>
    inTx(contextFor(t.app.services), async (ctx) => {
      for (let i = 0; i < count; i++) await enqueueMail(ctx, `${kind}:${to}:${i}`, { ...MAIL, to })
      const next_attempt_at = new Date(ctx.now().getTime() + DAY_MS).toISOString()
      await ctx.db
        .updateTable('outbox')
        .set({ status, next_attempt_at })
        .where('state_key', 'like', `${kind}:${to}:%`)
        .execute()
    })
  const counted = async (to: string, counts: (status: string) => boolean) =>
    (
      await t.app.services.database.read.selectFrom('outbox').select(['to_address', 'status']).execute()
    ).filter(({ to_address, status }) => to_address.toLowerCase() === to.toLowerCase() && counts(status))
      .length
  const outbox = (to: string) => counted(to, (status) => status !== 'cancelled')
  const waiting = (to: string) => counted(to, (status) => status === 'pending')
  return { fill, outbox, waiting }
}

onBothEngines(
  'mails that anybody can have sent to any address',
  (t) => {
    const { fill, outbox, waiting } = mailsOf(t)

    test('an address gets twenty invitations a day, whoever sends them; then the link is handed over', async () => {
      // With letters that no database lowers by itself.
      const address = `invité-${t.engine}@bücher.example`
      await fill('invite', address, 20)
      const admin = await t.user('inviter')
      const { workspace_id } = (await admin.post('/api/v1/workspaces', { name: 'Team' })).body
      const invites = `/api/v1/workspaces/${workspace_id}/invites`
      const sent = async (email: string) => (await admin.post(invites, { email })).body
      const refused = await sent(address.toUpperCase())
      expect(refused.email_sent).toBe(false)
      expect(refused.invite_url).toContain(refused.token)
      expect(await outbox(address)).toBe(20)
      expect((await sent(`other-${t.engine}@example.com`)).email_sent).toBe(true)
      t.later(DAY_MS + 1000)
      expect((await sent(address)).email_sent).toBe(true)
    })

    test('an address is asked ten times a day whether it belongs to an account', async () => {
      const address = `moved-to-${t.engine}@example.com`
      await fill('change_email', address, 10)
      const user = await t.user('mover')
      const change = () => user.post('/api/v1/auth/email', { email: address, current_password: PASSWORD })
      const refused = await change()
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
      expect(refused.text).not.toContain('token')
      // Whatever the sender has done with it meanwhile.
      await t.app.services.database.transaction((db) =>
        db
          .updateTable('outbox')
          .set({ status: 'cancelled' })
          .where('state_key', '=', `change_email:${address}:0`)
          .execute(),
      )
      expect((await change()).status).toBe(200)
    })

    test('an account is made without the mail where the address got too many; asking for it is refused', async () => {
      const email = `made-often-${t.engine}@example.com`
      await fill('verify_email', email, 10)
      const { status, body } = await t
        .anonymous()
        .post('/api/v1/auth/register', { email, password: PASSWORD })
      expect(status).toBe(201)
      expect(await outbox(email)).toBe(10)
      const again = await clientOf(t.app, { authorization: `Bearer ${body.access_token}` }).post(
        '/api/v1/auth/verify-email/resend',
      )
      expect(again.status).toBe(429)
    })

    test('a deleted account gets none of those that wait, in whichever letters the address was written', async () => {
      const email = `Übung-${t.engine}@example.com`
      const { body } = await t.anonymous().post('/api/v1/auth/register', { email, password: PASSWORD })
      await fill('notice', email.toUpperCase(), 1, 'pending')
      expect(await waiting(email)).toBeGreaterThan(0)
      const me = clientOf(t.app, { authorization: `Bearer ${body.access_token}` })
      const deletion = { confirmed_by_user: true, password: PASSWORD }
      expect((await me.post('/api/v1/auth/me/delete', deletion)).status).toBe(200)
      expect(await waiting(email)).toBe(0)
    })

    test('whoever is added to many teams, or was in many that are deleted, gets twenty mails a day of each', async () => {
      const admin = await t.user('founder')
      const person = await t.user(`added-${t.engine}`)
      const madeTeam = async (name: string): Promise<string> => {
        const url = `/api/v1/workspaces/${(await admin.post('/api/v1/workspaces', { name })).body.workspace_id}`
        expect((await admin.post(`${url}/members`, { user_id: person.userId })).status).toBe(200)
        return url
      }
      const before = await outbox(person.email)
      const first = await madeTeam('First')
      expect(await outbox(person.email)).toBe(before + 1)
      // Before the team is deleted, or it would be about nothing.
      await smtp.mail(
        ({ envelope, subject = '' }) => envelope.to.includes(person.email) && subject.includes('First'),
      )
      await fill('notice:somebody:workspace.added', person.email, 19)
      const second = await madeTeam('Second')
      expect(await outbox(person.email)).toBe(before + 20)
      expect((await person.get('/api/v1/notices')).body.total).toBe(2)

      await admin.delete(`${first}?confirm_name=First`)
      expect(await outbox(person.email)).toBe(before + 21)
      await fill('workspace_deleted', person.email, 19)
      await admin.delete(`${second}?confirm_name=Second`)
      expect(await outbox(person.email)).toBe(before + 40)
      expect((await person.get('/api/v1/notices')).body.total).toBe(4)
    })
  },
  { SMTP_URL: smtp.url, RATE_LIMIT: 'on' },
)

onBothEngines(
  'mails to an address that an account has left',
  (t) => {
    const { fill, outbox } = mailsOf(t)

    test('an address that nobody has proved is told ten times a day that an account has left it; a proved one always', async () => {
      const leave = async (isProved: boolean) => {
        const user = await t.user('leaving')
        const { database } = t.app.services
        await database.transaction((db) =>
          db
            .updateTable('users')
            .set({ email_verified: isProved ? 1 : 0 })
            .where('user_id', '=', user.userId)
            .execute(),
        )
        await fill('email_changed', user.email, 10)
        const before = await outbox(user.email)
        const email = `gone-${user.userId}@example.com`
        await user.post('/api/v1/auth/email', { email, current_password: PASSWORD })
        const mail = await smtp.mailTo(email, 'Confirm your new e-mail address')
        const token = /token=([\w-]+)/.exec(mail.text ?? '')?.[1]
        expect((await user.post('/api/v1/auth/verify-email', { token })).status).toBe(204)
        return (await outbox(user.email)) - before
      }
      expect(await leave(false)).toBe(0)
      expect(await leave(true)).toBe(1)
    })
  },
  { SMTP_URL: smtp.url, RATE_LIMIT: 'on' },
)
