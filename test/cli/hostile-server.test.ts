import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type CommandResult, runKvault } from '../support/process.ts'

/** Moves the terminal, if it gets there. */
const ESCAPES = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e'

let home: string
let server: Server
let url: string
let answers: Record<string, unknown> = {}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  server = createServer(({ url: path = '' }, response) => {
    const answer = answers[path.split('?', 1)[0] ?? '']
    response.writeHead(answer === undefined ? 404 : path === '/register' ? 201 : 200, {
      'content-type': 'application/json',
    })
    response.end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(home, { recursive: true, force: true })
})
beforeEach(() => rmSync(join(home, 'opened'), { force: true }))

const environment = () => ({ HOME: home, KVAULT_HOME: join(home, 'kvault'), KVAULT_URL: url })

const kvault = (args: string[], env: Record<string, string> = {}): Promise<CommandResult> =>
  runKvault(args, { ...environment(), ...env }, { cwd: home })

/** A browser that notes what it was opened with. */
function noteOpened(): string {
  const browser = join(home, 'browser.sh')
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > "${join(home, 'opened')}"\n`)
  chmodSync(browser, 0o700)
  return browser
}

test('a server cannot make the command open anything but a page for signing in', async () => {
  const BROWSER = noteOpened()
  const pages = {
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    revocation_endpoint: `${url}/revoke`,
  }
  for (const [name, address] of [
    ['authorization_endpoint', 'file:///usr/bin/calculator'],
    ['authorization_endpoint', 'search-ms:query=x&crumb=location:elsewhere'],
    ['authorization_endpoint', '-e'],
    ['authorization_endpoint', 7],
    ['token_endpoint', 'ftp://elsewhere.example/token'],
    ['registration_endpoint', undefined],
  ] as const) {
    answers = {
      '/.well-known/oauth-authorization-server': { issuer: url, ...pages, [name]: address },
      '/register': { client_id: 'x' },
    }
    const { code, stderr } = await kvault(['login'], { BROWSER })
    expect(code, String(address)).toBe(1)
    expect(stderr).toContain('for signing in. It must be an https address')
    expect(existsSync(join(home, 'opened'))).toBe(false)
  }
})

test('ids of a server reach the terminal without control characters', async () => {
  const draft = { draft_id: ESCAPES, title: 'Title', looks_like: null }
  answers = { '/api/v1/drafts': { items: [draft], total: 1 } }
  const { code, stdout } = await kvault(['drafts'], { KVAULT_API_KEY: 'kv_none' })
  expect(code).toBe(0)
  expect(stdout).toContain(']0;owned[2J31m')
  expect(stdout).toMatch(/^[\n -~]*$/)
})

test('neither names of a repository nor refusals of a server move the terminal by standard error', async () => {
  const folder = join(home, `web${ESCAPES}`)
  mkdirSync(folder)
  for (const name of ['package-lock.json', '.kvault.json']) writeFileSync(join(folder, name), 'broken')
  const connection = { client: 'codex', url, file: '', before: null, digest: '', apiKey: 'kv_a', keyId: 'a' }
  mkdirSync(join(home, 'kvault', 'connections'), { recursive: true })
  writeFileSync(join(home, 'kvault', 'connections', 'codex.json'), JSON.stringify(connection))
  const card = crypto.randomUUID()
  answers = {
    '/api/v1/cards/cites': { items: [] },
    [`/api/v1/cards/${card}`]: { title: 'Title', cites: [] },
    '/api/v1/auth/api-keys/current': { detail: ESCAPES },
  }
  const key = { KVAULT_API_KEY: 'kv_none' }
  for (const [args, cwd] of [
    [['check', '.'], home],
    [['verify-card', card, '--worked'], home],
    [['hooks'], folder],
    [['disconnect', '--yes'], home],
  ] as const) {
    const { stderr } = await runKvault([...args], { ...environment(), ...key }, { cwd })
    expect(stderr, args[0]).toContain(']0;owned[2J31m')
    expect(stderr, args[0]).toMatch(/^[\n -~]*$/)
  }
})
