import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runKvault } from '../support/process.ts'

const ID = '0b9c2f9e-6f0e-7c7a-9b1e-2f8f6a1c0d3e'

/** What a portal of a network, or another service at the address, may answer to everything. */
const BODIES = [
  '{}',
  '[]',
  'null',
  '5',
  '{"data":{}}',
  '{"data":null}',
  '{"data":{"items":[{}],"results":[{}],"recent_events":[{}]},"items":[{}],"results":[{}]}',
  '{"items":null,"detail":["x"],"name":"Welcome","card_id":"x","environment":null}',
]

const COMMANDS = [
  ['search', 'x'],
  ['show', ID],
  ['share', ID],
  ['share', ID, '--workspace', ID],
  ['record', '--title', 'T', '--symptom', 'S', '--fix', 'F'],
  ['drafts'],
  ['drafts', 'show', ID],
  ['drafts', 'accept', ID],
  ['drafts', 'dismiss', ID],
  ['context', 'web'],
  ['workspaces'],
  ['allow-workspace', ID, '--yes'],
  ['check', '.'],
  ['verify-card', ID, '--worked'],
  ['report', ID, '--kind', 'wrong'],
  ['login', '--key', 'kv_any'],
  ['login', '--email', 'a@example.com', '--password-stdin'],
]

let home: string
let server: Server
let url: string
let answer = { status: 200, body: '' }

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  // With versions to send, the search goes another way.
  mkdirSync(join(home, 'locked'))
  const lock = { lockfileVersion: 3, packages: { '': {}, 'node_modules/vite': { version: '7.0.0' } } }
  writeFileSync(join(home, 'locked', 'package-lock.json'), JSON.stringify(lock))
  server = createServer((_, response) => response.writeHead(answer.status).end(answer.body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(home, { recursive: true, force: true })
})

test('a service that answers everything with some JSON is said to be no vault, in one line', async () => {
  for (const status of [200, 201])
    for (const body of status === 200 ? BODIES : BODIES.slice(-2)) {
      answer = { status, body }
      for (const args of [...COMMANDS, ['search', 'vite build']]) {
        const env = {
          HOME: home,
          KVAULT_HOME: join(home, 'kvault'),
          KVAULT_URL: url,
          KVAULT_API_KEY: 'kv_any',
        }
        const terminal = { cwd: join(home, 'locked'), input: 'password\n' }
        const { code, stdout, stderr } = await runKvault(args, env, terminal)
        const asked = `${args.join(' ')} → ${status} ${body}`
        expect(code, `${asked}: ${stdout}${stderr}`).not.toBe(0)
        expect(stdout, asked).toBe('')
        expect(stderr, asked).toBe(
          `${url} does not answer as a vault does. Check the address, and whether your network wants a sign-in first.\n`,
        )
      }
    }
})

test('a refusal in an unknown form is one line too', async () => {
  for (const body of ['{"detail":["x",null,{"loc":5}]}', '{"detail":{}}', '[]', 'null', '<h1>Busy</h1>']) {
    answer = { status: 422, body }
    const env = { HOME: home, KVAULT_HOME: join(home, 'kvault'), KVAULT_URL: url, KVAULT_API_KEY: 'kv_any' }
    const { code, stderr } = await runKvault(['search', 'x'], env, { cwd: home })
    expect([code, stderr.split('\n').length], body).toEqual([1, 2])
  }
})
