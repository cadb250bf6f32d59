import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { contextFor } from '../../src/core/context.ts'
import { applyMigrations, MIGRATIONS, pendingMigrations } from '../../src/db/migrations/migrate.ts'
import type { Migration } from '../../src/db/migrations/statements.ts'
import { openDatabase } from '../../src/db/open.ts'
import { bareContext, restoreBackup } from '../../src/features/backup/restore.ts'
import { verifyVault } from '../../src/features/backup/verify.ts'
import { contentHash } from '../../src/shared/library-snapshot.ts'
import { clientOf } from '../support/client.ts'
import { makeVault } from '../support/engines.ts'
import { lookAt } from './look.ts'

/** The key of the fixtures, see make-fixture.ts. */
const SECRET_KEY = 'for the fixture and nothing else'

const start = (env: Record<string, string>) =>
  buildApp(readConfig({ RATE_LIMIT: 'off', ...env, SECRET_KEY }), {
    log: pino({ level: 'silent' }),
    jobs: [],
  })

const releases = globSync('*/expected.json', { cwd: import.meta.dirname }).map(dirname)

/** A change of a table as a later version may bring it: a column, and a value in it for rows that are there. */
const SAMPLE: Migration = {
  name: '9999-sample',
  statements: () => ['alter table cards add column severity text'],
  data: (db) =>
    sql`update cards set severity = 'of version ' || cast(version as text)`.execute(db).then(() => {}),
}

test('there is a fixture', () => {
  expect(releases).not.toEqual([])
})

describe.each(releases)('a vault of version %s', (release) => {
  const folder = join(import.meta.dirname, release)
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'))

  async function findEverything(app: App): Promise<void> {
    expect(await pendingMigrations(app.services.database.read)).toBe(0)
    const checks = await verifyVault(contextFor(app.services))
    // The attachment of the fixture's ticket is not kept beside the database file.
    const findings = checks.filter(({ what }) => what !== 'Attachments').flatMap((check) => check.findings)
    expect(findings).toEqual([])
    const credentials = { email: expected.email, password: 'correct horse battery' }
    const login = await clientOf(app, {}).post('/api/v1/auth/login', credentials)
    const author = clientOf(app, { authorization: `Bearer ${login.body.access_token}` })
    expect(await lookAt(author, expected)).toMatchObject(expected.seen)
    const shared = (await author.get(`/api/v1/cards/${expected.shared_id}`)).body
    expect(shared.publication).toMatchObject({ content_hash: contentHash(shared), licence: null })
    const found = await author.post('/api/v1/search', { query: expected.seen.card.title })
    expect(found.body.results[0].card_id).toBe(expected.card_id)
  }

  test('opens as a SQLite file and holds everything', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'knowledge-vault-upgrade-'))
    writeFileSync(join(dataDir, 'vault.db'), gunzipSync(readFileSync(join(folder, 'vault.db.gz'))))
    const app = await start({ DATA_DIR: dataDir })
    await findEverything(app)
    await app.close()
    rmSync(dataDir, { recursive: true })
  })

  test.each(['sqlite', 'postgres'] as const)('comes back from its backup on %s', async (engine) => {
    const vault = await makeVault(engine, {}, { isEmpty: true })
    const config = readConfig(vault.env)
    const database = openDatabase(config)
    await restoreBackup(bareContext(config, database), join(folder, 'vault.kvbackup'))
    await database.close()
    const app = await start(vault.env)
    await findEverything(app)
    await app.close()
    await vault.remove()
  })

  test.each(['sqlite', 'postgres'] as const)('takes a later migration on %s', async (engine) => {
    const vault = await makeVault(engine, {}, { isEmpty: true })
    const config = readConfig(vault.env)
    const database = openDatabase(config)
    await restoreBackup(bareContext(config, database), join(folder, 'vault.kvbackup'))
    expect(await applyMigrations(database, [...MIGRATIONS, SAMPLE])).toEqual([SAMPLE.name])
    expect(await applyMigrations(database, [...MIGRATIONS, SAMPLE])).toEqual([])
    const { rows } = await sql`select severity from cards where card_id = ${expected.card_id}`.execute(
      database.read,
    )
    expect(rows).toEqual([{ severity: `of version ${expected.seen.card.version}` }])
    await database.close()
    await vault.remove()
  })
})
