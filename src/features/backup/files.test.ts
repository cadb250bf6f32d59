import { expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { isVaultFile, SECRET_FILE, ticketFile } from './format.ts'

test('every file that is put into a backup is taken out of it again, on every system', () => {
  for (const path of [SECRET_FILE, ticketFile(newId(), newId())]) expect(isVaultFile(path), path).toBe(true)
})

test('no other file of a backup is ever written', () => {
  const id = newId()
  for (const path of [`tickets\\${id}\\${id}`, `../tickets/${id}/${id}`, `tickets/${id}/..`, 'vault.db', ''])
    expect(isVaultFile(path), path).toBe(false)
})
