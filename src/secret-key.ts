import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config.ts'
import { makeFolder } from './core/make-folder.ts'
import { randomToken } from './core/secrets.ts'
import { VaultGone } from './db/db.ts'

const isCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError([
      `SECRET_KEY: ${file} cannot be read (${code}). Make it a file that this user may read.`,
    ])
  }
}

/**
 * The secret in the data folder, made at first start. A process that starts at the same time gets the same one. Where
 * `mustExist`, none is made.
 */
export function keptSecret(dataDir: string, mustExist = false): string {
  const file = join(dataDir, 'secret.key')
  const kept = read(file)
  if (kept) return kept
  if (mustExist) throw new VaultGone(file)
  makeFolder(dataDir)
  const draft = `${file}.${randomToken(9)}`
  writeFileSync(draft, `${randomToken()}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    // Linking shows the file whole or not at all, and never over another one.
    linkSync(draft, file)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    unlinkSync(draft)
  }
  const secret = read(file)
  if (!secret)
    throw new ConfigError([
      `SECRET_KEY: ${file} is empty. Restore it from a backup, or remove it to get a new one.`,
    ])
  return secret
}
