import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Database, newTransactionMark, runMarked, VaultGone } from '../../db.ts'
import { SqliteChanges } from './changes.ts'
import { readingKysely, SqliteConnection, writingKysely } from './connection.ts'
import {
  explainDamage,
  FileReplaced,
  makePrivate,
  refuseCorrupt,
  refuseHalfCopied,
  watchFile,
} from './database-file.ts'
import { isBusy, isUnavailable, isUniqueViolation } from './result-codes.ts'
import { DatabaseBusy, SqliteWrites } from './shared-commits.ts'

/** While the file is opened, another process may be repairing it after a crash. */
const OPENING_TIMEOUT_MS = 20
/** 16 MB of log before a checkpoint: a page that many commits change is then copied once. */
const LOG_PAGES = 4000
/**
 * Each connection's own, 16 MB; the rest is the system's cache. The file is not mapped: that is no faster here, counts as
 * the process's memory, and ends the process where a read error would end one request.
 */
const CACHE = 'pragma cache_size = -16000; pragma mmap_size = 0'

export type SqliteOptions = {
  /** A file that is missing is not made. */
  mustExist?: boolean
  /** Shorter in tests: how long a transaction waits for the lock of another process, unless it may take long. */
  lockPatienceMs?: number
}

export function openSqlite(file: string, { mustExist = false, ...options }: SqliteOptions = {}): Database {
  if (mustExist && !existsSync(file)) throw new VaultGone(file)
  makePrivate(file)
  refuseHalfCopied(file)
  try {
    return openWhole(file, options)
  } catch (error) {
    throw explainDamage(file, error)
  }
}

const LONGEST_START_WAIT_MS = 5000

/**
 * Setting it the first time needs a lock that another starting process may hold just then. SQLite does not wait for that
 * one, because two processes could wait for each other forever; so we try again.
 */
function setWriteAheadLog(db: DatabaseSync): void {
  const until = performance.now() + LONGEST_START_WAIT_MS
  for (;;)
    try {
      db.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error
    }
}

function openWhole(file: string, options: Pick<SqliteOptions, 'lockPatienceMs'>): Database {
  const isInUse = watchFile(file)
  const writer = new DatabaseSync(file, { timeout: OPENING_TIMEOUT_MS, enableForeignKeyConstraints: true })
  setWriteAheadLog(writer)
  writer.exec(
    `pragma synchronous = full; pragma busy_timeout = ${OPENING_TIMEOUT_MS};
    pragma wal_autocheckpoint = ${LOG_PAGES}; ${CACHE}`,
  )
  refuseCorrupt(file, writer)
  // From here on a writer waits for another process in the event loop (shared-commits.ts). SQLite would block this process,
  // and would sleep on while the lock is free again.
  writer.exec('pragma busy_timeout = 0')
  const reader = new DatabaseSync(file, { timeout: 5000 })
  reader.exec(`pragma query_only = 1; ${CACHE}`)

  const read = readingKysely(reader)
  const connection = new SqliteConnection(writer, true)
  const write = writingKysely(connection)
  const writes = new SqliteWrites(writer, {
    ...options,
    isBusy,
    written: () => connection.writes,
    requireFile: () => {
      if (!isInUse()) throw new FileReplaced(file)
    },
  })
  const changes = new SqliteChanges(writer)
  return {
    engine: 'sqlite',
    isDistributed: false,
    read,
    readFor: () => read,
    wrote: async () => {},
    waitMs: (work) => (work === 'write' ? writes.waitMs() : 0),
    serve: (_since, request) => request(),
    transaction: async (fn, { mayTakeLong } = {}) => {
      const mark = newTransactionMark()
      const result = await writes.transaction(() => runMarked(mark, () => fn(write)), mayTakeLong)
      if (mark.tookCredentials) changes.add()
      return result
    },
    credentialsVersion: () => changes.version(),
    takesWrites: async () => isInUse(),
    isUniqueViolation,
    isUnavailable: (error) =>
      error instanceof FileReplaced || error instanceof DatabaseBusy || isUnavailable(error),
    close: async () => {
      await writes.idle()
      await read.destroy()
      await write.destroy()
    },
  }
}
