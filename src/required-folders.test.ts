import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fastFolder } from '../test/support/fast-folder.ts'
import { readConfig } from './config.ts'
import { requireFolders } from './required-folders.ts'
import { explainStart } from './start-errors.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(fastFolder(), 'knowledge-vault-folders-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const withBackups = (dir: string) => readConfig({ DATA_DIR: join(folder, 'data'), BACKUP_DIR: dir })

function said(dir: string): string {
  try {
    requireFolders(withBackups(dir))
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
