import type { Logger } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines, QUICK_HASHING, type TestVault } from '../../../test/support/engines.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { type App, buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { contextFor } from '../../core/context.ts'
import { MAX_SILENCE_MS } from '../../shared/time.ts'
import { answerResetRequests } from '../identity/email-links.ts'
import { MAX_TRIES, sendDueMails, tidyOutbox, waitAfter } from './sender.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const never = new AbortController().signal
const DAY_MS = 24 * 3_600_000

const send = (app: App) => sendDueMails(contextFor(app.services), never)

onBothEngines('the outbox', (t: TestVault) => {
  /** A second and a third process on the same database, that send only when told. */
  let app: App
  let other: App
  let offsetMs = 0
  const now = () => new Date(Date.now() + offsetMs)
  const startProcess = (env: Record<string, string> = {}, log?: Logger) =>
    buildApp(readConfig({ ...t.vault.env, SMTP_URL: smtp.url, ...env }), {
      jobs: [],
      now,
      passwordHashing: QUICK_HASHING,
      ...(log ? { log } : {}),
    })

  beforeAll(async () => {
    app = await startProcess()
    other = await startProcess()
  })
  afterAll(async () => {
    await smtp.start()
    await app.close()
    await other.close()
  })
  beforeEach(async () => {
    await smtp.start()
    smtp.refuse.clear()
    smtp.mails.length = 0
    // What earlier tests have left waiting is not this test's mail.
    await app.services.database.transaction((db) => db.deleteFrom('outbox').execute())
  })

  const rows = (at: App = app) =>
    at.services.database.read.selectFrom('outbox').selectAll().orderBy('mail_id').execute()
  const onlyRow = async () => {
    const [row, ...more] = await rows()
    expect(more).toEqual([])
    if (!row) throw new Error('the outbox is empty')
    return row
  }

  async function admin(name = 'Admin', workspace = 'Backend team') {
    const { token } = await t.user(`${t.engine}-admin`)
    const client = clientOf(app, { authorization: `Bearer ${token}` })
    await app.services.database.transaction((db) =>
      db.updateTable('users').set({ display_name: name }).execute(),
    )
    const { workspace_id } = (await client.post('/api/v1/workspaces', { name: workspace })).body
    return { ...client, invites: `/api/v1/workspaces/${workspace_id}/invites` }
  }

  test('an invitation arrives as text and HTML with a link to BASE_URL', async () => {
    const client = await admin()
    const invited = await client.post(client.invites, { email: 'guest@example.com', role: 'editor' })
    expect(invited.body.email_sent).toBe(true)
    await send(app)
    expect(smtp.mails).toHaveLength(1)
    const [mail] = smtp.mails
    expect(mail?.envelope.to).toEqual(['guest@example.com'])
    expect(mail?.subject).toBe('Admin invites you to Backend team')
    expect(mail?.from).toMatchObject({ name: 'Knowledge Vault', address: 'no-reply@localhost' })
    for (const body of [mail?.text, mail?.html]) {
      expect(body).toContain(invited.body.invite_url)
      expect(body).toContain('editor')
    }
    expect(invited.body.invite_url).toContain(app.services.config.baseUrl)
  })

  test('an invitation is dated in the language of an account, and says why it comes to a person with notifications off', async () => {
    const client = await admin()
    const { email, token } = await t.user(`${t.engine}-invited`)
    const guest = clientOf(app, { authorization: `Bearer ${token}` })
    const { invite } = (await client.post(client.invites, { email })).body
    await send(app)
    expect(smtp.mails[0]?.text).not.toContain('notifications')
    expect(smtp.mails[0]?.text).toMatch(/until \w+ \d+, \d{4}/)
    await guest.put('/api/v1/user/settings', { language: 'de', email_notifications: false })
    await client.post(`${client.invites}/${invite.invite_id}/resend`)
    await send(app)
    expect(smtp.mails).toHaveLength(2)
    expect(smtp.mails[1]?.text).toMatch(/until \d+\. \S+ \d{4} um \d\d:\d\d UTC/)
    expect(smtp.mails[1]?.html).toContain('<span lang="de">')
    expect(smtp.mails[1]?.text).toContain('turned e-mail notifications off')
    expect(smtp.mails[1]?.text).toContain('To stop mails about it, decline it in the app under Workspaces')
  })

  test('a mail that a person asked for comes even with notifications off', async () => {
    const { email, token } = await t.user(`${t.engine}-quiet`)
    const quiet = clientOf(app, { authorization: `Bearer ${token}` })
    await quiet.put('/api/v1/user/settings', { language: 'fr', email_notifications: false })
    await clientOf(app, {}).post('/api/v1/auth/password/reset-request', { email })
    // A job writes the mail, so that the time of the answer tells nothing.
    await answerResetRequests(contextFor(app.services), never)
    await send(app)
    expect(smtp.mails.map((mail) => mail.subject)).toEqual(['Choose a new password'])
    expect(smtp.mails[0]?.html).toContain('<span lang="fr">')
  })

  test('a waiting mail does not show its link, and a sent one has no body any more', async () => {
    const client = await admin()
    const { token } = (await client.post(client.invites, { email: 'guest@example.com' })).body
    const waiting = await onlyRow()
    expect(waiting.status).toBe('pending')
    expect(JSON.stringify(waiting)).not.toContain(token)
    await send(app)
    expect(await onlyRow()).toMatchObject({ status: 'sent', text_body: '', html_body: '', attempts: 1 })
  })

  test('a server that is down is tried again later and later, until it is back', async () => {
    const client = await admin()
    await smtp.stop()
    await client.post(client.invites, { email: 'guest@example.com' })
    await send(app)
    const first = await onlyRow()
    expect(first).toMatchObject({ status: 'pending', attempts: 1, claimed_until: null })
    expect(first.last_error).not.toBeNull()
    await send(app)
    expect((await onlyRow()).attempts).toBe(1)
    offsetMs += waitAfter(1)
    await send(app)
    expect((await onlyRow()).attempts).toBe(2)
    await smtp.start()
    offsetMs += waitAfter(2)
    await send(app)
    expect((await onlyRow()).status).toBe('sent')
    expect(smtp.mails).toHaveLength(1)
  })

  test('after the last try a mail has failed, and its link is gone', async () => {
    const client = await admin()
    await smtp.stop()
    await client.post(client.invites, { email: 'guest@example.com' })
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      await send(app)
      offsetMs += waitAfter(tries)
    }
    expect(await onlyRow()).toMatchObject({ status: 'failed', attempts: MAX_TRIES, text_body: '' })
    await smtp.start()
    offsetMs += DAY_MS
    await send(app)
    expect(smtp.mails).toEqual([])
  })

  test('an address that the server refuses for good is not tried again, and holds up nobody', async () => {
    const client = await admin()
    smtp.refuse.set('gone@example.com', 550).set('full@example.com', 452)
    for (const name of ['gone', 'full', 'fine'])
      await client.post(client.invites, { email: `${name}@example.com` })
    await send(app)
    const outcome = Object.fromEntries((await rows()).map((row) => [row.to_address, row.status]))
    expect(outcome).toEqual({
      'gone@example.com': 'failed',
      'full@example.com': 'pending',
      'fine@example.com': 'sent',
    })
  })

  test('the log says why a mail was not delivered, without the address that servers repeat', async () => {
    const client = await admin()
    smtp.refuse.set('Gone+a@example.com', 550)
    await client.post(client.invites, { email: 'Gone+a@example.com' })
    const warn = vi.spyOn(app.services.log, 'warn')
    try {
      await send(app)
      const [line] = warn.mock.calls.map(([details]) => JSON.stringify(details))
      expect(line).toMatch(/550.*turned away/)
      expect(line).not.toContain('gone')
    } finally {
      warn.mockRestore()
    }
  })

  test('a mail that its server is slow to accept is sent by no other process', async () => {
    const client = await admin()
    const accepted = Promise.withResolvers<void>()
    smtp.accept.after = accepted.promise
    await client.post(client.invites, { email: 'guest@example.com' })
    const sending = send(app)
    await smtp.mailTo('guest@example.com')
    offsetMs += MAX_SILENCE_MS + 60_000
    await send(other)
    accepted.resolve()
    await sending
    expect(await onlyRow()).toMatchObject({ status: 'sent', attempts: 1 })
    expect(smtp.mails).toHaveLength(1)
  })

  test('two processes that send at once send each mail once', async () => {
    const client = await admin()
    const addresses = Array.from({ length: 12 }, (_, index) => `guest-${index}@example.com`)
    for (const email of addresses) await client.post(client.invites, { email })
    await Promise.all([send(app), send(other), send(app), send(other)])
    expect(smtp.mails.map((mail) => mail.envelope.to[0]).sort()).toEqual(addresses.sort())
    expect((await rows()).every((row) => row.status === 'sent' && row.attempts === 1)).toBe(true)
  })

  /** The database goes away when the mail server has taken a mail, and is back after some tries. */
  const awayAfterSending = (tries: number, onTry = () => {}) => {
    const { adapters, database } = app.services
    const { mail } = adapters
    if (!mail) throw new Error('no mail')
    const away = new Error('the database is away')
    let left = 0
    const flaky: typeof database = {
      ...database,
      transaction: (fn, options) => {
        if (left === 0) return database.transaction(fn, options)
        left--
        onTry()
        return Promise.reject(away)
      },
      isUnavailable: (error) => error === away,
    }
    const sending = async (message: Parameters<typeof mail.send>[0]) => {
      const delivery = await mail.send(message)
      left = tries
      return delivery
    }
    return contextFor({
      ...app.services,
      database: flaky,
      adapters: { ...adapters, mail: { ...mail, send: sending } },
    })
  }

  test('a mail that was accepted while the database went away is noted as sent when it is back', async () => {
    const client = await admin()
    await client.post(client.invites, { email: 'guest@example.com' })
    await sendDueMails(awayAfterSending(2), never, {}, { pauseMs: 0 })
    expect(await onlyRow()).toMatchObject({ status: 'sent', attempts: 1 })
    offsetMs += DAY_MS
    await send(other)
    expect(smtp.mails).toHaveLength(1)
  })

  test('that is given up when another process may claim the mail, and at a stop', async () => {
    const client = await admin()
    await client.post(client.invites, { email: 'guest@example.com' })
    let tries = 0
    const later = awayAfterSending(99, () => {
      tries++
      offsetMs += MAX_SILENCE_MS
    })
    await expect(sendDueMails(later, never, {}, { pauseMs: 0 })).rejects.toThrow('away')
    expect(tries).toBeLessThan(10)
    tries = 0
    const stopping = new AbortController()
    const stopped = awayAfterSending(99, () => {
      tries++
      stopping.abort()
    })
    await expect(sendDueMails(stopped, stopping.signal)).rejects.toThrow('away')
    expect(tries).toBe(1)
  })

  test('a process that dies after the server took the mail leaves a copy with the same Message-ID', async () => {
    const client = await admin()
    await client.post(client.invites, { email: 'guest@example.com' })
    const { mail } = app.services.adapters
    if (!mail) throw new Error('no mail')
    const dying = {
      ...app.services,
      adapters: {
        ...app.services.adapters,
        mail: {
          ...mail,
          send: async (message: Parameters<typeof mail.send>[0]) => {
            await mail.send(message)
            throw new Error('the process dies here')
          },
        },
      },
    }
    await expect(sendDueMails(contextFor(dying), never)).rejects.toThrow('dies')
    await send(other)
    expect(smtp.mails).toHaveLength(1)
    offsetMs += 16 * 60_000
    await send(other)
    expect(smtp.mails).toHaveLength(2)
    expect(smtp.mails[1]?.messageId).toBe(smtp.mails[0]?.messageId)
    expect((await onlyRow()).status).toBe('sent')
  })

  test('sending again takes back the mail that still waits; only the newest link goes out', async () => {
    const client = await admin()
    const first = (await client.post(client.invites, { email: 'guest@example.com' })).body
    await client.post(`${client.invites}/${first.invite.invite_id}/resend`)
    const last = (await client.post(client.invites, { email: 'guest@example.com' })).body
    await send(app)
    await send(other)
    expect(smtp.mails).toHaveLength(1)
    expect(smtp.mails[0]?.text).toContain(last.token)
    expect((await rows()).map((row) => row.status).sort()).toEqual(['cancelled', 'cancelled', 'sent'])
    await client.post(`${client.invites}/${first.invite.invite_id}/resend`)
    await send(app)
    expect(smtp.mails).toHaveLength(2)
  })

  test('a revoked invitation is not mailed', async () => {
    const client = await admin()
    const { invite } = (await client.post(client.invites, { email: 'guest@example.com' })).body
    await client.delete(`${client.invites}/${invite.invite_id}`)
    await send(app)
    expect(smtp.mails).toEqual([])
    expect(await onlyRow()).toMatchObject({ status: 'cancelled', text_body: '', html_body: '' })
  })

  test('names with line breaks and markup stay what they are: names', async () => {
    const client = await admin(
      'Mallory\r\nBcc: victim@example.com',
      'Team\r\nX-Injected: yes\r\n\r\n<script>alert(1)</script>',
    )
    await client.post(client.invites, { email: 'guest@example.com' })
    await send(app)
    const [mail] = smtp.mails
    expect(mail?.envelope.to).toEqual(['guest@example.com'])
    const headers = mail?.headers.map(({ key }) => key) ?? []
    expect(headers).not.toContain('bcc')
    expect(headers).not.toContain('x-injected')
    expect(mail?.html).not.toContain('<script>')
  })

  test('a mail sealed under another SECRET_KEY is left to the process that has it', async () => {
    const client = await admin()
    await client.post(client.invites, { email: 'guest@example.com' })
    const stranger = { ...contextFor(app.services), secret: 'another secret that opens nothing here' }
    await sendDueMails(stranger, never)
    expect(await onlyRow()).toMatchObject({ status: 'pending', attempts: 0 })
    await send(app)
    expect(smtp.mails).toHaveLength(1)
  })

  test('a mail whose SECRET_KEY is lost is warned of, and given up after a week', async () => {
    const client = await admin()
    await client.post(client.invites, { email: 'guest@example.com' })
    const stranger = { ...contextFor(app.services), secret: 'another secret that opens nothing here' }
    const log = { ...stranger.log, warn: vi.fn() } as unknown as Logger
    const { warn } = log
    const tidyAfter = (ms: number) => {
      offsetMs += ms
      return tidyOutbox({ ...stranger, log })
    }
    await tidyAfter(6 * DAY_MS)
    expect(warn).toHaveBeenCalledTimes(1)
    expect((await onlyRow()).status).toBe('pending')
    await tidyAfter(2 * DAY_MS)
    expect(warn).toHaveBeenCalledTimes(1)
    expect(await onlyRow()).toMatchObject({ status: 'failed', text_body: '', html_body: '' })
  })

  test('a mail that has waited for more than a week is given up: its links have ended', async () => {
    const client = await admin()
    await client.post(client.invites, { email: 'guest@example.com' })
    offsetMs += 8 * DAY_MS
    await send(app)
    expect(smtp.mails).toEqual([])
    const silent = await startProcess({ SMTP_URL: '' })
    await tidyOutbox(contextFor(silent.services))
    await silent.close()
    expect(await onlyRow()).toMatchObject({
      status: 'failed',
      last_error: 'It waited too long',
      text_body: '',
    })
  })

  test('a mail that cannot be looked at again holds up no other, and is given up after some tries', async () => {
    const client = await admin()
    await client.post(client.invites, { email: 'first@example.com' })
    await client.post(client.invites, { email: 'second@example.com' })
    const kind = (await rows())[0]?.state_key.split(':', 1)[0] ?? ''
    const lookAgain = {
      [kind]: async (_: unknown, mail: { to: string; subject: string; text: string; html: string }) => {
        if (mail.to === 'first@example.com') throw new Error('no such team')
        return mail
      },
    }
    await sendDueMails(contextFor(app.services), never, lookAgain)
    expect(smtp.mails.map((mail) => mail.envelope.to)).toEqual([['second@example.com']])
    for (let tries = 1; tries < MAX_TRIES; tries++) {
      offsetMs += waitAfter(tries)
      await sendDueMails(contextFor(app.services), never, lookAgain)
    }
    const first = (await rows()).find((row) => row.to_address === 'first@example.com')
    expect(first).toMatchObject({ status: 'failed', attempts: MAX_TRIES, last_error: 'no such team' })
  })

  test('nothing of a request that failed is mailed', async () => {
    const client = await admin()
    await client.post(client.invites, { email: 'guest@example.com', role: 'owner' })
    await client.post(client.invites, { email: 'guest@example.com' }, { 'idempotency-key': 'k'.repeat(300) })
    expect(await rows()).toEqual([])
  })
})

onBothEngines(
  'the mail job',
  (t) => {
    test('a mail is sent right after its cause is committed', async () => {
      const user = await t.user(`${t.engine}-owner`)
      const { workspace_id } = (await user.post('/api/v1/workspaces', { name: 'team' })).body
      const email = `${t.engine}-guest@example.com`
      const { token } = (await user.post(`/api/v1/workspaces/${workspace_id}/invites`, { email })).body
      expect((await smtp.mailTo(email)).text).toContain(token)
    })

    test('a mail that its server is slow to accept holds up nobody else, and is sent once', async () => {
      const user = await t.user(`${t.engine}-owner`)
      const { workspace_id } = (await user.post('/api/v1/workspaces', { name: 'team' })).body
      const slow = `${t.engine}-slow@example.com`
      const accepted = Promise.withResolvers<void>()
      smtp.accept.after = accepted.promise
      await user.post(`/api/v1/workspaces/${workspace_id}/invites`, { email: slow })
      await smtp.mailTo(slow)
      smtp.accept.after = Promise.resolve()
      for (const count of [1, 2]) {
        await t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
        await smtp.mailTo(user.email, 'Choose a new password', count)
      }
      accepted.resolve()
      await expect
        .poll(() =>
          t.app.services.database.read
            .selectFrom('outbox')
            .select('status')
            .where('status', '=', 'pending')
            .execute(),
        )
        .toEqual([])
      expect(smtp.mails.filter(({ envelope }) => envelope.to.includes(slow))).toHaveLength(1)
    })
  },
  { SMTP_URL: smtp.url },
)
