import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { busyVault } from '../../../test/support/busy.ts'
import { clientOf } from '../../../test/support/client.ts'
import { makeVault, onBothEngines, type Vault } from '../../../test/support/engines.ts'
import { buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { type Ctx, contextFor, inTx } from '../../core/context.ts'
import { FORMER_LIST } from '../../db/migrations/former-list.ts'
import { MIGRATIONS } from '../../db/migrations/migrate.ts'
import { openDatabase, openSnapshot } from '../../db/open.ts'
import type { TableShape } from '../../db/snapshot.ts'
import { backUpOnSchedule, takeBackup, watchRoom } from './backup.ts'
import { checkBackup, DamagedBackup } from './format.ts'
import { bareContext, reindex, restoreBackup, TargetNotEmpty } from './restore.ts'
import { verifyVault } from './verify.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-backup-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const newFile = () => join(folder, `${++files}.kvbackup`)

const start = (vault: Vault) => buildApp(readConfig(vault.env), { log: pino({ level: 'silent' }), jobs: [] })

/** As the commands of the operator do: without the service. */
async function onVault<T>(vault: Vault, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const config = readConfig(vault.env)
  const database = openDatabase(config)
  try {
    return await work(bareContext(config, database))
  } finally {
    await database.close()
  }
}

/** Before the service has started, which makes a secret of its own. */
const restoreInto = (vault: Vault, file: string) => onVault(vault, (ctx) => restoreBackup(ctx, file))

const findingsOf = async (ctx: Ctx) =>
  (await verifyVault(ctx)).flatMap(({ what, findings }) => findings.map((finding) => `${what}: ${finding}`))

onBothEngines('backup', (t) => {
  let world: Awaited<ReturnType<typeof busyVault>>
  let file: string
  beforeAll(async () => {
    world = await busyVault(t)
    file = newFile()
    await takeBackup(t.app.services.config, file)
  })

  test('only its owner can read the file, and it passes its own checks', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { header, end } = await checkBackup(file)
    expect(header.engine).toBe(t.engine)
    expect(end.tables.users?.count).toBe(2)
    expect(end.tables.cards?.count).toBe(3)
    expect(Object.keys(end.tables).filter((name) => name.startsWith('search_'))).toEqual([])
    expect(Object.keys(end.files)).toContain('secret.key')
    expect(end.missing_files).toEqual([])
  })

  test.each(['sqlite', 'postgres'] as const)('comes back whole on %s, search and all', async (engine) => {
    const target = await makeVault(engine)
    await restoreInto(target, file)
    const app = await start(target)
    try {
      const again = newFile()
      await takeBackup(app.services.config, again)
      const [before, after] = [await checkBackup(file), await checkBackup(again)]
      expect(after.end).toEqual(before.end)
      expect(await findingsOf(contextFor(app.services))).toEqual([])

      const author = clientOf(app, { authorization: `Bearer ${world.author.token}` })
      const found = await author.post('/api/v1/search', { query: world.card.title })
      expect(found.body.results[0].card_id).toBe(world.card.card_id)
      const remembered = await author.get(
        '/api/v1/project-context/search?project_key=example/vault&query=needle0',
      )
      expect(remembered.body.results).toHaveLength(1)
      // New numbers go on after the restored ones.
      const turn = { project_key: 'another/project', user_message: 'a', agent_report: 'b' }
      expect((await author.post('/api/v1/project-context/turns', turn)).status).toBe(201)
    } finally {
      await app.close()
      await target.remove()
    }
  })

  test('taken under load it holds one state: everything that belongs together, and nothing half', async () => {
    let done = false
    const writing = [0, 1, 2].map(async (writer) => {
      for (let i = 0; !done && i < 30; i++) {
        const person = await t.user(`load${writer}x${i}`)
        await person.post('/api/v1/project-context/turns', {
          project_key: 'a/b',
          user_message: 'm',
          agent_report: 'r',
          facts: ['f'],
        })
      }
    })
    const taken = [newFile(), newFile()]
    for (const file of taken) await takeBackup(t.app.services.config, file)
    done = true
    await Promise.all(writing)
    for (const file of taken) {
      const target = await makeVault(t.engine)
      await restoreInto(target, file)
      await onVault(target, async (ctx) => {
        expect(await findingsOf(ctx)).toEqual([])
        const lone = await sql<{ n: number }>`select count(*) as n from users where not exists
          (select 1 from credit_entries e where e.user_id = users.user_id)`.execute(ctx.database.read)
        expect(Number(lone.rows[0]?.n)).toBe(0)
      })
      await target.remove()
    }
  })

  test('a vault that is not empty is left as it is', async () => {
    await expect(restoreBackup(contextFor(t.app.services), file)).rejects.toThrow(TargetNotEmpty)
    expect(await findingsOf(contextFor(t.app.services))).toEqual([])
  })

  test('a folder with a file of another vault is left as it is; the same file is no obstacle', async () => {
    const target = await makeVault(t.engine)
    const secret = join(target.dataDir, 'secret.key')
    const [draft, text] = [`${secret}.restoring`, 'the secret of another vault']
    writeFileSync(secret, text)
    await expect(restoreInto(target, file)).rejects.toThrow(
      new TargetNotEmpty(
        `${target.dataDir} already has a secret.key of another vault. Nothing was changed. Set DATA_DIR to a new folder.`,
      ),
    )
    expect(readFileSync(secret, 'utf8')).toBe(text)
    expect([existsSync(draft), existsSync(join(target.dataDir, 'tickets'))]).toEqual([false, false])
    // What a restore leaves that was killed after its first file.
    copyFileSync(join(t.vault.dataDir, 'secret.key'), secret)
    await restoreInto(target, file)
    expect(await onVault(target, findingsOf)).toEqual([])
    await target.remove()
  })

  test('verify names what does not match, and reindex repairs the indexes', async () => {
    const target = await makeVault(t.engine)
    await restoreInto(target, file)
    await onVault(target, async (ctx) => {
      await inTx(ctx, async ({ db }) => {
        await sql`update credit_balances set balance = balance + 7 where user_id = ${world.author.userId}`.execute(
          db,
        )
        await sql`update cards set title = 'Rewritten past the index' where card_id = ${world.card.card_id}`.execute(
          db,
        )
        await sql`delete from context_project_aliases where alias = 'github.com/example/vault'`.execute(db)
        await sql`delete from ${sql.table(t.engine === 'sqlite' ? 'context_event_words' : 'context_event_index')}`.execute(
          db,
        )
      })
      rmSync(join(target.dataDir, 'tickets'), { recursive: true })
      const findings = (await findingsOf(ctx)).join('\n')
      expect(findings).toMatch(/Ledger: account .*entries add up/)
      expect(findings).toMatch(/Memory: 1 projects of memory are not found by their own key \(/)
      expect(findings).toMatch(/1 cards are not in the index as they are now/)
      expect(findings).toMatch(/memory events lack an index entry; kvault reindex adds it/)
      expect(findings).toMatch(/Attachments: .*is missing/)
      await reindex(ctx)
      expect((await findingsOf(ctx)).join('\n')).not.toMatch(/index/)
    })
    await target.remove()
  })

  test('verify finds a running service whole that has searched and written since', async () => {
    const { author } = world
    const address = '/api/v1/project-context/search?project_key=example/vault&query=needle0&mode=ranked'
    expect((await author.get(address)).status).toBe(200)
    const turn = { project_key: 'example/vault', user_message: 'a', agent_report: 'b' }
    expect((await author.post('/api/v1/project-context/turns', turn)).status).toBe(201)
    expect(await findingsOf(contextFor(t.app.services))).toEqual([])
  })

  test('a check that cannot run is a finding, and the others still run', async () => {
    const target = await makeVault(t.engine)
    await restoreInto(target, file)
    await onVault(target, async (ctx) => {
      await inTx(ctx, async ({ db }) => {
        await sql`alter table search_docs rename to search_docs_elsewhere`.execute(db)
      })
      rmSync(join(target.dataDir, 'tickets'), { recursive: true })
      const findings = (await findingsOf(ctx)).join('\n')
      expect(findings).toMatch(/Search index: it cannot be checked: .*search_docs/)
      expect(findings).toMatch(/Attachments: .*is missing/)
    })
    await target.remove()
  })

  test('on a schedule one of several processes makes it, and the oldest go', async () => {
    const dir = mkdtempSync(join(folder, 'scheduled-'))
    const config = { ...t.app.services.config, backup: { dir, everyHours: 2, keep: 2 } }
    let time = Date.parse('2026-05-01T00:30:00Z')
    const ctx = contextFor({ ...t.app.services, config, now: () => new Date(time) })
    const backUp = async () =>
      (await Promise.all([1, 2, 3].map(() => backUpOnSchedule(ctx)))).filter((made) => made !== undefined)
    expect(await backUp()).toHaveLength(1)
    expect(await backUp()).toHaveLength(0)
    for (let i = 0; i < 3; i++) {
      time += 2 * 3_600_000
      expect(await backUp()).toHaveLength(1)
    }
    expect(readdirSync(dir).sort()).toEqual([
      expect.stringMatching(/^vault-20260501T040000Z-[\da-f]{8}\.kvbackup$/),
      expect.stringMatching(/^vault-20260501T060000Z-[\da-f]{8}\.kvbackup$/),
    ])
    // A process that died in the middle leaves its file, of whatever period. It goes once it no longer grows.
    const [own = ''] = readdirSync(dir)
    const left = ['20260501T080000Z', '20260430T000000Z'].map(
      (period) => `${own.replace('20260501T040000Z', period)}.partial`,
    )
    const minuteOld = new Date(time + 2 * 3_600_000 - 60_000)
    const foreign = 'mine.kvbackup.partial'
    for (const name of [...left, foreign]) {
      writeFileSync(join(dir, name), 'half')
      utimesSync(join(dir, name), minuteOld, minuteOld)
    }
    time += 2 * 3_600_000
    expect(await backUp()).toHaveLength(0)
    expect(readdirSync(dir)).toEqual(expect.arrayContaining(left))
    time += 15 * 60_000
    expect(await backUp()).toHaveLength(1)
    expect(readdirSync(dir).filter((name) => name.endsWith('.partial'))).toEqual([foreign])
  })

  test('a backup is not removed for one that a wrong clock has dated later', async () => {
    const dir = mkdtempSync(join(folder, 'misdated-'))
    const config = { ...t.app.services.config, backup: { dir, everyHours: 2, keep: 1 } }
    const misdated = 'vault-20990101T000000Z.kvbackup'
    writeFileSync(join(dir, misdated), 'of another year')
    const now = () => new Date('2026-05-01T00:30:00Z')
    await backUpOnSchedule(contextFor({ ...t.app.services, config, now }))
    expect(readdirSync(dir).sort()).toEqual([expect.stringContaining('vault-20260501T000000Z'), misdated])
  })

  test('two vaults that share a folder each have their own, and remove none of the other', async () => {
    const dir = mkdtempSync(join(folder, 'shared-'))
    const config = { ...t.app.services.config, backup: { dir, everyHours: 2, keep: 1 } }
    let time = Date.parse('2026-05-01T00:30:00Z')
    const services = { ...t.app.services, config, now: () => new Date(time) }
    const others = contextFor({ ...services, hashKey: 'the key of another vault' })
    const theirs = await backUpOnSchedule(others)
    writeFileSync(join(dir, 'vault-20260430T000000Z.kvbackup'), 'of an earlier version')
    const made = await backUpOnSchedule(contextFor(services))
    expect(readdirSync(dir).map((name) => join(dir, name))).toEqual([theirs, made].sort())
    time += 2 * 3_600_000
    const next = await backUpOnSchedule(others)
    expect(readdirSync(dir).map((name) => join(dir, name))).toEqual([made, next])
  })
})

onBothEngines('a damaged backup', (t) => {
  test('is refused before anything is touched', async () => {
    const file = newFile()
    await t.user()
    await takeBackup(t.app.services.config, file)
    const bytes = readFileSync(file)
    const text = gunzipSync(bytes).toString()
    const [header = ''] = text.split('\n', 1)
    const withLine = (line: string) => gzipSync(text.replace('\n', `\n${line}\n`))
    const damaged: [string, Buffer][] = [
      ['cut short', bytes.subarray(0, bytes.length >> 1)],
      ['last byte gone', bytes.subarray(0, -1)],
      ['not a backup', Buffer.from('hello')],
      ['empty', Buffer.alloc(0)],
      ['a value changed', gzipSync(text.replace('@example.com', '@evil.example'))],
      ['a row gone', gzipSync(text.replace(/^\[.*\n/m, ''))],
      ['end gone', gzipSync(text.split('\n').slice(0, -2).join('\n'))],
      ['a file out of the vault', gzipSync(text.replaceAll('"secret.key"', '"../../escaped"'))],
      ...['null', '5', 'true', '{}', '{"kind":"more"}', '{"kind":"table"}', '{"kind":"end"}', header].map(
        (line): [string, Buffer] => [`an additional line ${line}`, withLine(line)],
      ),
      ['a header without migrations', gzipSync(text.replace('"migrations"', '"others"'))],
      ['another format', gzipSync(text.replace('"format":1', '"format":99'))],
    ]
    const target = await makeVault(t.engine)
    await onVault(target, async (ctx) => {
      for (const [what, content] of damaged) {
        const broken = newFile()
        writeFileSync(broken, content)
        await expect(restoreBackup(ctx, broken), what).rejects.toThrow(DamagedBackup)
      }
      const users = await ctx.database.read.selectFrom('users').selectAll().execute()
      expect(users).toEqual([])
    })
    await target.remove()
  })

  test('a backup of a former version is restored if it has the whole list of migrations, and refused otherwise', async () => {
    const file = newFile()
    const user = await t.user()
    await takeBackup(t.app.services.config, file)
    const withMigrations = (names: readonly string[]) => {
      const list = JSON.stringify(names)
      const text = gunzipSync(readFileSync(file)).toString()
      const other = newFile()
      writeFileSync(other, gzipSync(text.replace(/"migrations":\[.*?\]/, `"migrations":${list}`)))
      return other
    }
    const target = await makeVault(t.engine, {}, { isEmpty: true })
    await onVault(target, async (ctx) => {
      await expect(restoreBackup(ctx, withMigrations(FORMER_LIST.slice(0, -1)))).rejects.toThrow(
        'The backup was taken by an early version of this program, before its migration 0064-server-secret. Restore it with the last version that has this migration, start that version once, and take a new backup.',
      )
      await expect(restoreBackup(ctx, withMigrations([...FORMER_LIST, '9999-unknown']))).rejects.toThrow(
        'The backup was taken by a newer version of this program.',
      )
      // The rows have the columns of the later migrations.
      const later = MIGRATIONS.slice(1).map(({ name }) => name)
      await restoreBackup(ctx, withMigrations([...FORMER_LIST, ...later]))
      const users = await ctx.database.read.selectFrom('users').select('user_id').execute()
      expect(users.map(({ user_id }) => user_id)).toContain(user.userId)
    })
    await target.remove()
  })

  test('a backup never replaces a file', async () => {
    const file = newFile()
    copyFileSync(import.meta.filename, file)
    await expect(takeBackup(t.app.services.config, file)).rejects.toThrow('exists already. Give another name')
  })

  test('an unfinished file of another backup is named, and left alone', async () => {
    const file = newFile()
    writeFileSync(`${file}.partial`, 'half')
    await expect(takeBackup(t.app.services.config, file)).rejects.toThrow(
      `Another backup is writing ${file}.partial, or one was killed. Remove the file if none runs.`,
    )
    expect(readFileSync(`${file}.partial`, 'utf8')).toBe('half')
  })

  test('a backup that was taken for abandoned leaves the file of its successor alone', async () => {
    for (const failure of [undefined, new Error('no room')]) {
      const file = newFile()
      const replace = async () => {
        rmSync(`${file}.partial`)
        writeFileSync(`${file}.partial`, 'half')
        if (failure) throw failure
      }
      await expect(takeBackup(t.app.services.config, file, { lookForRoom: replace })).rejects.toThrow(
        failure ? 'no room' : `Another backup is writing ${file}.partial`,
      )
      expect(readFileSync(`${file}.partial`, 'utf8')).toBe('half')
      expect(existsSync(file)).toBe(false)
    }
  })

  if (t.engine === 'postgres')
    test('a database that goes away while a backup waits for its disk ends the backup, and not the process', async () => {
      const { config, database } = t.app.services
      const snapshot = await openSnapshot(config)
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'knowledge-vault backup'`.execute(
        database.read,
      )
      await sleep(50)
      const [table] = snapshot.tables as [TableShape]
      await expect(Array.fromAsync(snapshot.rows(table))).rejects.toThrow('administrator command')
      await snapshot.close()
    })
})

onBothEngines('a backup on a disk that is nearly full', (t) => {
  test('a scheduled backup leaves the reserve of the disk free, and is tried again after an hour', async () => {
    const { services } = t.app
    const dir = mkdtempSync(join(services.config.dataDir, 'backups-'))
    const backup = { dir, everyHours: 24, keep: 2 }
    let time = Date.parse('2026-05-01T00:30:00Z')
    const backUp = (minFreeDiskMb: number) =>
      backUpOnSchedule(
        contextFor({
          ...services,
          config: { ...services.config, backup, minFreeDiskMb },
          now: () => new Date(time),
        }),
      )
    await expect(backUp(999_999_999)).rejects.toThrow(/less than 999999999 MB \(MIN_FREE_DISK_MB\)/)
    expect(readdirSync(dir)).toEqual([expect.stringMatching(/^vault-[\da-f]{8}\.no-room$/)])
    time += 59 * 60_000
    expect(await backUp(0)).toBeUndefined()
    time += 60_000
    const made = await backUp(0)
    expect(readdirSync(dir).map((name) => join(dir, name))).toEqual([made])
    rmSync(dir, { recursive: true })
  })

  test('a backup that finds no more room while it is written leaves nothing behind', async () => {
    const made = newFile()
    const lookForRoom = () => Promise.reject(new Error('no more room'))
    await expect(takeBackup(t.app.services.config, made, { lookForRoom })).rejects.toThrow('no more room')
    expect(existsSync(made) || existsSync(`${made}.partial`)).toBe(false)
  })
})

test('the disk is looked at before the first byte, and again after each 8 MiB', async () => {
  let looks = 0
  const chunks = Array.from({ length: 17 }, () => Buffer.alloc(1024 * 1024))
  const passed: number[] = []
  for await (const _ of watchRoom(Readable.from(chunks), async () => void looks++)) passed.push(looks)
  expect(passed).toEqual([...Array(8).fill(1), ...Array(8).fill(2), 3])
})
