import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { DISTRIBUTION } from '../../src/db/distribution.ts'
import { takeBackup } from '../../src/features/backup/backup.ts'
import { checkBackup } from '../../src/features/backup/format.ts'
import { busyVault } from '../support/busy.ts'
import { clientOf } from '../support/client.ts'
import { run } from '../support/cluster.ts'
import { makeVault, type TestEnv, TestVault, type Vault } from '../support/engines.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { runKvault } from '../support/process.ts'

let folder: string
let onePostgres: PostgresServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-restore-'))
  onePostgres = await startPostgres({ settings: { fsync: 'off' } })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await onePostgres.destroy()
})

const shards = async (url: string): Promise<Record<string, string>> => {
  const { rows } = await run(
    url,
    `select logicalrelid::text as name, case when repmodel = 't' then 'reference' else column_to_column_name(logicalrelid, partkey) end as by
     from pg_dist_partition where partmethod = 'h' or repmodel = 't'`,
  )
  return Object.fromEntries(rows.map(({ name, by }) => [name, by]))
}

/** Bytes that the coordinator keeps of tables whose rows are on other nodes. */
const leftBehind = async (url: string): Promise<number> => {
  const { rows } = await run(
    url,
    "select sum(pg_relation_size(logicalrelid)) as bytes from pg_dist_partition where partmethod = 'h'",
  )
  return Number(rows[0].bytes)
}

/** A database of their own instead of one on the cluster. */
const SOURCES: Record<string, () => TestEnv> = {
  SQLite: () => ({}),
  'one PostgreSQL': () => ({ DATABASE_URL: onePostgres.url() }),
}

describe.each(Object.keys(SOURCES))('a backup of %s, restored into an empty cluster', (source) => {
  let target: Vault
  let app: App
  let file: string
  let world: Awaited<ReturnType<typeof busyVault>>
  const kvault = (...args: string[]) => runKvault(args, { ...target.env, ENV_FILE: '' })

  beforeAll(async () => {
    const from = new TestVault('sqlite', SOURCES[source]?.() ?? {})
    await from.up()
    world = await busyVault(from)
    file = join(folder, `${source.replaceAll(' ', '-')}.kvbackup`)
    await takeBackup(from.app.services.config, file)
    await from.down()
    target = await makeVault('postgres', {}, { isEmpty: true })
    expect(await kvault('restore', file)).toMatchObject({ code: 0, stderr: '' })
    app = await buildApp(readConfig(target.env), { log: pino({ level: 'silent' }), jobs: [] })
  })
  afterAll(async () => {
    await app?.close()
    await target?.remove()
  })

  test('has every row, every file and every index entry', async () => {
    const again = `${file}.again`
    await takeBackup(app.services.config, again)
    expect((await checkBackup(again)).end).toEqual((await checkBackup(file)).end)
    expect(await kvault('verify')).toMatchObject({ code: 0, stderr: '' })
  })

  test('is spread over the nodes, and nothing stays behind on the coordinator', async () => {
    const url = target.env.DATABASE_URL ?? ''
    const planned = Object.fromEntries(Object.entries(DISTRIBUTION).filter(([, by]) => by !== 'single'))
    expect(await shards(url)).toEqual(planned)
    expect(await leftBehind(url)).toBe(0)
  })

  test('goes on where the old vault ended', async () => {
    const author = clientOf(app, { authorization: `Bearer ${world.author.token}` })
    const found = await author.post('/api/v1/search', { query: world.card.title })
    expect(found.body.results[0].card_id).toBe(world.card.card_id)
    // New numbers follow the restored ones.
    const turn = { project_key: 'another/project', user_message: 'a', agent_report: 'b' }
    expect((await author.post('/api/v1/project-context/turns', turn)).status).toBe(201)
    const draft = { title: 'After the move', symptom: 'The vault is on a cluster now', fix_summary: 'Go on' }
    expect((await author.post('/api/v1/cards', draft)).status).toBe(201)
  })

  test('is not restored into again', async () => {
    const again = await kvault('restore', file)
    expect(again.stderr).toContain('not empty')
    expect(again.code).not.toBe(0)
  })
})
