import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Database } from './db.ts'
import { openPostgres } from './postgres/postgres.ts'
import { explainUnusable } from './postgres/requirements.ts'
import type { OnSlow } from './prepared.ts'
import { openPostgresSnapshot, openSqliteSnapshot, type Snapshot } from './snapshot.ts'
import { openSqlite } from './sqlite/sqlite.ts'

/** Returns the path of the SQLite file. Opening a missing file creates it. */
export const databaseFile = ({ dataDir }: Config): string => join(dataDir, 'vault.db')

type DatabaseEvents = {
  onIdleError?: (error: Error) => void
  onReplicaChange?: (usable: boolean, reason: string) => void
  onSlow?: OnSlow
}

type OpenOptions = DatabaseEvents & {
  /** On SQLite: a missing file is an error and is not created. */
  mustExist?: boolean
  /** On PostgreSQL: no statement timeout, for the operator's commands. */
  isPatient?: boolean
}

export function openDatabase(
  config: Config,
  { onIdleError = () => {}, onReplicaChange, onSlow, mustExist = false, isPatient = false }: OpenOptions = {},
): Database {
  const url = config.databaseUrl
  if (url === undefined)
    return openSqlite(databaseFile(config), {
      mustExist,
      comparesVectors: config.embeddings !== undefined,
      ...(onSlow ? { onSlow } : {}),
    })
  return openPostgres({
    url,
    readUrl: config.databaseReadUrl,
    directUrl: config.databaseDirectUrl,
    isDistributed: config.databaseIsDistributed,
    poolSize: config.databasePoolSize,
    isPatient,
    onIdleError,
    ...(onReplicaChange ? { onReplicaChange } : {}),
    ...(onSlow ? { onSlow } : {}),
  })
}

export function openSnapshot(config: Config): Promise<Snapshot> {
  const { databaseUrl, databaseDirectUrl } = config
  if (databaseUrl === undefined) return openSqliteSnapshot(databaseFile(config))
  const url = databaseDirectUrl ?? databaseUrl
  const variable = databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
  return explainUnusable(url, () => openPostgresSnapshot(url), variable)
}
