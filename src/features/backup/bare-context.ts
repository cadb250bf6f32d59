import { EventEmitter } from 'node:events'
import pino from 'pino'
import type { Config } from '../../config.ts'
import { type Ctx, contextFor } from '../../core/context.ts'
import { CredentialCache } from '../../core/credential-cache.ts'
import { DatabaseSpace } from '../../core/free-disk.ts'
import { memoryLimits } from '../../core/limits.ts'
import { type Database, databaseSizeOf } from '../../db/db.ts'
import { usualTuning } from '../../search-index/index.ts'
import { HASHING } from '../identity/users/passwords.ts'

/** A vault's database without the service around it: nothing is sent, paid, scheduled or migrated. */
export const bareContext = (config: Config, database: Database): Ctx =>
  contextFor({
    config,
    database,
    adapters: { google: null, payments: null, mail: null },
    limits: memoryLimits(),
    credentials: new CredentialCache(() => undefined),
    databaseSpace: new DatabaseSpace(config, databaseSizeOf(database)),
    searchTuning: usualTuning(),
    passwordHashing: HASHING,
    secret: '',
    hashKey: '',
    wakeups: new EventEmitter(),
    subscribers: {},
    log: pino({ level: 'silent' }),
    now: () => new Date(),
  })
