import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fastFolder } from '../test/support/fast-folder.ts'
import { freePort, type PostgresServer, startPostgres } from '../test/support/postgres.ts'
import { PROGRAM } from '../test/support/process.ts'
import { describeWhere, NOT_LINUX } from '../test/support/skips.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { explainStart } from './start-errors.ts'
import { withChosenPort } from './startup.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(fastFolder(), 'knowledge-vault-start-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the program says when it starts with these settings. */
async function saidAtStart(env: Record<string, string>): Promise<string> {
  const config = readConfig({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent', PORT: '0', ...env })
  try {
    const app = await buildApp(config, { jobs: [] })
    try {
      await app.server.listen({ host: config.host, port: config.port })
    } finally {
      await app.close()
    }
    return 'started'
  } catch (error) {
    const { message, exitCode } = explainStart(error as Error)
    return exitCode === 2 ? message : `exit code ${exitCode}: ${message}`
  }
}

const PASSWORD = ['not', 'to', 'be', 'shown'].join('-')
const cannotBeUsed = (address: string, reason: string, variable = 'DATABASE_URL') =>
  `The database at ${address} cannot be used: ${reason}. Check ${variable}.`

test('a database that cannot be reached is one line without the password', async () => {
  const port = await freePort()
  for (const [hostAndPort, address, reason] of [
    [`127.0.0.1:${port}`, `127.0.0.1:${port}`, 'nothing listens there'],
    [`localhost:${port}`, `localhost:${port}`, 'nothing listens there'],
    ['vault.invalid', 'vault.invalid:5432', 'this host is unknown'],
  ])
    expect(await saidAtStart({ DATABASE_URL: `postgres://vault:${PASSWORD}@${hostAndPort}/cards` })).toBe(
      cannotBeUsed(`${address}/cards`, `${reason}`),
    )
  expect(await saidAtStart({ DATABASE_URL: `postgres:///cards?host=${folder}/none` })).toBe(
    cannotBeUsed(`${folder}/none:5432/cards`, 'there is no such socket'),
  )
})

test('a database of an early version is one line with the way out', async () => {
  const DATA_DIR = join(folder, 'early')
  mkdirSync(DATA_DIR)
  const file = new DatabaseSync(join(DATA_DIR, 'vault.db'))
  file.exec(`create table schema_migrations (name text primary key, applied_at text not null);
    insert into schema_migrations values ('0001-foundation', '2026-01-01')`)
  file.close()
  expect(await saidAtStart({ DATA_DIR })).toMatch(
    /^The database was left by an early version of this program, [^\n]* then start this one\.$/,
  )
})

describe('a PostgreSQL that refuses', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ folder: fastFolder() })
    const admin = new pg.Client({ connectionString: server.url() })
    await admin.connect()
    await admin.query(`create role locked login password '${PASSWORD}'`)
    await admin.query('create role guest login')
    await admin.query('create database closed allow_connections false')
    await admin.query("create database bytes encoding 'SQL_ASCII' locale 'C' template template0")
    const rules = 'host all locked all scram-sha-256\nhost all all all trust\n'
    writeFileSync(join(server.dataDir, 'pg_hba.conf'), rules)
    await admin.query('select pg_reload_conf()')
    await admin.end()
  })
  afterAll(() => server.destroy())

  test('says why in one line', async () => {
    const hostAndPort = `127.0.0.1:${server.port}`
    const samples: [string, string][] = [
      [`locked:wrong@${hostAndPort}/postgres`, 'password authentication failed for user "locked"'],
      [`locked@${hostAndPort}/postgres`, 'it asks for a password, and the URL has none'],
      [`guest@${hostAndPort}/postgres`, 'permission denied for schema public'],
      [`guest@${hostAndPort}/absent`, 'database "absent" does not exist'],
      [`guest@${hostAndPort}/closed`, 'database "closed" is not currently accepting connections'],
      [`guest@${hostAndPort}/postgres?sslmode=require`, 'it has no TLS, but sslmode asks for it'],
      [
        `guest@${hostAndPort}/postgres?sslmode=verify-full&sslrootcert=${folder}/none.pem`,
        `${folder}/none.pem cannot be read (ENOENT)`,
      ],
      [
        `guest@${hostAndPort}/bytes`,
        "its encoding is SQL_ASCII; make one by: create database … encoding 'UTF8' template template0",
      ],
    ]
    for (const [url, reason] of samples) {
      const name = new URL(`postgres://${url}`).pathname
      expect(await saidAtStart({ DATABASE_URL: `postgres://${url}` })).toBe(
        cannotBeUsed(`${hostAndPort}${name}`, reason),
      )
    }
  })

  test('also where it has a vault, and takes no writes', async () => {
    const admin = new pg.Client({ connectionString: server.url() })
    await admin.connect()
    await admin.query('create database still')
    const env = { DATABASE_URL: server.url('still') }
    expect(await saidAtStart(env)).toBe('started')
    await admin.query('alter database still set default_transaction_read_only = on')
    expect(await saidAtStart(env)).toBe(
      cannotBeUsed(`127.0.0.1:${server.port}/still`, 'cannot execute INSERT in a read-only transaction'),
    )
    await admin.end()
  })

  test('and one of another program', async () => {
    const admin = new pg.Client({ connectionString: server.url() })
    await admin.connect()
    await admin.query('create table schema_migrations (version text)')
    expect(await saidAtStart({ DATABASE_URL: server.url() })).toMatch(
      /^The database has a table "schema_migrations" of another program\. [^\n]*$/,
    )
    await admin.query('drop table schema_migrations')
    await admin.end()
  })

  test('and a plain one is no cluster; it gets no tables', async () => {
    expect(await saidAtStart({ DATABASE_URL: server.url(), DATABASE_DISTRIBUTED: 'citus' })).toBe(
      cannotBeUsed(`127.0.0.1:${server.port}/postgres`, 'it has no extension citus', 'DATABASE_DISTRIBUTED'),
    )
    const admin = new pg.Client({ connectionString: server.url() })
    await admin.connect()
    const { rows } = await admin.query("select 1 from pg_tables where schemaname = 'public'")
    await admin.end()
    expect(rows).toEqual([])
  })
})

test('a host name that is unknown is one line', async () => {
  expect(await saidAtStart({ HOST: 'vault.invalid' })).toMatch(
    /^vault\.invalid is no known host name\. Set HOST to [^\n]*$/,
  )
})

test('an address that nothing can listen on is one line, of whatever form', async () => {
  expect(await saidAtStart({ HOST: '192.0.2.1' })).toMatch(
    /^192\.0\.2\.1 is no address of this computer\. Set HOST to [^\n]*$/,
  )
  // Without its zone; on a machine without IPv6.
  for (const code of ['EINVAL', 'EAFNOSUPPORT']) {
    const error = Object.assign(new Error(`listen ${code}`), { code, syscall: 'listen', address: 'fe80::1' })
    expect(explainStart(error).message).toMatch(/^fe80::1 is no address of this computer\. [^\n]*$/)
  }
  expect(await saidAtStart({ HOST: 'a'.repeat(2000) })).toMatch(
    /^a+ is no known host name\. Set HOST to [^\n]*$/,
  )
})

test('a data folder that is a file, or a link to nothing or to itself, or has too long a name, is one line', async () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  const dangling = join(folder, 'dangling')
  symlinkSync(join(folder, 'none', 'data'), dangling)
  const loop = join(folder, 'loop')
  symlinkSync(loop, loop)
  for (const [path, code] of [
    [file, 'EEXIST'],
    [dangling, 'ENOENT'],
    [loop, 'ELOOP'],
    [join(folder, 'a'.repeat(300)), 'ENAMETOOLONG'],
  ] as const)
    expect(await saidAtStart({ DATA_DIR: path })).toBe(
      `${path} cannot be written (${code}). Set DATA_DIR to a folder that this user may write to.`,
    )
})

test('a full disk is one line, whoever writes to it', () => {
  const written = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
  for (const error of [written, full]) {
    const { message, exitCode } = explainStart(error)
    expect(exitCode).toBe(2)
    expect(message).toMatch(
      /^The vault's files in DATA_DIR cannot be written \([^\n]*\)\. Free some space[^\n]*$/,
    )
  }
})

describeWhere('a new vault', NOT_LINUX, () => {
  test('that finds no room for its files ends in one line', () => {
    // The kernel lets no file of the program grow, as a full disk would.
    const script = `prlimit --fsize=0:unlimited '${process.execPath}' '${PROGRAM.serve}' 2>&1; echo "code $?"`
    const env = {
      PATH: process.env.PATH,
      ENV_FILE: '',
      WORKERS: '1',
      PORT: '0',
      DATA_DIR: join(folder, 'no-room'),
      LOG_LEVEL: 'silent',
    }
    expect(execFileSync('sh', ['-c', script], { env, encoding: 'utf8' })).toMatch(
      /^The vault's files in DATA_DIR cannot be written \([^\n]*\)\.[^\n]*\ncode 2\n$/,
    )
  })
})

test('PORT=0 becomes a free port, which the address of the vault names', async () => {
  const chosen = await withChosenPort({ PORT: '0', HOST: '127.0.0.1' })
  const { port, baseUrl } = readConfig(chosen)
  expect(port).toBeGreaterThan(0)
  expect(baseUrl).toBe(`http://127.0.0.1:${port}`)
  expect(await withChosenPort({ PORT: '8080' })).toEqual({ PORT: '8080' })
})
