// SQLite's result codes: https://sqlite.org/rescode.html
const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_READONLY = 8
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const SQLITE_NOTADB = 26
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067

function resultCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined
}

const primaryCode = (error: unknown) => {
  const code = resultCode(error)
  return code === undefined ? undefined : code & 0xff
}

export const isBusy = (error: unknown): boolean => primaryCode(error) === SQLITE_BUSY

export const isCorrupt = (error: unknown): boolean => {
  const code = primaryCode(error)
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB
}

export const isUniqueViolation = (error: unknown): boolean => {
  const code = resultCode(error)
  return code === SQLITE_CONSTRAINT_UNIQUE || code === SQLITE_CONSTRAINT_PRIMARYKEY
}

const UNWRITABLE = [SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN]

/** Whether the disk is full or permissions are missing. */
export const isUnwritable = (error: unknown): boolean => UNWRITABLE.includes(primaryCode(error) ?? 0)

const UNAVAILABLE = new Set([SQLITE_BUSY, SQLITE_LOCKED, ...UNWRITABLE])

export const isUnavailable = (error: unknown): boolean => UNAVAILABLE.has(primaryCode(error) ?? 0)
