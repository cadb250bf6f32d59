import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { openSqlite } from './sqlite.ts'

test('a write of another process changes the version of credentials, an ordinary one of this process does not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-changes-'))
  const file = join(folder, 'vault.db')
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  const database = openSqlite(file)
  const other = new DatabaseSync(file)
  try {
    const write = (statement: string) => database.transaction((db) => sql.raw(statement).execute(db))
    await write('create table notes (text)')
    clock.mockReturnValue(1_000)
    const before = database.credentialsVersion()

    await write("insert into notes values ('ours')")
    clock.mockReturnValue(2_000)
    expect(database.credentialsVersion()).toBe(before)

    other.exec("insert into notes values ('theirs')")
    clock.mockReturnValue(3_000)
    expect(database.credentialsVersion()).not.toBe(before)
  } finally {
    clock.mockRestore()
    other.close()
    await database.close()
    rmSync(folder, { recursive: true })
  }
})
