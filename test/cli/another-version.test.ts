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
  const older = 'This vault is of an older version. Make a backup, then start the service once.\n'
  for (const command of commands)
    expect(await kvault(command, dataDir), command.join(' ')).toEqual({ code: 1, stdout: '', stderr: older })
  expect(applied()).toEqual(before)
  expect((await kvault(['backup', join(dataDir, 'older.kvbackup')], dataDir)).code).toBe(0)

  const database = new DatabaseSync(file)
  database.exec("insert into schema_migrations values ('9999-unknown', '2030-01-01')")
  database.close()
  const newer = /^The database was written by a newer version of this program \(it has 9999-unknown\).*\n$/
  for (const command of commands)
    expect(await kvault(command, dataDir)).toMatchObject({ code: 1, stderr: expect.stringMatching(newer) })
}, 60_000)
