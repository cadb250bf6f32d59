import { Socket } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { startSmtp } from '../../test/support/smtp.ts'
import { smtpMail } from './mail.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const transport = smtpMail({
  url: smtp.url,
  from: 'Co: Vault, Ltd. <vault@example.com>',
  baseUrl: 'https://vault.example.com',
})
const MAIL = {
  id: 'mail-1',
  to: 'guest@example.com',
  subject: 'Grüße',
  text: 'Hello\n.\nQUIT',
  html: '<p>Hello</p>',
}

test('a mail arrives whole, with its own Message-ID', async () => {
  expect(await transport.send(MAIL)).toEqual({ outcome: 'accepted' })
  expect(smtp.mails[0]).toMatchObject({
    subject: 'Grüße',
    messageId: '<mail-1@vault.example.com>',
    from: { name: 'Co: Vault, Ltd.', address: 'vault@example.com' },
    envelope: { from: 'vault@example.com', to: ['guest@example.com'] },
  })
  expect(smtp.mails[0]?.text?.trim()).toBe('Hello\n.\nQUIT')
})

test('the server has ten minutes to accept a mail', async () => {
  const limits = vi.spyOn(Socket.prototype, 'setTimeout')
  await transport.send(MAIL)
  const given = limits.mock.calls.map(([ms]) => ms)
  limits.mockRestore()
  expect(Math.max(...given)).toBe(10 * 60_000)
})

test('line breaks in subject and address reach no header and no command', async () => {
  smtp.mails.length = 0
  await transport.send({ ...MAIL, subject: 'Hello\r\nBcc: victim@example.com\r\n\r\nbody' })
  await transport.send({ ...MAIL, to: 'guest@example.com\r\nRCPT TO:<victim@example.com>' })
  await transport.send({ ...MAIL, to: 'guest@example.com>, <victim@example.com' })
  await transport.send({ ...MAIL, to: 'guest@example.com, victim@example.com' })
  for (const received of smtp.mails) {
    expect(received.envelope.to).not.toContain('victim@example.com')
    expect(received.headers.map(({ key }) => key)).not.toContain('bcc')
  }
})

test('a refusal for good, a refusal for now and a dead server are told apart', async () => {
  smtp.refuse.set('gone@example.com', 550).set('full@example.com', 452)
  expect((await transport.send({ ...MAIL, to: 'gone@example.com' })).outcome).toBe('refused')
  expect(await transport.send({ ...MAIL, to: 'full@example.com' })).toMatchObject({
    outcome: 'failed',
    serverDown: false,
  })
  // Settings of the operator: every mail would be lost until they are right.
  const waits = { outcome: 'failed', serverDown: true }
  smtp.refuse.set('login@example.com', 530).set('vault@example.com', 550)
  expect(await transport.send({ ...MAIL, to: 'login@example.com' })).toMatchObject(waits)
  expect(await transport.send(MAIL), 'the sender is refused').toMatchObject(waits)
  await smtp.stop()
  expect(await transport.send(MAIL)).toMatchObject({ outcome: 'failed', serverDown: true })
})
