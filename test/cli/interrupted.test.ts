import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PROGRAM } from '../support/process.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Makes and deletes keys. It is silent at /mcp, and says so when it is asked there. */
async function silentVault(askedAtMcp: () => void) {
  const deleted: unknown[] = []
  const server = createServer((request, answer) => {
    if (request.url?.startsWith('/mcp')) return askedAtMcp()
    if (request.method === 'DELETE') deleted.push(request.headers['x-api-key'])
    answer.writeHead(request.method === 'DELETE' ? 204 : 201)
    answer.end(request.method === 'DELETE' ? '' : '{"api_key": "kv_new", "key_id": "key-1"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, deleted, close }
}

test('Ctrl+C while connect tries the entry takes back the key and the entry', async () => {
  let interrupt = () => {}
  const vault = await silentVault(() => interrupt())
  const file = join(home, '.claude.json')
  writeFileSync(file, '{"theme": "dark"}')
  const args = ['connect', 'claude-code', '--yes', '--key', 'kv_given', '--url', vault.url]
  const child = spawn(process.execPath, [PROGRAM.kvault, ...args], {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  interrupt = () => child.kill('SIGINT')
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  vault.close()
  expect([code, said]).toEqual([1, 'Stopped.\n'])
  expect(vault.deleted).toEqual(['kv_new'])
  expect(readFileSync(file, 'utf8')).toBe('{"theme": "dark"}')
})

test('a command in a folder that is gone says so', () => {
  const gone = join(home, 'gone')
  mkdirSync(gone)
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'rmdir "$PWD" && exec "$0" "$1" context', process.execPath, PROGRAM.kvault],
    {
      cwd: gone,
      env: { PATH: process.env.PATH, HOME: home },
      encoding: 'utf8',
    },
  )
  expect([status, stderr]).toEqual([1, 'The folder you are in is gone. Go to another one.\n'])
})
