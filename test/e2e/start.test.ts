import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { expect, test, vi } from 'vitest'
import { isFree } from '../support/postgres.ts'
import { INTO_FULL_DISK, repository, spawnServer, untilReady } from '../support/process.ts'
import { describeWhere, NOT_LINUX } from '../support/skips.ts'

const ADMIN = 'boss@example.com'

const post = (baseUrl: string, path: string) =>
  fetch(baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'kept@example.com', password: 'correct horse' }),
  })

/** Only the launcher takes itself for an older Node: what it starts has none of its options. */
const AS_OLDER_NODE = [
  '--import',
  `data:text/javascript,${encodeURIComponent("Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })")}`,
]
const LAUNCHER = join(repository, 'bin', 'kvault.js')
const WAIT = { timeout: 30_000 }
const NO_BROUGHT_NODE = process.platform === 'darwin' ? 'no Node comes as a package for macOS' : undefined

test('npm start brings the service up with nothing configured, and stops cleanly; a restart keeps what was acknowledged', async () => {
  const first = await spawnServer({}, ['npm', 'start', '--silent'])
  await untilReady(first)
  await vi.waitUntil(() => first.output().includes('/docs'), WAIT)
  expect(first.output()).toContain(`Knowledge Vault is up at ${first.baseUrl}`)
  expect(first.output()).not.toMatch(/Warning|admin/)
  expect((await post(first.baseUrl, '/api/v1/auth/register')).status).toBe(201)
  // As a supervisor of services does: the signal goes to npm alone.
  first.child.kill('SIGTERM')
  await vi.waitUntil(() => isFree(Number(new URL(first.baseUrl).port)), WAIT)
  expect(passwordHashes(first.dataDir)).toEqual([
    expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
  ])

  // Also by the command, on an older Node where one is brought along: then the service has a process of its own.
  const command = [...(NO_BROUGHT_NODE ? [] : AS_OLDER_NODE), LAUNCHER, 'start']
  const env = { DATA_DIR: first.dataDir, ADMIN_EMAILS: ADMIN }
  const second = await spawnServer(env, [process.execPath, ...command])
  await untilReady(second)
  expect((await post(second.baseUrl, '/api/v1/auth/login')).status).toBe(200)
  // Where the server sends no mail, it says how to become admin.
  await vi.waitUntil(() => second.output().includes(`kvault.js admin grant ${ADMIN}`), WAIT)
  // A terminal that closes.
  second.child.kill('SIGHUP')
  expect(await second.exited).toBe(0)
  expect(await isFree(Number(new URL(second.baseUrl).port))).toBe(true)
  second.remove()
})

describeWhere('the command on an older Node', NO_BROUGHT_NODE, () => {
  test('the Node that is brought along uses the compile cache too', async () => {
    const env = { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
    const command = spawn(process.execPath, [...AS_OLDER_NODE, LAUNCHER, '--version'], { env })
    const said: string[] = []
    command.stderr.on('data', (part) => said.push(String(part)))
    await once(command, 'close')
    // The launcher reads nothing below src; the process that it starts does.
    expect(said.join('')).toMatch(/cache.*src[\\/]doors[\\/]cli[\\/]main\.ts/)
  })

  test('passes each signal on to the program that it runs by the Node that came as a package', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-e2e-'))
    const program = join(folder, 'program.js')
    const launcher = join(folder, 'launcher.mjs')
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
    const told = signals.map(
      (signal) => `process.on('${signal}', () => process.exit(${signals.indexOf(signal)}))`,
    )
    writeFileSync(program, `${told.join('\n')}\nprocess.stdout.write('up')\nsetInterval(() => {}, 1000)\n`)
    const findNode = pathToFileURL(join(repository, 'bin', 'find-node.js')).href
    writeFileSync(
      launcher,
      `import { runByBroughtNode } from '${findNode}'\nrunByBroughtNode('${program}')\n`,
    )
    for (const signal of signals) {
      const child = spawn(process.execPath, [launcher], { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      child.kill(signal)
      const [code] = await once(child, 'exit')
      expect(code, signal).toBe(signals.indexOf(signal))
    }
    rmSync(folder, { recursive: true, force: true })
  })
})

/** The tests' own servers do less work on passwords; this one must do all of it. */
function passwordHashes(dataDir: string): unknown[] {
  const database = new DatabaseSync(join(dataDir, 'vault.db'), { readOnly: true, timeout: 5000 })
  const rows = database.prepare('select password_hash from users').all()
  database.close()
  return rows.map((row) => row.password_hash)
}

test('a configuration mistake is one clear line and exit code 2', async () => {
  const server = await spawnServer({ SESSION_TTL_DAYS: 'soon', CREDITS: 'maybe' })
  expect(await server.exited).toBe(2)
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('configuration: '))
  expect(lines.map((line) => line.split(':')[1]?.trim())).toEqual(['CREDITS', 'SESSION_TTL_DAYS'])
  server.remove()
})

const linesOf = (output: string) => output.split('\n').filter((line) => line !== '')

test('a port in use is said in one line, and once with many workers, before the database is touched', async () => {
  const blocker = createServer()
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
  const address = blocker.address()
  const port = typeof address === 'object' && address ? address.port : 0
  for (const WORKERS of ['1', '2']) {
    const server = await spawnServer({ PORT: String(port), WORKERS })
    expect(await server.exited).toBe(2)
    expect(linesOf(server.output())).toEqual([`Port ${port} is in use. Set PORT to a free one.`])
    expect(existsSync(join(server.dataDir, 'vault.db'))).toBe(false)
    server.remove()
  }
  blocker.close()
})

test('a data folder that cannot be written is one line, once with many workers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-e2e-'))
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  for (const WORKERS of ['1', '2']) {
    const server = await spawnServer({ DATA_DIR: join(file, 'data'), WORKERS })
    expect(await server.exited).toBe(2)
    expect(linesOf(server.output())).toEqual([
      `${join(file, 'data')} cannot be written (ENOTDIR). Set DATA_DIR to a folder that this user may write to.`,
    ])
  }
  rmSync(folder, { recursive: true, force: true })
})

describeWhere('a log that cannot be written', NOT_LINUX, () => {
  // With many workers: workers.test.ts.
  test('stops neither the service nor its end', async () => {
    const server = await spawnServer({ LOG_LEVEL: 'info' }, INTO_FULL_DISK)
    await untilReady(server)
    for (let i = 0; i < 20; i++) expect((await fetch(`${server.baseUrl}/api/v1/auth/me`)).status).toBe(401)
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    server.remove()
  })
})

test('a reader that leaves ends neither the service nor the reason why it ended with a stack', async () => {
  const run = (script: string): Promise<string> =>
    new Promise((resolve) => {
      const child = spawn('bash', ['-c', script], {
        cwd: repository,
        env: { PATH: process.env.PATH, PORT: '0', ENV_FILE: '', DATA_DIR: '/dev/null/data', WORKERS: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
      child.once('close', () => resolve(output))
    })
  expect(await run(`'${process.execPath}' bin/serve.js 2>&1 | true; echo "\${PIPESTATUS[0]}"`)).toBe('2\n')
})
