import { execFile } from 'node:child_process'
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkHooks } from '../../src/doors/cli/doctor.ts'
import { put, read, sendWaiting, trimSpool, waitingFiles } from '../../src/doors/cli/hooks/spool.ts'
import { lastRun, takeLock } from '../../src/doors/cli/hooks/state.ts'
import { findProfile } from '../../src/doors/cli/profile.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { repository } from '../support/process.ts'
import { machine, play, type StandIn, standIn } from './stand-in.ts'

let vault: StandIn
let home: string
let project: string
let remove: () => void

beforeEach(async () => {
  vault = await standIn()
  ;({ home, project, remove } = machine(vault))
  writeFileSync(join(project, '.kvault.json'), JSON.stringify({ project_key: 'org/app' }))
})
afterEach(async () => {
  remove()
  await vault.close()
})

async function exchange(prompt: string): Promise<void> {
  const codex = (event: string, payload: object) =>
    play('codex', event, { session_id: 's1', cwd: project, ...payload })
  await codex('UserPromptSubmit', { prompt })
  await codex('Stop', { last_assistant_message: 'done' })
}
const turns = () => vault.asked.filter(({ path }) => path === '/mcp/tools/append_context_turn')
const inputs = () => waitingFiles().map((name) => read(name)?.input as { at?: number } | undefined)

test('the spool is its owner’s alone, and bounded: the oldest go first', async () => {
  for (let at = 0; at < 4; at++)
    put({ url: vault.url, agent: 'codex', input: { at } }, { entries: 3, bytes: 1e6, ageMs: 1e6 })
  expect(inputs().map((input) => input?.at)).toEqual([1, 2, 3])
  expect(statSync(join(home, 'spool')).mode & 0o777).toBe(0o700)
  for (const name of waitingFiles()) expect(statSync(join(home, 'spool', name)).mode & 0o777).toBe(0o600)
  const size = statSync(join(home, 'spool', waitingFiles()[0] ?? '')).size
  trimSpool({ entries: 3, bytes: size * 2, ageMs: 1e6 })
  expect(inputs().map((input) => input?.at)).toEqual([2, 3])
  trimSpool({ entries: 3, bytes: 1e6, ageMs: 1e6 }, Date.now() + 2e6)
  expect(waitingFiles()).toEqual([])
})

test('exchanges that could not be sent are sent later, in order, each once with one key', async () => {
  for (const prompt of ['the first question', 'the second question', 'the third question'])
    await exchange(prompt)
  vault.statuses = [502]
  expect(await sendWaiting()).toBe(0)
  expect(waitingFiles()).toHaveLength(3)
  expect(await sendWaiting()).toBe(3)
  const messages = turns().map(({ body }) => body.user_message)
  expect(messages).toEqual([
    'the first question',
    'the first question',
    'the second question',
    'the third question',
  ])
  const keys = turns().map(({ idempotencyKey }) => idempotencyKey)
  expect(keys[0]).toBe(keys[1])
  expect(new Set(keys).size).toBe(3)
  expect(await sendWaiting()).toBe(0)
})

test("the command of the server's package sends too", async () => {
  await exchange('the first')
  const main = join(repository, 'src', 'doors', 'cli', 'main.ts')
  const env = { KVAULT_HOME: home, KVAULT_URL: vault.url, KVAULT_API_KEY: 'kv_test', PATH: process.env.PATH }
  await promisify(execFile)(process.execPath, [main, 'hook', 'send'], { env })
  expect(turns()).toHaveLength(1)
})

test('two that send at once send each turn once', async () => {
  for (const prompt of ['the first question', 'the second question', 'the third question'])
    await exchange(prompt)
  vault.delayMs = 20
  const counts = await Promise.all([sendWaiting(), sendWaiting(), sendWaiting()])
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3)
  expect(turns().map(({ body }) => body.user_message?.split(' ')[1])).toEqual(['first', 'second', 'third'])
})

test('a turn that the vault refuses is dropped and noted; a key that it refuses stops the sending', async () => {
  await exchange('the first question')
  await exchange('the second question')
  vault.statuses = [401]
  expect(await sendWaiting()).toBe(0)
  expect(waitingFiles()).toHaveLength(2)
  vault.statuses = [422]
  expect(await sendWaiting()).toBe(1)
  expect(waitingFiles()).toEqual([])
  expect(lastRun('codex', 'capture')?.error).toContain('refused')
  await exchange('the third question')
  const issue = { type: 'string_too_long', loc: ['body', 'user_message'], msg: 'Too long', input: null }
  vault.strangers = [{ status: 422, body: JSON.stringify({ detail: [issue] }) }]
  expect([await sendWaiting(), waitingFiles().length]).toEqual([0, 0])
  // The limit of a proxy does not change by waiting, and every later turn would wait behind this one.
  await exchange('the fourth question')
  vault.strangers = [{ status: 413, body: 'Request Entity Too Large' }]
  expect([await sendWaiting(), waitingFiles().length]).toEqual([0, 0])
})

test('turns that the vault has no room for are kept, tried again ever more rarely, and doctor says why', async () => {
  await exchange('the first question')
  await exchange('the second question')
  const minute = 60_000
  let now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  const full = (status: number, code: string) => ({
    status,
    body: JSON.stringify({ detail: `No room: ${code}.`, code }),
  })
  const tries = async (answer: { status: number; body: string }) => {
    vault.strangers = [answer]
    const before = turns().length
    const sent = await sendWaiting()
    return [turns().length - before, sent, waitingFiles().length]
  }
  for (const [answer, pauseMs] of [
    [full(413, 'storage_full'), minute],
    [full(503, 'disk_full'), 2 * minute],
    [full(413, 'storage_full'), 4 * minute],
  ] as const) {
    expect(await tries(answer)).toEqual([1, 0, 2])
    expect((await checkHooks(findProfile())).find(({ what }) => what === 'Waiting')).toMatchObject({
      state: 'fail',
      detail: `2 exchanges are not sent yet, because the vault refuses them: ${JSON.parse(answer.body).detail}`,
    })
    now += pauseMs - 1000
    expect(await tries(full(500, 'unused'))).toEqual([0, 0, 2])
    now += 2000
  }
  for (let doublings = 0; doublings < 8; doublings++) {
    expect((await tries(full(413, 'storage_full')))[0]).toBe(1)
    now += 60 * minute + 1000
  }
  vault.strangers = []
  expect([await sendWaiting(), waitingFiles().length]).toEqual([2, 0])
  // Room again: a new shortage begins with the shortest pause.
  await exchange('the third question')
  expect(await tries(full(413, 'storage_full'))).toEqual([1, 0, 1])
  now += minute + 1000
  vault.strangers = []
  expect(await sendWaiting()).toBe(1)
  vi.restoreAllMocks()
})

test('exchanges wait while something other than the vault answers', async () => {
  await exchange('a question')
  for (const [status, body] of [
    [200, '<h1>Sign in to the network</h1>'],
    [200, ''],
    [200, 'null'],
    [200, '{}'],
    [200, '{"success":false}'],
    [404, '<h1>Not Found</h1>'],
    [404, '{"detail":"Not Found"}'],
    [400, '{"error":"unknown"}'],
    [422, '{"detail":["x"]}'],
  ] as const) {
    vault.strangers = [{ status, body }]
    expect([await sendWaiting(), waitingFiles().length], `${status} ${body}`).toEqual([0, 1])
  }
  expect([await sendWaiting(), waitingFiles().length]).toEqual([1, 0])
})

test('a turn of one vault is sent to no other; a file that is not ours is passed over', async () => {
  put({ url: 'http://127.0.0.1:1', agent: 'codex', input: { user_message: 'theirs' } })
  await exchange('a question for this vault')
  mkdirSync(join(home, 'spool', '000000000000000001-00000000-0000-4000-8000-000000000000.json'))
  writeFileSync(join(home, 'spool', 'notes.txt'), 'mine')
  expect(await sendWaiting()).toBe(1)
  expect(inputs().filter(Boolean)).toEqual([{ user_message: 'theirs' }])
})

test('a turn of one account is sent for no other, whether a profile or the environment says whose it is', async () => {
  const signIn = (profile: object) =>
    writeFileSync(join(home, 'profile.json'), JSON.stringify({ url: vault.url, ...profile }))
  await exchange('a question with the key of the environment')
  vi.stubEnv('KVAULT_API_KEY', '')
  signIn({ apiKey: 'kv_anna', userId: 'anna' })
  await exchange('a question of Anna')
  put({ url: vault.url, agent: 'codex', input: { user_message: 'of an earlier version' } })
  signIn({ apiKey: 'kv_bob', userId: 'bob' })
  await exchange('a question of Bob')
  const sent = async () => {
    vault.asked.length = 0
    await sendWaiting()
    return turns().map(({ key, body }) => [key, body.user_message])
  }
  expect(await sent()).toEqual([['kv_bob', 'a question of Bob']])
  signIn({ apiKey: 'kv_anna_renewed', userId: 'anna' })
  expect(await sent()).toEqual([['kv_anna_renewed', 'a question of Anna']])
  vi.stubEnv('KVAULT_API_KEY', 'kv_other')
  expect(await sent()).toEqual([])
  vi.stubEnv('KVAULT_API_KEY', 'kv_test')
  expect(await sent()).toEqual([['kv_test', 'a question with the key of the environment']])
  // A profile that an earlier version wrote: nobody has signed in since, so the turn is its person's.
  vi.stubEnv('KVAULT_API_KEY', '')
  signIn({ apiKey: 'kv_former' })
  expect(await sent()).toEqual([['kv_former', 'of an earlier version']])
})

test('a lock is held by one; one that was left behind is taken over, a fresh one is not', () => {
  const file = join(project, 'lock')
  const takeIt = () => takeLock(file, 60_000)
  const first = takeIt()
  expect(first?.renew()).toBe(true)
  expect(takeIt()).toBeUndefined()
  const old = new Date(Date.now() - 120_000)
  utimesSync(file, old, old)
  const second = takeIt()
  expect(second?.renew()).toBe(true)
  expect(first?.renew()).toBe(false)
  // Who has lost it does not give away what is somebody else's.
  first?.release()
  expect(takeIt()).toBeUndefined()
  second?.release()
  const third = takeIt()
  expect(third).toBeDefined()
  // Its holder died while the clock was a day ahead.
  const ahead = new Date(Date.now() + DAY_MS)
  utimesSync(file, ahead, ahead)
  expect(takeIt()).toBeDefined()
})
