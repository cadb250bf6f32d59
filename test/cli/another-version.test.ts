import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { repository, runKvault } from '../support/process.ts'

const kvault = (args: string[], dataDir: string) => runKvault(args, { DATA_DIR: dataDir, ENV_FILE: '' })

test('a vault of another version is refused in one line, and nothing upgrades it but the service', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'knowledge-vault-older-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const file = join(dataDir, 'vault.db')
  writeFileSync(file, gunzipSync(readFileSync(join(repository, 'test/upgrades/0.1.0/vault.db.gz'))))
  const change = (statement: string) => {
    const database = new DatabaseSync(file)
    database.exec(statement)
    database.close()
  }
  change("delete from schema_migrations where name = '0064-server-secret'")
  const applied = () => {
    const database = new DatabaseSync(file)
    const rows = database.prepare('select name from schema_migrations order by name').all()
    database.close()
    return rows
  }
  const commands = [
    ['verify'],
    ['rescan', '--dry-run'],
    ['reindex'],
    ['rotate-library-key'],
    ['admin', 'list'],
    ['admin', 'grant', 'new@example.com'],
    ['admin', 'reset-link', 'new@example.com'],
  ]
  const before = applied()
  const older =
    'The database was left by an early version of this program, before its migration 0064-server-secret. Start the last version that has this migration once, then start this one.\n'
  for (const command of commands)
    expect(await kvault(command, dataDir), command.join(' ')).toEqual({ code: 1, stdout: '', stderr: older })
  expect(applied()).toEqual(before)
  expect((await kvault(['backup', join(dataDir, 'older.kvbackup')], dataDir)).code).toBe(0)

  change(
    "insert into schema_migrations values ('0064-server-secret', '2026-01-01'), ('9999-unknown', '2030-01-01')",
  )
  const newer = /^The database was written by a newer version of this program \(it has 9999-unknown\).*\n$/
  for (const command of commands)
    expect(await kvault(command, dataDir)).toMatchObject({ code: 1, stderr: expect.stringMatching(newer) })
}, 60_000)
