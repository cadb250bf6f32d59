import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { installed } from '../support/outside.ts'
import { consent } from './consent.ts'

let vault: LiveVault
let person: Person
let home: string
let child: ChildProcess | undefined

beforeAll(async () => {
  vault = await liveVault()
  person = await registerPerson(vault)
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-remote-'))
})
afterAll(async () => {
  child?.kill()
  await vault.close()
  rmSync(home, { recursive: true, force: true })
})

/** Starts it as a client does that only knows standard input and output. No browser opens: there is none in its PATH. */
function start(address: string): {
  started: ChildProcess
  page: Promise<URL>
  ask: (message: object) => Promise<unknown>
} {
  const program = installed('suites', 'mcp-remote', 'dist', 'proxy.js')
  const started = spawn(process.execPath, [program, address, '--allow-http'], {
    cwd: home,
    env: { PATH: home, HOME: home, MCP_REMOTE_CONFIG_DIR: join(home, 'auth') },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const answers = new Map<number, (message: unknown) => void>()
  createInterface({ input: started.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    answers.get(message.id)?.(message.result ?? message.error)
  })
  const page = new Promise<URL>((resolve) => {
    let address = ''
    createInterface({ input: started.stderr }).on('line', (line) => {
      address = /(http:\/\/\S+\/oauth\/authorize\?\S+)/.exec(line)?.[1] ?? address
      if (line.includes('Waiting for authorization')) resolve(new URL(address))
    })
  })
  let id = 0
  const ask = (message: object) =>
    new Promise((resolve) => {
      id += 1
      answers.set(id, resolve)
      started.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`)
    })
  return { started, page, ask }
}

test('mcp-remote signs in at localhost and passes tools on', async () => {
  const { started, page, ask } = start(`${vault.url.replace('127.0.0.1', 'localhost')}/mcp`)
  child = started
  const hello = ask({
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })
  const asked = await page
  expect(asked.hostname).toBe('localhost')
  expect((await fetch(await consent(asked, person.token))).status).toBe(200)
  expect(await hello).toMatchObject({ serverInfo: { name: 'knowledge-vault' } })
  expect(JSON.stringify(await ask({ method: 'tools/list' }))).toContain('search_records')
})
