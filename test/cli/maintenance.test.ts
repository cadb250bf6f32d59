import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repository, type ServerProcess, spawnServer, untilReady } from '../support/process.ts'

let server: ServerProcess
let folder: string

beforeAll(async () => {
  server = await spawnServer()
  await untilReady(server)
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-maintenance-'))
  await fetch(`${server.baseUrl}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'keeper@example.com', password: 'correct horse' }),
  })
})
afterAll(async () => {
  await server.stop()
  server.remove()
  rmSync(folder, { recursive: true, force: true })
})

function kvault(
  args: string[],
  dataDir: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [join(repository, 'bin', 'kvault.js'), ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, ENV_FILE: '' },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

test('a running vault is backed up, restored elsewhere, verified and served again', async () => {
  const file = join(folder, 'vault.kvbackup')
  const backup = await kvault(['backup', file], server.dataDir)
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  expect(backup.stdout).toContain('checked')
  expect((await kvault(['verify', file], folder)).stdout).toContain('whole')
  expect((await kvault(['backup', file], server.dataDir)).stderr).toContain('exists already')

  const target = join(folder, 'restored')
  expect((await kvault(['restore', file], target)).code).toBe(0)
  expect((await kvault(['restore', file], target)).stderr).toContain('not empty')
  expect(await kvault(['verify'], target)).toMatchObject({ code: 0, stderr: '' })
  expect((await kvault(['reindex'], target)).stdout).toContain('Indexed 0 cards')

  const second = await spawnServer({ DATA_DIR: target })
  await untilReady(second)
  const login = await fetch(`${second.baseUrl}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'keeper@example.com', password: 'correct horse' }),
  })
  expect(login.status).toBe(200)
  await second.stop()

  truncateSync(file, statSync(file).size - 20)
  const damaged = await kvault(['verify', file], folder)
  expect(damaged.code).toBe(1)
  expect(damaged.stderr).toMatch(/^The backup .*\n$/)
}, 180_000)
