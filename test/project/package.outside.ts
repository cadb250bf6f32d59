import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/postgres.ts'
import { repository } from '../support/process.ts'

// The server as somebody installs it: packed, installed from the registry's packages, started by its command.

const BUILT = join(repository, 'packages', 'built')
let folder: string

/** The Node and npm of this machine, not those that the checkout brings. */
const path = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((one) => !one.includes('node_modules'))
  .join(delimiter)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-installed-'))
  execFileSync('npm', ['run', 'package', '--silent'], { cwd: repository, stdio: 'inherit' })
  const [tarball = ''] = readdirSync(BUILT).filter((name) => /^knowledge-vault-.*\.tgz$/.test(name))
  const flags = ['--global', '--prefix', join(folder, 'prefix'), '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...flags, join(BUILT, tarball)], {
    cwd: folder,
    env: { ...process.env, PATH: path },
  })
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if ((await fetch(`${url}/health/ready`).catch(() => undefined))?.ok) return
    await sleep(100)
  }
  throw new Error(`${url} is not ready after 30 s`)
}

test('it starts under node_modules, keeps its data in the own folder of the person, and hands out the command', async () => {
  const home = join(folder, 'home')
  mkdirSync(home)
  const port = await freePort()
  const env = { PATH: path, HOME: home, PORT: String(port), WORKERS: '2', LOG_LEVEL: 'warn' }
  const command = join(folder, 'prefix', 'bin', 'knowledge-vault')
  const child = spawn(command, ['start'], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const url = `http://127.0.0.1:${port}`
  await untilReady(url)
  for (const address of ['/kvault.tgz', '/guide/cli', '/docs', '/openapi.json'])
    expect((await fetch(url + address)).status, address).toBe(200)
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('<div id="root">')
  child.kill('SIGTERM')
  await ended
  expect(output).toContain(`Knowledge Vault is up at ${url}`)
  expect(existsSync(join(home, '.local', 'share', 'knowledge-vault', 'vault.db'))).toBe(true)
  const listed = execFileSync(command, ['verify', '--json'], { env, encoding: 'utf8' })
  expect(JSON.parse(listed).every(({ findings }: { findings: string[] }) => findings.length === 0)).toBe(true)
})

test('the checkout itself is no package, and says how to make one', () => {
  const run = () =>
    execFileSync('npm', ['pack', '--dry-run'], { cwd: repository, stdio: 'pipe', encoding: 'utf8' })
  expect(run).toThrow('npm run package')
})
