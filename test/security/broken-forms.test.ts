import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LiveVault, liveVault } from '../support/live.ts'

let vault: LiveVault
beforeAll(async () => {
  vault = await liveVault()
})
afterAll(() => vault.close())

/** Sends bytes as they are and hangs up after them, or waits for the answer. */
function sendRaw(body: string, hangUp: boolean): Promise<string> {
  const { hostname, port } = new URL(vault.url)
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => {
      const head = `POST /api/v1/support/tickets HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${body.length + (hangUp ? 100 : 0)}\r\n\r\n`
      socket.write(head + body)
      if (hangUp) setTimeout(() => socket.destroy(), 5)
    })
    socket.on('data', (chunk) => (answer += chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
  })
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])

const part = (name: string, content: string, file = '') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${file ? `; filename="${file}"` : ''}\r\n\r\n${content}\r\n`

const FORM = `${part('email', 'a@example.com')}${part('subject', 'S')}${part('message', 'M')}${part('attachments', 'some text', 'a.txt')}--x--\r\n`

// Errors that nobody listens for end the process; vitest reports them as errors of the whole test.
test('a form that breaks off anywhere, with or without its sender, ends nothing but itself', async () => {
  for (let end = 0; end < FORM.length; end += 3) {
    const [told] = await Promise.all([sendRaw(FORM.slice(0, end), false), sendRaw(FORM.slice(0, end), true)])
    expect([400, 422], FORM.slice(0, end)).toContain(statusOf(told))
  }
  expect(statusOf(await sendRaw(FORM, false))).toBe(200)
})

test('too many parts of any kind are refused, also where the form then breaks off', async () => {
  const floods = [
    part('a', '1'),
    part('a', '1', 'f'),
    '--x\r\n\r\n\r\n',
    '--x\r\nContent-Disposition: other\r\n\r\n1\r\n',
    '--x\r\n',
  ]
  for (const flood of floods)
    for (const ending of ['', '--x--\r\n', '--x\r\nContent-Dis']) {
      const answer = await sendRaw(flood.repeat(5000) + ending, false)
      // A client that goes on sending after a refusal may be cut off before it has read the answer.
      if (answer !== '') expect([400, 413], JSON.stringify(flood)).toContain(statusOf(answer))
    }
  expect((await fetch(`${vault.url}/health`)).status).toBe(200)
})
