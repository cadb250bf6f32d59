import { existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeAdmin } from '../../../test/support/admin.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { dropOrphanedUploads } from './tickets.ts'

const TICKETS = '/api/v1/support/tickets'
const MIB = 1024 * 1024
const FIELDS = { email: 'dev@example.com', subject: 'It does not start', message: 'Port 8080 is in use.' }

type File = { name: string; content: Buffer | string; type?: string }

async function send(t: TestVault, form: Record<string, string>, files: File[] = [], headers = {}) {
  const data = new FormData()
  for (const [name, value] of Object.entries(form)) data.append(name, value)
  for (const { name, content, type } of files) {
    data.append('attachments', new Blob([content], type ? { type } : {}), name)
  }
  const encoded = new Response(data)
  const answer = await t.app.server.inject({
    method: 'POST',
    url: TICKETS,
    headers: { 'content-type': encoded.headers.get('content-type') ?? '', ...headers },
    payload: Buffer.from(await encoded.arrayBuffer()),
  })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}

const secret = `AK${'IA'}${'Z7Q2'.repeat(4)}`

const stored = (t: TestVault) => {
  const folder = join(t.vault.dataDir, 'tickets')
  return existsSync(folder) ? readdirSync(folder) : []
}

onBothEngines('support tickets', (t) => {
  test('anybody may open one; secrets are taken out', async () => {
    const answer = await send(t, { ...FIELDS, message: `My key ${secret} leaks`, category: 'bug' })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      ticket_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'open',
      created_at: expect.stringMatching(/Z$/),
    })
    const ticket = await (await administrator()).get(`${TICKETS}/${answer.body.ticket_id}`)
    expect(ticket.body).toMatchObject({ email: FIELDS.email, category: 'bug', attachments: [] })
    expect(ticket.body.message).not.toContain(secret)
    expect(stored(t)).not.toContain(answer.body.ticket_id)
  })

  test('a category that says nothing is "other"', async () => {
    const admin = await administrator()
    for (const category of ['', ' ', '\u0007']) {
      const { ticket_id } = (await send(t, { ...FIELDS, category })).body
      expect((await admin.get(`${TICKETS}/${ticket_id}`)).body.category).toBe('other')
    }
  })

  test('attachments are kept under our own names, and only administrators see them', async () => {
    const answer = await send(t, FIELDS, [
      { name: '../../etc/passwd', content: 'harmless', type: 'text/plain' },
      { name: 'grün x.html', content: '<script>alert(1)</script>', type: 'text/html' },
      { name: `${secret}.txt`, content: 'log', type: 'text/plain' },
      { name: `${'a'.repeat(189)} ${secret}.txt`, content: 'log', type: 'text/plain' },
    ])
    const { ticket_id } = answer.body
    const folder = join(t.vault.dataDir, 'tickets', ticket_id)
    expect(readdirSync(folder)).toHaveLength(4)
    for (const name of readdirSync(folder)) {
      expect(name).toMatch(/^[0-9a-f-]{36}$/)
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    }
    const admin = await administrator()
    const ticket = await admin.get(`${TICKETS}/${ticket_id}`)
    expect(ticket.body.attachments.map((file: { file_name: string }) => file.file_name)).toEqual([
      'passwd',
      'grün x.html',
      '<AWS_ACCESS_KEY>.txt',
      `${'a'.repeat(189)} <AWS_ACCES`,
    ])
    const url = ticket.body.attachments[1].url
    const file = await admin.get(url)
    expect(file.text).toBe('<script>alert(1)</script>')
    expect(file.headers['content-type']).toBe('application/octet-stream')
    expect(file.headers['content-disposition']).toContain('attachment')
    const capitals = url.replace(/[0-9a-f-]{36}/g, (id: string) => id.toUpperCase())
    expect((await admin.get(capitals)).text).toBe(file.text)
    const unknown = crypto.randomUUID()
    expect((await admin.get(`${TICKETS}/${ticket_id}/attachments/${unknown}`)).status).toBe(404)
    const person = await t.user()
    for (const [path, field] of [
      [`${TICKETS}/xyz/attachments/${unknown}`, 'ticket_id'],
      [`${TICKETS}/${ticket_id}/attachments/1`, 'attachment_id'],
    ]) {
      const refused = await person.get(String(path))
      expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['path', field]])
    }
    for (const path of [TICKETS, `${TICKETS}/${ticket_id}`, url]) {
      expect((await person.get(path)).status).toBe(403)
      expect((await t.anonymous().get(path)).status).toBe(401)
    }
    expect((await person.post(`${TICKETS}/${ticket_id}/close`)).status).toBe(403)
  })

  test('a ticket of somebody signed in knows the account', async () => {
    const person = await t.user()
    const answer = await send(t, FIELDS, [], { authorization: `Bearer ${person.token}` })
    const ticket = await (await administrator()).get(`${TICKETS}/${answer.body.ticket_id}`)
    expect(ticket.body.user_id).toBe(person.userId)
  })

  test('a form on the page of somebody whose session has ended is refused, not taken from a stranger', async () => {
    const [person, other] = [await t.user(), await t.user()]
    const page = { 'x-requested-with': 'kvault-web', 'x-session-user': person.userId }
    const ended = { ...page, cookie: 'kv_session=kvs_ended' }
    for (const headers of [page, ended]) expect((await send(t, FIELDS, [], headers)).status).toBe(401)
    const changed = await send(t, FIELDS, [], { ...page, cookie: `kv_session=${other.token}` })
    expect([changed.status, changed.body.code]).toEqual([401, 'session_changed'])
    const opened = await send(t, FIELDS, [], { ...page, cookie: `kv_session=${person.token}` })
    expect(opened.status).toBe(200)
    const { 'x-session-user': _, ...stranger } = ended
    expect((await send(t, FIELDS, [], stranger)).status).toBe(200)
  })

  test('a ticket carries the plan of its author, and better plans come first in the list', async () => {
    const category = crypto.randomUUID()
    const open = async (headers: Record<string, string>) =>
      (await send(t, { ...FIELDS, category }, [], headers)).body.ticket_id as string
    const onPlan = async (plan: string | null) => {
      const person = await t.user()
      if (plan) await person.post('/api/v1/billing/simulate-upgrade', { plan_id: plan })
      t.later(1000)
      return open({ authorization: `Bearer ${person.token}` })
    }
    const team = await onPlan('team')
    const pro = await onPlan('pro')
    const free = await onPlan(null)
    t.later(1000)
    const nobody = await open({})
    const laterPro = await onPlan('pro')
    const admin = await administrator()
    const { body } = await admin.get(`${TICKETS}?page_size=100&status=open`)
    const listed = body.items.filter((ticket: { category: string }) => ticket.category === category)
    expect(listed.map((one: { ticket_id: string; plan: string }) => [one.ticket_id, one.plan])).toEqual([
      [team, 'team'],
      [laterPro, 'pro'],
      [pro, 'pro'],
      [nobody, null],
      [free, 'free'],
    ])
    for (const { ticket_id } of listed) await admin.post(`${TICKETS}/${ticket_id}/close`)
  })

  test('a form that is sent again with its Idempotency-Key opens one ticket; another form is refused', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const files = [{ name: 'log.txt', content: 'first line' }]
    const before = stored(t).length
    const first = await send(t, FIELDS, files, headers)
    const again = await send(t, FIELDS, files, headers)
    expect(again).toMatchObject({ status: 200, body: first.body })
    expect(again.headers['idempotency-replayed']).toBe('true')
    const otherFile = await send(t, FIELDS, [{ name: 'log.txt', content: 'other text' }], headers)
    const otherText = await send(t, { ...FIELDS, subject: 'Another' }, files, headers)
    for (const refused of [otherFile, otherText]) {
      expect(refused).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
    }
    expect(stored(t)).toHaveLength(before + 1)
    const { body } = await (await administrator()).get(`${TICKETS}?page_size=100`)
    const opened = body.items.filter(
      (ticket: { ticket_id: string }) => ticket.ticket_id === first.body.ticket_id,
    )
    expect(opened).toHaveLength(1)
  })

  test('two forms with one key at the same moment open one ticket', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const before = stored(t).length
    const answers = await Promise.all(
      [1, 2, 3].map(() => send(t, FIELDS, [{ name: 'a.txt', content: 'same' }], headers)),
    )
    expect(new Set(answers.map((answer) => answer.body.ticket_id)).size).toBe(1)
    expect(stored(t)).toHaveLength(before + 1)
  })

  test('administrators list by state and close', async () => {
    const admin = await administrator()
    const { ticket_id } = (await send(t, FIELDS)).body
    const open = await admin.get(`${TICKETS}?status=open&page_size=100`)
    expect(open.body.items[0].ticket_id).toBe(ticket_id)
    expect(open.body.total).toBe(open.body.items.length)
    const closed = await admin.post(`${TICKETS}/${ticket_id}/close`)
    expect(closed.body).toMatchObject({ status: 'closed', closed_at: expect.any(String) })
    const again = await admin.post(`${TICKETS}/${ticket_id}/close`)
    expect(again.body).toEqual(closed.body)
    const ids = (await admin.get(`${TICKETS}?status=closed`)).body.items
    expect(ids.map((one: { ticket_id: string }) => one.ticket_id)).toContain(ticket_id)
    expect((await admin.get(`${TICKETS}/01890000-0000-7000-8000-000000000000`)).status).toBe(404)
  })

  describe('refusals keep nothing', () => {
    test('six attachments, or one of more than 10 MiB: 413', async () => {
      const before = stored(t)
      const six = Array.from({ length: 6 }, (_, i) => ({ name: `${i}.txt`, content: 'x' }))
      expect((await send(t, FIELDS, six)).body.code).toBe('payload_too_large')
      const big = [{ name: 'big.bin', content: Buffer.alloc(10 * MIB + 1) }]
      const answer = await send(t, FIELDS, big)
      expect(answer.status).toBe(413)
      expect(stored(t)).toEqual(before)
    })

    // The database hears of files only when they are there, so their sizes matter to one engine as to the other.
    if (t.engine === 'sqlite') testLargeFiles(t)

    test.each([
      [{ ...FIELDS, email: 'nobody' }, 'email'],
      [{ email: FIELDS.email, subject: FIELDS.subject }, 'message'],
      [{ ...FIELDS, subject: 'x'.repeat(201) }, 'subject'],
      [{ ...FIELDS, subject: '  ' }, 'subject'],
      [{ ...FIELDS, subject: '\u0007' }, 'subject'],
      [{ ...FIELDS, message: '\u0007 \u0001' }, 'message'],
      [{ ...FIELDS, message: 'x'.repeat(20_001) }, 'message'],
      [{ ...FIELDS, message: 'x'.repeat(200_000) }, 'message'],
      [{ ...FIELDS, category: 'x'.repeat(51) }, 'category'],
    ])('bad fields: 422 (case %#)', async (form, field) => {
      const before = stored(t)
      const answer = await send(t, form as Record<string, string>, [{ name: 'a.txt', content: 'x' }])
      expect(answer.status).toBe(422)
      expect(answer.body.detail[0].loc).toEqual(['body', field])
      expect(stored(t)).toEqual(before)
    })

    test('JSON, and a form that breaks off', async () => {
      expect((await t.anonymous().post(TICKETS, FIELDS)).status).toBe(415)
      const before = stored(t)
      const answer = await t.app.server.inject({
        method: 'POST',
        url: TICKETS,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        payload:
          '--x\r\nContent-Disposition: form-data; name="attachments"; filename="a"\r\n\r\nhalf of the content',
      })
      expect(answer.statusCode).toBe(400)
      expect(stored(t)).toEqual(before)
    })
  })

  test('a ticket whose commit happened although its answer was lost keeps its files', async () => {
    const admin = await administrator()
    const before = stored(t)
    const { database } = t.app.services
    const lost = new Error('the connection broke during the commit')
    const commit = database.transaction
    const losing: typeof commit = async (fn, options) => {
      await commit(fn, options)
      throw lost
    }
    const spies = [
      vi.spyOn(database, 'transaction').mockImplementation(losing),
      vi.spyOn(database, 'isUnavailable').mockImplementation((error) => error === lost),
    ]
    const restore = () => {
      for (const spy of spies) spy.mockRestore()
    }
    onTestFinished(restore)
    expect((await send(t, FIELDS, [{ name: 'log.txt', content: 'log' }])).status).toBe(503)
    restore()
    const [folder = ''] = stored(t).filter((name) => !before.includes(name))
    const { attachments } = (await admin.get(`${TICKETS}/${folder}`)).body
    expect(attachments).toHaveLength(1)
    expect(readdirSync(join(t.vault.dataDir, 'tickets', folder))).toEqual([attachments[0].attachment_id])
  })

  test('files that a crash left are removed an hour later, and not before', async () => {
    const folder = join(t.vault.dataDir, 'tickets', '01890000-0000-7000-8000-00000000dead')
    mkdirSync(folder, { recursive: true })
    const kept = stored(t).filter((name) => !folder.endsWith(name))
    await dropOrphanedUploads(t.app.services)
    expect(existsSync(folder)).toBe(true)
    const old = new Date(t.app.services.now().getTime() - 2 * 3_600_000)
    utimesSync(folder, old, old)
    await dropOrphanedUploads(t.app.services)
    expect(stored(t).sort()).toEqual(kept.sort())
  })

  let made: Awaited<ReturnType<TestVault['user']>> | undefined
  async function administrator() {
    if (made) return made
    const answer = await t.anonymous().post('/api/v1/auth/register', {
      email: 'admin@example.com',
      password: 'correct horse battery',
    })
    await makeAdmin(t.app, 'admin@example.com')
    const { clientOf } = await import('../../../test/support/client.ts')
    const token = answer.body.access_token
    made = {
      ...clientOf(t.app, { authorization: `Bearer ${token}` }),
      userId: answer.body.user.user_id,
      email: 'admin@example.com',
      workspaceId: '',
      token,
    }
    return made
  }
})

const smtp = await startSmtp()
afterAll(() => smtp.stop())

onBothEngines(
  'support by mail',
  (t) => {
    test('gets each new ticket, without secrets, and can answer from there', async () => {
      const secret = `AK${'IA'}${'Z7Q2'.repeat(4)}`
      const subject = `Help on ${t.engine}`
      await send(t, { ...FIELDS, subject, message: `My key ${secret} leaks` }, [
        { name: 'a.log', content: 'x' },
      ])
      const mail = await smtp.mailTo('support@example.com', `[ticket] ${subject}`)
      expect(mail.text).toContain('From dev@example.com')
      expect(mail.text).toContain('a.log (1 bytes)')
      expect(mail.text).toContain('mailto:dev%40example.com')
      expect(mail.raw).not.toContain(secret)
    })
  },
  { SUPPORT_EMAIL: 'Support <support@example.com>', SMTP_URL: smtp.url },
)

function testLargeFiles(t: TestVault): void {
  test('five of exactly 10 MiB are taken', async () => {
    const five = Array.from({ length: 5 }, (_, i) => ({ name: `${i}.bin`, content: Buffer.alloc(10 * MIB) }))
    expect((await send(t, FIELDS, five)).status).toBe(200)
  })

  test('an endless upload is cut off early; a declared length over the limit before anything is read', async () => {
    const before = stored(t)
    const address = new URL(await t.app.server.listen({ host: '127.0.0.1', port: 0 }))
    const sent = await pour(address, 1024 * MIB)
    expect(sent.status === 413 || sent.status === null).toBe(true)
    expect(sent.bytes).toBeLessThan(200 * MIB)
    expect(stored(t)).toEqual(before)
    expect((await t.anonymous().get('/health')).status).toBe(200)
    const declared = await pour(address, 1024 * MIB, { 'content-length': String(1024 * MIB) })
    expect(declared.bytes).toBeLessThan(20 * MIB)
  })
}

/** Sends an attachment that does not end, until the server has had enough. */
function pour(address: URL, most: number, headers: Record<string, string> = {}) {
  return new Promise<{ status: number | null; bytes: number }>((resolve) => {
    let bytes = 0
    let status: number | null = null
    const chunk = Buffer.alloc(64 * 1024)
    const request = httpRequest(
      {
        host: address.hostname,
        port: address.port,
        path: TICKETS,
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=x', ...headers },
      },
      (response) => {
        status = response.statusCode ?? null
        response.resume()
        response.on('end', () => request.destroy())
      },
    )
    let over = false
    request.on('close', () => {
      over = true
      resolve({ status, bytes })
    })
    request.on('error', () => {})
    request.write('--x\r\nContent-Disposition: form-data; name="attachments"; filename="a"\r\n\r\n')
    const pump = () => {
      while (!over && bytes < most) {
        bytes += chunk.length
        if (!request.write(chunk)) {
          request.once('drain', pump)
          return
        }
      }
      if (!over) request.end()
    }
    pump()
  })
}
