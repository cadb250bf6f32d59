import { afterAll, expect, test } from 'vitest'
import { makeAdmin } from '../../../test/support/admin.ts'
import type { Person } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { startSmtp } from '../../../test/support/smtp.ts'

const TICKETS = '/api/v1/support/tickets'
const smtp = await startSmtp()
afterAll(() => smtp.stop())

onBothEngines(
  'replies to tickets',
  (t) => {
    const administrator = async () => {
      const admin = await t.user('admin')
      await makeAdmin(t.app, admin.email)
      return admin
    }

    async function open(person?: Person): Promise<string> {
      const form = new FormData()
      const fields = {
        email: person?.email ?? 'somebody@example.com',
        subject: 'It does not start',
        message: 'Port 8080 is in use.',
      }
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      const encoded = new Response(form)
      const answer = await t.app.server.inject({
        method: 'POST',
        url: TICKETS,
        headers: {
          'content-type': encoded.headers.get('content-type') ?? '',
          ...(person ? { authorization: `Bearer ${person.token}` } : {}),
        },
        payload: Buffer.from(await encoded.arrayBuffer()),
      })
      return answer.json().ticket_id
    }

    test('author and support talk, by mail and inbox too', async () => {
      const [author, admin] = [await t.user(), await administrator()]
      const id = await open(author)
      const secret = `AK${'IA'}${'Z7Q2'.repeat(4)}`
      const answered = await admin.post(`${TICKETS}/${id}/replies`, {
        message: `Try PORT=8081, not ${secret}`,
      })
      expect(answered.status).toBe(201)
      expect(answered.body.replies).toMatchObject([{ from_support: true }])
      expect(answered.text).not.toContain(secret)
      const mail = await smtp.mail(({ text }) => text?.includes(`/support/tickets/${id}`) === true)
      expect(mail.envelope.to).toEqual([author.email])
      expect(mail).toMatchObject({ subject: 'Re: It does not start' })
      expect(mail.text).toContain('Try PORT=8081')
      const [notice] = (await author.get('/api/v1/notices')).body.items
      expect(notice).toMatchObject({ kind: 'ticket.answered', heading: 'Support answered your ticket' })
      // No answer of support says which of its people wrote it.
      expect(notice.actor_id).toBeNull()

      await admin.post(`${TICKETS}/${id}/close`)
      const back = await author.post(`${TICKETS}/${id}/replies`, { message: 'Thanks, it starts.' })
      expect(back.body).toMatchObject({ status: 'open', closed_at: null, reply_count: 2 })
      const told = await smtp.mail(({ text }) => text?.includes(`/admin/tickets/${id}`) === true)
      expect(told.envelope.to).toEqual(['help@example.com'])
      expect(told.text).toContain('Thanks, it starts.')
      const mine = (await author.get('/api/v1/support/my-tickets')).body
      expect(mine).toMatchObject({ total: 1, items: [{ ticket_id: id, reply_count: 2 }] })
      const exported = (await author.get('/api/v1/auth/me/export')).text
      expect(exported).toContain('Thanks, it starts.')
    })

    test('nobody else can read or write in a ticket, or learn which tickets exist', async () => {
      const [author, stranger] = [await t.user(), await t.user()]
      for (const id of [await open(author), await open(), '01890000-0000-7000-8000-000000000000']) {
        expect((await stranger.get(`${TICKETS}/${id}`)).status).toBe(403)
        expect((await stranger.post(`${TICKETS}/${id}/replies`, { message: 'hello' })).status).toBe(403)
      }
      expect((await stranger.get('/api/v1/support/my-tickets')).body.total).toBe(0)
      expect((await t.anonymous().get('/api/v1/support/my-tickets')).status).toBe(401)
      const admin = await administrator()
      expect((await admin.get(`${TICKETS}/01890000-0000-7000-8000-000000000000`)).status).toBe(404)
    })

    test('somebody without an account gets the reply by mail', async () => {
      const id = await open()
      await (await administrator()).post(`${TICKETS}/${id}/replies`, { message: 'Use another port.' })
      const mail = await smtp.mail(({ text }) => text?.includes(id) === true && text.includes('another port'))
      expect(mail.text).toContain('/help?tab=ticket')
    })

    test('somebody who has deleted the account gets it as one without an account', async () => {
      const author = await t.user()
      const id = await open(author)
      await author.delete('/api/v1/auth/me?confirmed_by_user=true')
      await (await administrator()).post(`${TICKETS}/${id}/replies`, { message: 'Port 8081 is free.' })
      const mail = await smtp.mail(({ text }) => text?.includes(id) === true && text.includes('is free'))
      expect(mail.text).toContain('/help?tab=ticket')
      const notices = t.app.services.database.read.selectFrom('notices').select('kind')
      expect(await notices.where('user_id', '=', author.userId).execute()).toEqual([])
    })

    test('a reply must have text, and a ticket has a limit of replies', async () => {
      const author = await t.user()
      const id = await open(author)
      for (const message of ['', '   ', '\u0007', 'x'.repeat(20_001)])
        expect((await author.post(`${TICKETS}/${id}/replies`, { message })).status).toBe(422)
      const rows = Array.from({ length: 200 }, (_, index) => ({
        reply_id: crypto.randomUUID(),
        ticket_id: id,
        author_id: author.userId,
        from_support: 0 as const,
        message: `line ${index}`,
        created_at: new Date().toISOString(),
      }))
      await t.app.services.database.transaction((db) =>
        db.insertInto('support_replies').values(rows).execute(),
      )
      const full = await author.post(`${TICKETS}/${id}/replies`, { message: 'one more' })
      expect(full.status).toBe(409)
      expect(full.body.code).toBe('ticket_full')
    })
  },
  { SMTP_URL: smtp.url, SUPPORT_EMAIL: 'help@example.com' },
)
