import { EventEmitter } from 'node:events'
import type { FastifyInstance } from 'fastify'
import type { DestinationStream, Logger } from 'pino'
import pino from 'pino'
import type { IdentityProvider } from './adapters/google.ts'
import type { MailTransport } from './adapters/mail.ts'
import { capabilities, rawRoutes, subscribers } from './capabilities.ts'
import type { Config } from './config.ts'
import { CredentialCache, contextFor, type PasswordHashing, type Services } from './core/context.ts'
import { DatabaseSpace } from './core/disk.ts'
import { type Limits, memoryLimits } from './core/limits.ts'
import { LogOutput, logFailure } from './core/log.ts'
import { type Database, databaseSizeOf, withPatience } from './db/db.ts'
import { migrate } from './db/migrations/migrate.ts'
import { isVault } from './db/migrations/whose-tables.ts'
import { limitsAmongNodes } from './db/node-limits.ts'
import { openDatabase } from './db/open.ts'
import {
  explainUnusable,
  requireCitus,
  requireDirectWay,
  requirePoolerSettings,
  requireUtf8,
} from './db/postgres/requirements.ts'
import { TIMEOUTS, type Timeouts } from './doors/http/connections.ts'
import type { MetricsOfAll } from './doors/http/metrics.ts'
import { buildServer } from './doors/http/server.ts'
import { serveMcp } from './doors/mcp/http.ts'
import type { McpOptions } from './doors/mcp/protocol.ts'
import { openPayments } from './features/billing/index.ts'
import { bringIndexUpToDate } from './features/cards/index.ts'
import { HASHING } from './features/identity/index.ts'
import { fillEventIndex } from './features/memory/index.ts'
import { serverSettingsOf } from './features/server-settings/index.ts'
import { type Job, startJobs } from './jobs.ts'
import { usualTuning } from './search-index/index.ts'
import { openSecretKey } from './secret-key.ts'

/** Parts of a closed app that another app can reuse. */
export type KeptServer = { server: FastifyInstance; services: Services }

export type App = KeptServer & {
  close: () => Promise<void>
  /** Closes all but the server, so that another app can reuse the server. */
  closeData: () => Promise<void>
}

export type BuildOptions = {
  log?: Logger
  now?: () => Date
  limits?: Limits
  jobs?: readonly Job[]
  mcp?: McpOptions
  /** False in tests: a slow machine must not refuse their requests. */
  shedding?: boolean
  passwordHashing?: PasswordHashing
  timeouts?: Partial<Timeouts>
  /** Set in a worker that replaces another: a missing vault is an error, and no new one is created. */
  mustExist?: boolean
  metricsOfAll?: MetricsOfAll
  /** In tests: a reused server of an earlier app, because registering its routes takes most of the start. */
  kept?: KeptServer | undefined
}

/** Fields that are removed from logs: libraries may log requests, whose headers contain credentials. */
const HIDDEN = ['req.headers', '*.headers', 'headers', 'password', 'token', 'access_token', 'api_key']

const STDOUT = 1
export const standardOutput = new LogOutput(STDOUT)

export const makeLogger = (config: Config, destination: DestinationStream = standardOutput): Logger =>
  pino({ level: config.logLevel, redact: HIDDEN }, destination)

async function openMail({ mail, baseUrl }: Config): Promise<MailTransport | null> {
  if (!mail.smtpUrl) return null
  const { smtpMail } = await import('./adapters/mail.ts')
  return smtpMail({ url: mail.smtpUrl, from: mail.from, baseUrl })
}

async function openGoogle({ google }: Config): Promise<IdentityProvider | null> {
  if (!google) return null
  const { googleIdentity } = await import('./adapters/google.ts')
  return googleIdentity(google)
}

/** Checks the database and migrates it; returns the names of the applied migrations. */
async function prepareDatabase(config: Config, database: Database): Promise<string[]> {
  const { databaseUrl: url } = config
  if (url === undefined) return migrate(database)
  if (config.databaseDirectUrl !== undefined) {
    await requirePoolerSettings(database)
    await requireDirectWay(config.databaseDirectUrl, database)
  }
  await requireUtf8(url, database)
  if (database.isDistributed) await requireCitus(url, database)
  return migrate(database)
}

async function fillIndexes(services: Services): Promise<void> {
  const patient = { ...services, database: withPatience(services.database) }
  const cards = await bringIndexUpToDate(contextFor(patient))
  if (cards > 0) services.log.info({ cards }, 'cards were indexed again')
  const events = await fillEventIndex(contextFor(patient))
  if (events > 0) services.log.info({ events }, 'memory events were indexed')
}

async function closeServer(server: FastifyInstance, stopMs = TIMEOUTS.stopMs): Promise<void> {
  const end = setTimeout(() => server.server.closeAllConnections(), stopMs)
  try {
    await server.close()
  } finally {
    clearTimeout(end)
  }
}

async function openServices(
  config: Config,
  { limits, passwordHashing, mustExist }: BuildOptions,
  opened: Pick<Services, 'database' | 'log' | 'now'>,
): Promise<Services> {
  const { database, now } = opened
  const serverSettings = serverSettingsOf(config, database)
  await serverSettings.refresh()
  return {
    ...opened,
    config,
    serverSettings,
    adapters: {
      google: await openGoogle(config),
      payments: await openPayments(config, database, now),
      mail: await openMail(config),
    },
    limits: await limitsAmongNodes(database, limits ?? memoryLimits()),
    credentials: new CredentialCache(() => database.credentialsVersion()),
    databaseSpace: new DatabaseSpace(config, databaseSizeOf(database)),
    searchTuning: usualTuning(),
    passwordHashing: passwordHashing ?? HASHING,
    ...(await openSecretKey(config, opened, mustExist)),
    wakeups: new EventEmitter(),
    subscribers,
  }
}

async function prepareServices(
  config: Config,
  options: BuildOptions,
  opened: Pick<Services, 'database' | 'log' | 'now'>,
): Promise<Services> {
  const applied = await prepareDatabase(config, opened.database)
  if (applied.length > 0)
    opened.log.info(
      { migrations: applied.length },
      isVault(new Set(applied)) ? 'made a new database' : 'upgraded the database',
    )
  const made = await openServices(config, options, opened)
  // The routes of a kept server refer to its own `services` object.
  const services = options.kept ? Object.assign(options.kept.services, made) : made
  await fillIndexes(services)
  return services
}

const serverFor = (services: Services, options: BuildOptions): Promise<FastifyInstance> =>
  buildServer(services, {
    capabilities,
    rawRoutes,
    serveMcp: (app) => serveMcp(app, services, capabilities, options.mcp),
    shedding: options.shedding ?? true,
    timeouts: options.timeouts,
    metricsOfAll: options.metricsOfAll,
  })

/** Opens and connects all parts of the app (composition root). */
export async function buildApp(config: Config, options: BuildOptions = {}): Promise<App> {
  const log = options.log ?? makeLogger(config)
  const now = options.now ?? (() => new Date())
  const database = openDatabase(config, {
    onIdleError: (error) =>
      logFailure({ database, log }, error, { message: 'an idle database connection broke', level: 'warn' }),
    onReplicaChange: (usable, reason) =>
      log[usable ? 'info' : 'warn']({ reason }, `reads go to the ${usable ? 'replica' : 'primary'}`),
    onSlow: (slow) => log.warn(slow, 'a slow statement'),
    mustExist: options.mustExist ?? false,
  })
  try {
    const prepare = () => prepareServices(config, options, { database, log, now })
    const { databaseUrl: url } = config
    const services = await (url === undefined ? prepare() : explainUnusable(url, prepare))
    const server = options.kept?.server ?? (await serverFor(services, options))
    const stopJobs = startJobs(services, options.jobs)
    const closeData = async () => {
      await stopJobs()
      await database.close()
    }
    const close = async () => {
      await closeServer(server, options.timeouts?.stopMs)
      await closeData()
    }
    return { server, services, close, closeData }
  } catch (error) {
    await database.close()
    throw error
  }
}
