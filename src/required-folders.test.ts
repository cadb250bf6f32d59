import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fastFolder } from '../test/support/fast-folder.ts'
import { describeWhere, NOT_LINUX } from '../test/support/skips.ts'
import { type Config, readConfig } from './config.ts'
import { explainStart } from './start-errors.ts'
import { requireFolders } from './startup.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(fastFolder(), 'knowledge-vault-folders-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const withBackups = (dir: string) => readConfig({ DATA_DIR: join(folder, 'data'), BACKUP_DIR: dir })

const said = (dir: string) => saidOf(withBackups(dir))

function saidOf(config: Config): string {
  try {
    requireFolders(config)
    return 'nothing'
  } catch (error) {
    const { message, exitCode } = explainStart(error as Error)
    return `${exitCode} ${message}`
  }
}

test('the folders of a new vault are made', () => {
  requireFolders(withBackups(join(folder, 'far', 'backups')))
  expect(existsSync(join(folder, 'data'))).toBe(true)
  expect(existsSync(join(folder, 'far', 'backups'))).toBe(true)
})

test('the data folder is made on PostgreSQL too, also where SECRET_KEY makes secret.key needless', () => {
  const dataDir = join(folder, 'of-postgres')
  const SECRET_KEY = 'a'.repeat(32)
  requireFolders(readConfig({ DATA_DIR: dataDir, DATABASE_URL: 'postgres://database/vault', SECRET_KEY }))
  expect(existsSync(dataDir)).toBe(true)
})

test('a folder for backups that cannot be made is one line that names BACKUP_DIR', () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  expect(said(file)).toBe(`2 configuration: BACKUP_DIR: ${file} cannot be written (EEXIST)`)
  const below = join(file, 'backups')
  expect(said(below)).toBe(`2 configuration: BACKUP_DIR: ${below} cannot be written (ENOTDIR)`)
})

describeWhere('a place where the system makes no folders', NOT_LINUX, () => {
  test('is one line at once: Node would try without end', () => {
    const nowhere = '/proc/knowledge-vault'
    expect(said(join(nowhere, 'backups'))).toBe(
      `2 configuration: BACKUP_DIR: ${nowhere}/backups cannot be written (ENOENT)`,
    )
    expect(saidOf(readConfig({ DATA_DIR: nowhere }))).toBe(
      `2 ${nowhere} cannot be written (ENOENT). Set DATA_DIR to a folder that this user may write to.`,
    )
  })
})
