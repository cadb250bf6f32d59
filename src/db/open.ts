import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Database } from './db.ts'
import { openPostgres } from './engines/postgres.ts'
import { openSqlite } from './engines/sqlite.ts'

export function openDatabase(config: Config, onIdleError: (error: Error) => void = () => {}): Database {
  const url = config.databaseUrl
  if (url === undefined) return openSqlite(join(config.dataDir, 'vault.db'))
  return openPostgres({ url, poolSize: config.databasePoolSize, onIdleError })
}
