import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { clientOf } from '../support/client.ts'
import { makeVault } from '../support/engines.ts'
import { type LiveVault, liveVault, registerPerson } from '../support/live.ts'
import { freePort } from '../support/postgres.ts'
import { PROGRAM, runKvault, spawnKvault } from '../support/process.ts'
import { describeWhere } from '../support/skips.ts'
import { mountSmallDisk, NO_SMALL_DISK } from '../support/small-disk.ts'

let vault: LiveVault
let folder: string

beforeAll(async () => {
  vault = await liveVault()
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-maintenance-'))
  await registerPerson(vault, 'keeper@example.com')
})
afterAll(async () => {
  await vault.close()
  rmSync(folder, { recursive: true, force: true })
})

const kvault = (args: string[], dataDir: string) => runKvault(args, { DATA_DIR: dataDir, ENV_FILE: '' })

test('a running vault is backed up, restored elsewhere, verified and served again', async () => {
  const file = join(folder, 'vault.kvbackup')
  const backup = await kvault(['backup', file], vault.dataDir)
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  expect(backup.stdout).toContain('checked')
  expect((await kvault(['verify', file], folder)).stdout).toContain('whole')
  const asJson = JSON.parse((await kvault(['verify', file, '--json'], folder)).stdout)
  expect(asJson).toMatchObject({ file, tables: expect.any(Object) })
  expect((await kvault(['backup', file], vault.dataDir)).stderr).toContain('exists already')

  const target = join(folder, 'restored')
  expect((await kvault(['restore', file], target)).code).toBe(0)
  expect((await kvault(['restore', file], target)).stderr).toContain('not empty')
  const other = join(folder, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'secret.key'), 'of another vault')
  expect(await kvault(['restore', file], other)).toMatchObject({
    code: 1,
    stderr: `${other} already has a secret.key of another vault. Nothing was changed. Set DATA_DIR to a new folder.\n`,
  })
  expect(readdirSync(other)).toEqual(['secret.key'])
  expect(await kvault(['verify'], target)).toMatchObject({ code: 0, stderr: '' })
  expect((await kvault(['reindex'], target)).stdout).toContain('Indexed 0 cards')

  const second = await buildApp(readConfig({ DATA_DIR: target, LOG_LEVEL: 'silent' }))
  const login = await clientOf(second, {}).post('/api/v1/auth/login', {
    email: 'keeper@example.com',
    password: 'correct horse battery',
  })
  expect(login.status).toBe(200)
  await second.close()

  truncateSync(file, statSync(file).size - 20)
  const damaged = await kvault(['verify', file], folder)
  expect(damaged.code).toBe(1)
  expect(damaged.stderr).toMatch(/^The backup .*\n$/)
}, 180_000)

test('a folder without a vault is refused, and no vault is made in it', async () => {
  const typo = join(folder, 'typo')
  const commands = [
    ['verify'],
    ['rescan', '--dry-run'],
    ['admin', 'grant', 'boss@example.com'],
    ['backup', join(folder, 'typo.kvbackup')],
  ]
  const answers = await Promise.all(commands.map((command) => kvault(command, typo)))
  for (const answer of answers)
    expect(answer).toMatchObject({
      code: 2,
      stderr: `${typo} has no vault: there is no vault.db in it. Set DATA_DIR to the folder of the vault.\n`,
    })
  expect(existsSync(typo)).toBe(false)
  expect(existsSync(join(folder, 'typo.kvbackup'))).toBe(false)
}, 60_000)

test('a folder that cannot be read is not called one without a vault', async () => {
  // Root reads every folder, so the reason here is a link to itself.
  const loop = join(folder, 'loop')
  symlinkSync(loop, loop)
  const answer = await kvault(['verify'], loop)
  expect(answer).toMatchObject({
    code: 2,
    stderr: `${join(loop, 'vault.db')} cannot be read (ELOOP). Run the command as the user of the service, with its DATA_DIR.\n`,
  })
})

test('a database that cannot be opened is named with the reason, by a backup too', async () => {
  // Root opens every file, so the reason here is a folder of that name.
  const unreadable = join(folder, 'unreadable')
  const file = join(folder, 'of-unreadable.kvbackup')
  mkdirSync(join(unreadable, 'vault.db'), { recursive: true })
  for (const args of [['verify'], ['backup', file]])
    expect(await kvault(args, unreadable), args[0]).toMatchObject({
      code: 1,
      stderr: `${join(unreadable, 'vault.db')} cannot be used: it is a folder (EISDIR).\n`,
    })
  expect(existsSync(file) || existsSync(`${file}.partial`)).toBe(false)
})

const SERVER_COMMANDS = [
  ['verify'],
  ['reindex'],
  ['rescan', '--dry-run'],
  ['admin', 'list'],
  ['backup', 'never.kvbackup'],
  ['rotate-library-key'],
]

/** The first is started as an operator does: its process must end. */
const onDatabase = (args: string[], DATABASE_URL: string) =>
  (args === SERVER_COMMANDS[0] ? spawnKvault : runKvault)(args, {
    DATABASE_URL,
    DATA_DIR: join(folder, 'files'),
    ENV_FILE: '',
  })

test('a database that cannot be used is one line that names DATABASE_URL, for every command', async () => {
  const address = `127.0.0.1:${await freePort()}/cards`
  for (const command of SERVER_COMMANDS)
    expect(await onDatabase(command, `postgres://vault:hidden@${address}`), command.join(' ')).toEqual({
      code: 2,
      stdout: '',
      stderr: `The database at ${address} cannot be used: nothing listens there. Check DATABASE_URL.\n`,
    })
}, 60_000)

test('a database without a vault is refused and stays empty, and one that goes away is one line', async () => {
  const other = await makeVault('postgres', {}, { isEmpty: true })
  try {
    const url = other.env.DATABASE_URL ?? ''
    for (const command of SERVER_COMMANDS)
      expect(await onDatabase(command, url), command.join(' ')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^The database has no vault yet\. Check DATA_DIR and DATABASE_URL.*\n$/,
        ),
      })
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query("select 1 from pg_tables where schemaname = 'public'")
    expect(rows).toEqual([])
    // The tables of another program. A restore that is refused leaves nothing that a backup would take for a vault.
    await client.query('create table users (id integer)')
    const ofOther = join(folder, 'for-other.kvbackup')
    expect((await kvault(['backup', ofOther], vault.dataDir)).code).toBe(0)
    expect(await onDatabase(['restore', ofOther], url)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'The database has a table "users" of another program. Give the vault a database of its own: check DATABASE_URL and DATA_DIR.\n',
    })
    expect((await onDatabase(['backup', join(folder, 'never.kvbackup')], url)).stderr).toContain(
      'no vault yet',
    )
    await client.query('drop table users')
    // A database that goes away in the middle: while the restore waits for a table that we are making.
    await client.query('begin; create table schema_migrations (name text)')
    const file = join(folder, 'interrupted.kvbackup')
    expect((await kvault(['backup', file], vault.dataDir)).code).toBe(0)
    const restoring = onDatabase(['restore', file], url)
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    const watcher = new pg.Client({ connectionString: url })
    await watcher.connect()
    await vi.waitUntil(async () => (await watcher.query(end)).rowCount, { timeout: 10_000 })
    await watcher.end()
    expect(await restoring).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The database went away: .*\. Run the command again when it is back\.\n$/,
      ),
    })
    await client.end()
  } finally {
    await other.remove()
  }
}, 60_000)

test('a backup says that it lacks the secret, unless SECRET_KEY sets it', async () => {
  const dataDir = join(folder, 'no-secret')
  mkdirSync(dataDir)
  copyFileSync(join(folder, 'restored', 'vault.db'), join(dataDir, 'vault.db'))
  const without = await kvault(['backup', join(folder, 'no-secret.kvbackup')], dataDir)
  expect(without).toMatchObject({ code: 0, stderr: 'missing on disk: secret.key\n' })
  const settings = { DATA_DIR: dataDir, SECRET_KEY: 's'.repeat(32), ENV_FILE: '' }
  const set = await runKvault(['backup', join(folder, 'secret-set.kvbackup')], settings)
  expect(set).toMatchObject({ code: 0, stderr: '' })
}, 60_000)

test('a backup that is missing or damaged leaves nothing behind', async () => {
  const target = join(folder, 'never')
  const missing = await kvault(['restore', '/nosuchfile'], target)
  expect(missing).toMatchObject({
    code: 2,
    stderr: '/nosuchfile cannot be read: it does not exist (ENOENT).\n',
  })
  const damaged = join(folder, 'damaged.kvbackup')
  writeFileSync(damaged, 'no backup')
  expect(await kvault(['restore', damaged], target)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The backup is damaged or cut short .*\n$/),
  })
  expect(existsSync(target)).toBe(false)
  const nowhere = await kvault(['backup', join(folder, 'none', 'a.kvbackup')], vault.dataDir)
  expect(nowhere).toMatchObject({
    code: 1,
    stderr: `There is no folder ${join(folder, 'none')} for the backup. Make it first.\n`,
  })
  const killed = join(folder, 'killed.kvbackup')
  writeFileSync(`${killed}.partial`, 'half')
  expect(await kvault(['backup', killed], vault.dataDir)).toMatchObject({
    code: 1,
    stderr: `Another backup is writing ${killed}.partial, or one was killed. Remove the file if none runs.\n`,
  })
}, 60_000)

test('a damaged database is named by every command, with what to do, and a backup of it leaves no file', async () => {
  const damaged = join(folder, 'damaged-vault')
  const file = join(folder, 'of-damaged.kvbackup')
  mkdirSync(damaged)
  writeFileSync(join(damaged, 'vault.db'), 'This was a database. '.repeat(300))
  for (const args of [['verify'], ['backup', file], ['admin', 'list']])
    expect(await kvault(args, damaged), args[0]).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The database .*vault\.db is damaged \(.*\)\. Keep the file, .*\n$/),
    })
  expect(existsSync(file) || existsSync(`${file}.partial`)).toBe(false)
})

const disk = mountSmallDisk(1)

describeWhere('a full disk', disk ? undefined : NO_SMALL_DISK, () => {
  test('is said with the file that had no room, and no half backup stays', async () => {
    const whole = join(folder, 'for-a-full-disk.kvbackup')
    expect((await kvault(['backup', whole], vault.dataDir)).code).toBe(0)
    const room = join(disk ?? '', 'filler')
    writeFileSync(room, Buffer.alloc(1024 * 1024 - 4096))
    const file = join(disk ?? '', 'a.kvbackup')
    expect(await kvault(['backup', file], vault.dataDir)).toMatchObject({
      code: 1,
      stderr: `${file} cannot be used: the disk is full (ENOSPC).\n`,
    })
    expect(readdirSync(disk ?? '')).toEqual(['filler'])
    expect(await kvault(['restore', whole], join(disk ?? '', 'vault'))).toMatchObject({
      code: 1,
      stderr: 'The database in DATA_DIR cannot be written: database or disk is full.\n',
    })
  })
})

test('a rescan whose reader goes away ends quietly', async () => {
  const env = { PATH: process.env.PATH, DATA_DIR: vault.dataDir, ENV_FILE: '' }
  const child = spawn(process.execPath, [PROGRAM.kvault, 'rescan', '--dry-run'], { env })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect([code, stderr]).toEqual([0, ''])
}, 60_000)
