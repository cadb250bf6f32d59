import { afterAll, expect, test } from 'vitest'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { cancelMail, enqueueMail } from './outbox.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const PASSWORD = 'correct horse battery'
const DAY_MS = 24 * 3_600_000

onBothEngines(
  'mails that anybody can have sent to any address',
  (t) => {
    const MAIL = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
    /** As others have caused them before. */
    const fill = (kind: string, to: string, count: number) =>
      inTx(contextFor(t.app.services), async (ctx) => {
        for (let i = 0; i < count; i++) await enqueueMail(ctx, `${kind}:${to}:${i}`, { ...MAIL, to })
      })
    const outbox = async (to: string) =>
      (
        await t.app.services.database.read.selectFrom('outbox').select(['to_address', 'status']).execute()
      ).filter(
        ({ to_address, status }) => to_address.toLowerCase() === to.toLowerCase() && status !== 'cancelled',
      ).length

    test('an address gets twenty invitations a day, whoever sends them; then the link is handed over', async () => {
      const address = `invited-${t.engine}@example.com`
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
      await inTx(contextFor(t.app.services), (ctx) => cancelMail(ctx, `change_email:${address}:0`))
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
  },
  { SMTP_URL: smtp.url, RATE_LIMIT: 'on' },
)
