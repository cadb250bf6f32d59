import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Database } from './db.ts'
import { openPostgres } from './engines/postgres.ts'
import { openPostgresSnapshot } from './engines/snapshot.postgres.ts'
import { openSqliteSnapshot } from './engines/snapshot.sqlite.ts'
import { openSqlite } from './engines/sqlite.ts'
import type { Snapshot } from './snapshot.ts'

const databaseFile = (config: Config) => join(config.dataDir, 'vault.db')

export type DatabaseEvents = {
  onIdleError?: (error: Error) => void
  onReplicaChange?: (usable: boolean, reason: string) => void
}

export function openDatabase(
  config: Config,
  { onIdleError = () => {}, onReplicaChange }: DatabaseEvents = {},
): Database {
  const url = config.databaseUrl
  if (url === undefined) return openSqlite(databaseFile(config))
  return openPostgres({
    url,
    readUrl: config.databaseReadUrl,
    poolSize: config.databasePoolSize,
    onIdleError,
    ...(onReplicaChange ? { onReplicaChange } : {}),
  })
}

export const openSnapshot = (config: Config): Promise<Snapshot> =>
  config.databaseUrl === undefined
    ? openSqliteSnapshot(databaseFile(config))
    : openPostgresSnapshot(config.databaseUrl)
