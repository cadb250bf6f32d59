import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fastFolder } from '../../../test/support/fast-folder.ts'
import { claimFolder, releaseFolders } from './server-lock.ts'

test('a data folder is claimed by one server at a time; where that cannot be known, nobody is accused', () => {
  const folder = mkdtempSync(join(fastFolder(), 'knowledge-vault-test-'))
  const other = join(folder, 'other')
  mkdirSync(other)
  expect([claimFolder(folder), claimFolder(folder), claimFolder(other)]).toEqual([true, false, true])
  expect(statSync(join(folder, 'server.lock'))).toMatchObject({ size: 0 })
  releaseFolders()
  expect(claimFolder(folder)).toBe(true)
  releaseFolders()
  expect(claimFolder(join(folder, 'missing'))).toBe(true)
  rmSync(folder, { recursive: true })
})
