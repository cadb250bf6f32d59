import { accessSync, chmodSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../../../core/make-folder.ts'
import { DamagedDatabase } from '../../db.ts'
import { isCorrupt, isUnwritable } from './result-codes.ts'

const damaged = (file: string, how: string) =>
  new DamagedDatabase(
    `The database ${file} is damaged (${how}). Keep the file, set DATA_DIR to a new folder and restore the last backup there: kvault restore <file>.`,
  )

/** What SQLite says of a damaged file, with the file and what to do; any other error as it is. */
export const explainDamage = (file: string, error: unknown): unknown =>
  isCorrupt(error) ? damaged(file, error instanceof Error ? error.message : String(error)) : error

/**
 * Why a file cannot be opened: SQLite does not say. The file is only looked at, because closing it would end the locks
 * that other connections of this process have on it.
 */
export function explainUnreadable(file: string, error: unknown): unknown {
  if (!isUnwritable(error)) return explainDamage(file, error)
  try {
    if (statSync(file).isDirectory())
      return Object.assign(new Error(`${file} is a folder`), { code: 'EISDIR', path: file })
    accessSync(file, constants.R_OK)
    return error
  } catch (reason) {
    return reason
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const HEADER_BYTES = 100

/**
 * A copy that was cut off is shorter than its own header says. While there is a log beside it, a short file may
 * also be a crash in the middle of a checkpoint, which SQLite repairs by itself.
 */
export function refuseHalfCopied(file: string): void {
  const size = sizeOf(file)
  if (size === 0 || sizeOf(`${file}-wal`) > 0) return
  const header = Buffer.alloc(HEADER_BYTES)
  const handle = openSync(file, 'r')
  readSync(handle, header, 0, HEADER_BYTES, 0)
  closeSync(handle)
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const pages = header.readUInt32BE(28)
  if (header.subarray(0, 15).toString() === 'SQLite format 3' && size < pages * pageSize)
    throw damaged(file, `${size} bytes of ${pages * pageSize}`)
}

/** Up to here the whole file is read at every start; larger ones are for `kvault verify`. */
const CHECKED_AT_START_BYTES = 32 * 1024 * 1024

export function refuseCorrupt(file: string, db: DatabaseSync): void {
  if (sizeOf(file) > CHECKED_AT_START_BYTES) return
  const found = db.prepare('pragma quick_check(1)').get()
  const verdict = String(Object.values(found ?? {})[0])
  if (verdict !== 'ok') throw damaged(file, verdict.replaceAll(/\s+/g, ' '))
}

/** What is written goes into a file that nobody can open any more, and is lost at the next start. */
export class FileReplaced extends Error {
  override readonly name = 'FileReplaced'

  constructor(file: string) {
    super(`${file} was removed or replaced while the service ran. Bring it back, or stop the service first.`)
  }
}

const fileNumber = (file: string) => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino

/** Ask before the file is in use; the returned function says whether its name still leads to the same file. */
export function watchFile(file: string): () => boolean {
  const opened = fileNumber(file)
  return () => fileNumber(file) === opened
}

const OWNER_ONLY = 0o600

/** Not every system lets us: a mounted folder may have rights of its own. */
function restrict(path: string, mode: number): void {
  try {
    if ((statSync(path).mode & 0o777) !== mode) chmodSync(path, mode)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'ENOENT' && code !== 'EPERM' && code !== 'EROFS') throw error
  }
}

/**
 * The file holds what all people wrote, so no other user of the machine may read it. SQLite gives the files beside it the
 * same rights. An existing folder keeps its mode, except that strangers are shut out of it.
 */
export function makePrivate(file: string): void {
  const folder = dirname(file)
  makeFolder(folder)
  restrict(folder, statSync(folder).mode & 0o770)
  closeSync(openSync(file, 'a', OWNER_ONLY))
  for (const path of [file, `${file}-wal`, `${file}-shm`]) restrict(path, OWNER_ONLY)
}
