import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LiveVault, liveVault } from '../support/live.ts'
import { PROGRAM, runKvault } from '../support/process.ts'

const BOSS = 'boss@example.com'
let vault: LiveVault

beforeAll(async () => {
  vault = await liveVault({ ADMIN_EMAILS: BOSS })
})
afterAll(() => vault.close())

/** On the machine of the vault, with its configuration. */
const kvault = (...args: string[]) =>
  runKvault(args, { DATA_DIR: vault.dataDir, BASE_URL: vault.url, ADMIN_EMAILS: BOSS, ENV_FILE: '' })

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test
type Answer = { status: number; body: any }

async function post(path: string, body: unknown, token?: string): Promise<Answer> {
  const answer = await fetch(vault.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, body: text ? JSON.parse(text) : {} }
}

async function get(path: string, token: string): Promise<Answer> {
  const answer = await fetch(vault.url + path, { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, body: await answer.json() }
}

/** The running service looks five times a second for what the command line has revoked. */
const untilAnswered = (status: number, path: string, token: string) =>
  expect.poll(async () => (await get(path, token)).status).toBe(status)

const tokenIn = (text: string) => /\/reset\?token=([\w-]+)/.exec(text)?.[1]
const signIn = (email: string, password: string) => post('/api/v1/auth/login', { email, password })

/** Somebody who registered an address before its admin did. */
async function squatterAt(email: string): Promise<{ token: string; key: string }> {
  const { body } = await post('/api/v1/auth/register', { email, password: 'squatting here' })
  const made = await post('/api/v1/auth/api-keys', { name: 'left behind' }, body.access_token)
  return { token: body.access_token, key: made.body.api_key }
}

test('a grant keeps sessions, keys and password, and says that nobody has proved the address', async () => {
  for (const [email, options] of [
    ['keeper@example.com', []],
    ['vouched@example.com', ['--keep-access']],
  ] as const) {
    const { token, key } = await squatterAt(email)
    const granted = await kvault('admin', 'grant', email, ...options)
    expect(granted).toMatchObject({ code: 0, stdout: `${email} is now service admin.\n` })
    expect(granted.stderr.includes('--take-access')).toBe(options.length === 0)
    for (const credential of [token, key]) expect((await get('/api/v1/auth/me', credential)).status).toBe(200)
    expect((await signIn(email, 'squatting here')).status).toBe(200)
  }
  const both = await kvault('admin', 'grant', BOSS, '--keep-access', '--take-access')
  expect(both).toMatchObject({ code: 2, stdout: '' })
})

test.runIf(process.platform === 'linux').each([
  ['', 200],
  ['n', 200],
  ['y', 401],
])('at a terminal the answer %j decides what the account keeps', async (answer, status) => {
  const email = `asked-${status}-${answer}@example.com`
  const { key } = await squatterAt(email)
  const command = `${process.execPath} ${PROGRAM.kvault} admin grant ${email}`
  const env = { PATH: process.env.PATH, DATA_DIR: vault.dataDir, BASE_URL: vault.url, ENV_FILE: '' }
  const child = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  let shown = ''
  child.stdout.on('data', (chunk) => {
    shown += chunk
    if (shown.includes('[y/N]')) child.stdin.end(`${answer}\n`)
  })
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
  expect(shown).toContain(`Nobody has confirmed ${email}`)
  await untilAnswered(status, '/api/v1/auth/me', key)
  expect(/\/reset\?token=/.test(shown)).toBe(status === 401)
})

test('registering the address of an admin first gives no rights, and ends once the operator takes them', async () => {
  const squatter = await post('/api/v1/auth/register', { email: BOSS, password: 'squatting here' })
  const token = squatter.body.access_token
  expect(squatter.body.user.is_admin).toBe(false)
  expect((await get('/api/v1/admin/audit', token)).status).toBe(403)
  const key = (await post('/api/v1/auth/api-keys', { name: 'left behind' }, token)).body.api_key

  const granted = await kvault('admin', 'grant', '--take-access', BOSS)
  expect(granted).toMatchObject({ code: 0, stderr: '' })
  for (const credential of [token, key]) await untilAnswered(401, '/api/v1/auth/me', credential)
  expect((await signIn(BOSS, 'squatting here')).status).toBe(401)

  const link = { token: tokenIn(granted.stdout), new_password: 'the real boss' }
  expect((await post('/api/v1/auth/password/reset', link)).status).toBe(204)
  const boss = await signIn(BOSS, 'the real boss')
  expect((await get('/api/v1/admin/audit', boss.body.access_token)).status).toBe(200)
})

test('an address without an account gets one; revoking ends the rights at once', async () => {
  const granted = await kvault('admin', 'grant', 'second@example.com')
  expect(granted.stdout).toContain('new account')
  const link = { token: tokenIn(granted.stdout), new_password: 'a new password' }
  expect((await post('/api/v1/auth/password/reset', link)).status).toBe(204)
  const second = (await signIn('second@example.com', 'a new password')).body.access_token
  expect((await get('/api/v1/admin/audit', second)).status).toBe(200)
  expect((await kvault('admin', 'list')).stdout).toContain('second@example.com  granted')
  expect((await kvault('admin', 'revoke', 'second@example.com')).code).toBe(0)
  await untilAnswered(403, '/api/v1/admin/audit', second)
  expect((await kvault('admin', 'revoke', 'second@example.com')).code).toBe(1)
})

test('without mail a reset link comes from the command line', async () => {
  const email = 'forgetful@example.com'
  await post('/api/v1/auth/register', { email, password: 'forgotten soon' })
  const made = await kvault('admin', 'reset-link', email)
  const link = { token: tokenIn(made.stdout), new_password: 'a new password' }
  expect((await post('/api/v1/auth/password/reset', link)).status).toBe(204)
  expect((await signIn(email, 'a new password')).status).toBe(200)
  expect(await kvault('admin', 'reset-link', 'nobody@example.com')).toMatchObject({ code: 1 })
  expect(await kvault('admin', 'grant', 'no address')).toMatchObject({ code: 2 })
})

test('a workspace without an admin gets one of its members', async () => {
  const people = await Promise.all(
    ['maker', 'mate'].map((name) =>
      post('/api/v1/auth/register', { email: `${name}@example.com`, password: 'correct horse' }),
    ),
  )
  const [maker, mate] = people.map(({ body }) => body.access_token)
  const team = await post('/api/v1/workspaces', { name: 'Left alone' }, maker)
  const id = team.body.workspace_id
  await post(`/api/v1/workspaces/${id}/members/by-email`, { email: 'mate@example.com' }, maker)
  const appointed = await kvault('admin', 'appoint', id, 'mate@example.com')
  expect(appointed.stdout).toContain('mate@example.com is now admin of Left alone.')
  expect((await get(`/api/v1/workspaces/${id}`, mate ?? '')).body.role).toBe('admin')
  expect(await kvault('admin', 'appoint', id, 'boss@example.com')).toMatchObject({ code: 1 })
})
