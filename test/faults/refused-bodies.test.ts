import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LiveVault, liveVault, registerPerson } from '../support/live.ts'

const MIB = 1024 * 1024

let vault: LiveVault
let authorization: string
beforeAll(async () => {
  vault = await liveVault({}, { shedding: false })
  authorization = `Bearer ${(await registerPerson(vault)).token}`
})
afterAll(() => vault.close())

type Sent = { answer: string; bytes: number; wasCut: boolean }

/** As Python's http.client does it: sends all of the body before it reads a byte of the answer. */
function sendThenRead(path: string, bytes: number, framing: 'length' | 'chunks'): Promise<Sent> {
  const { hostname, port } = new URL(vault.url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    const sent: Sent = { answer: '', bytes: 0, wasCut: false }
    const piece = Buffer.alloc(64 * 1024, 'x')
    const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
    socket.pause()
    const pour = () => {
      while (sent.bytes < bytes) {
        sent.bytes += piece.length
        if (!socket.write(framing === 'length' ? piece : chunk)) return socket.once('drain', pour)
      }
      if (framing === 'chunks') socket.write('0\r\n\r\n')
      socket.on('data', (data) => {
        sent.answer += data
        if (sent.answer.includes('}')) socket.destroy()
      })
      socket.resume()
    }
    socket.on('error', () => (sent.wasCut = true))
    socket.on('close', () => resolve(sent))
    const size = framing === 'length' ? `Content-Length: ${bytes}` : 'Transfer-Encoding: chunked'
    const head = [
      `Host: ${hostname}:${port}`,
      `Authorization: ${authorization}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      size,
    ]
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
    pour()
  })
}

test.each([
  ['/api/v1/workspaces', 'length'],
  ['/api/v1/workspaces', 'chunks'],
  ['/mcp/tools/record_card', 'length'],
  ['/mcp', 'chunks'],
] as const)(
  'a body too large for %s (by %s) is answered 413, also if the client sends it all first',
  async (path, framing) => {
    const { answer, wasCut } = await sendThenRead(path, 24 * MIB, framing)
    expect(wasCut).toBe(false)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toContain('"code":"payload_too_large"')
    expect(answer.toLowerCase()).not.toContain('connection: close')
  },
)

test('the ordinary client sees the 413, and its connection serves the next request', async () => {
  const body = JSON.stringify({ name: 'x'.repeat(8 * MIB) })
  const headers = { authorization, 'content-type': 'application/json' }
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${vault.url}/api/v1/workspaces`, { method: 'POST', headers, body })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large' })
  }
  expect((await fetch(`${vault.url}/api/v1/workspaces`, { headers })).status).toBe(200)
})

test('an endless body is read to a bound only', async () => {
  const { bytes } = await sendThenRead('/api/v1/workspaces', 1024 * MIB, 'chunks')
  expect(bytes).toBeLessThan(200 * MIB)
  expect((await fetch(`${vault.url}/health`)).status).toBe(200)
})
