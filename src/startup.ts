import cluster from 'node:cluster'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import {
  type Config,
  ConfigError,
  type Environment,
  hostInUrl,
  isPackage,
  readConfig,
  unknownInEnvFile,
  withEnvFile,
} from './config.ts'
import { makeFolder } from './core/disk.ts'
import { isAnyAddress, isLoopback, isOpenDevelopment } from './core/own-addresses.ts'
import type { Variables } from './core/user-folders.ts'

/** Runs before the database opens: a new version must not migrate while the old one still runs. */
export async function requirePort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<number> {
  const probe = createServer().listen({ host, port })
  await once(probe, 'listening')
  const { port: found } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return found
}

export async function withChosenPort(settings: Variables): Promise<Variables> {
  const { host, port } = readConfig(settings)
  return port === 0 ? { ...settings, PORT: String(await requirePort({ host, port })) } : settings
}

export async function readSettings(): Promise<{ settings: Variables; config: Config }> {
  const settings = await withChosenPort(withEnvFile(process.env))
  return { settings, config: readConfig(settings) }
}

/** Checks the backup folder at start, so that nobody finds out when a backup is needed. */
function requireBackupFolder(path: string): void {
  try {
    makeFolder(path)
    accessSync(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigError([
      `BACKUP_DIR: ${path} cannot be written (${(error as NodeJS.ErrnoException).code})`,
    ])
  }
}

export function requireFolders({ dataDir, backup }: Config): void {
  makeFolder(dataDir)
  if (backup) requireBackupFolder(backup.dir)
}

/** Claims the data folder for this server; returns false if another server runs on it. */
async function claimData({ databaseUrl, dataDir }: Config): Promise<boolean> {
  if (databaseUrl !== undefined) return true
  return (await import('./db/sqlite/server-lock.ts')).claimFolder(dataDir)
}

/**
 * Checks folders and port and claims the data, before the secret key is read: a change of the key must see a running
 * server. Returns a function that greets once the server is up.
 */
export async function prepareStart(config: Config, settings: Variables): Promise<() => void> {
  const unknownSettings = unknownInEnvFile(process.env)
  requireFolders(config)
  await requirePort(config)
  const isAlone = await claimData(config)
  return () => {
    process.stdout.write(greeting(config))
    if (!isAlone) process.stderr.write(secondServer(config))
    for (const warning of warningsAtStart(config, settingsWithoutEffect(settings, unknownSettings)))
      process.stderr.write(warning)
  }
}

/** Requests get ten seconds (`TIMEOUTS`); the rest is for everything else. */
const SHUTDOWN_MS = 14_000
/** Shorter than SHUTDOWN_MS, so that the supervisor ends last. */
const WORKER_SHUTDOWN_MS = 13_000
const EXIT_FAILED = 1

/** Stops the service in order at a signal, and exits with the code that `stop` returns. */
export function stopAtSignal(stop: () => Promise<number>): void {
  const longestMs = cluster.isWorker ? WORKER_SHUTDOWN_MS : SHUTDOWN_MS
  let stopping = false
  const handle = async () => {
    if (stopping) return
    stopping = true
    // Forces the exit: a job whose mail server or disk hangs must not keep the process alive.
    setTimeout(() => process.exit(EXIT_FAILED), longestMs).unref()
    process.exit(await stop())
  }
  // Node ignores nohup, so a closing terminal ends the service: SIGHUP stops it in order.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, handle)
  onEndOfNpm(handle)
}

const POLL_MS = 500

/** Stops the service when npm has ended: the shell between npm and this process does not pass signals on. */
function onEndOfNpm(handle: () => void): void {
  if (cluster.isWorker || process.env.npm_lifecycle_event === undefined) return
  const shell = process.ppid
  setInterval(() => process.ppid !== shell && handle(), POLL_MS).unref()
}

/** In a checkout npx would rebuild the web app and refuse users who do not own the checkout. */
const commandOf = (ofPackage: boolean) => (ofPackage ? 'knowledge-vault' : 'node bin/kvault.js')

/** Without mail or Google nobody can prove an address, so ADMIN_EMAILS has no effect. */
function hintOnAdmins({ adminEmails, mail, google }: Config, ofPackage: boolean): string {
  const [first] = adminEmails
  if (first === undefined || mail.smtpUrl !== undefined || google) return ''
  return `  Admins     this server sends no mail, so run: ${commandOf(ofPackage)} admin grant ${first}\n`
}

/** Names the listening address where it is another than the one that people use. */
function listeningAt({ host, port, baseUrl }: Config): string {
  const listening = `http://${hostInUrl(host)}:${port}`
  return listening === baseUrl ? '' : `  Listens    at ${listening}\n`
}

export const greeting = (config: Config, ofPackage = isPackage): string =>
  `Knowledge Vault is up at ${config.baseUrl}\n${listeningAt(config)}  API docs   ${config.baseUrl}/docs\n  Get a key  sign up at ${config.baseUrl} and open "Connect your agent", or: POST ${config.baseUrl}/api/v1/auth/register, then POST /api/v1/auth/api-keys\n${hintOnAdmins(config, ofPackage)}`

export const secondServer = ({ dataDir }: Config): string =>
  `Warning: Another server runs on the data folder ${dataDir}. Both serve the same vault, but each counts limits and metrics by itself. Stop one of them; to use more processors, set WORKERS.\n`

const BESIDE = {
  BACKUP_EVERY_HOURS: 'BACKUP_DIR',
  BACKUP_KEEP: 'BACKUP_DIR',
  LLM_API_KEY: 'LLM_BASE_URL',
  EMBEDDINGS_KEY: 'EMBEDDINGS_URL',
  EMBEDDINGS_MODEL: 'EMBEDDINGS_URL',
  EMBEDDINGS_WAIT_MS: 'EMBEDDINGS_URL',
  LLM_MODEL: 'LLM_BASE_URL',
  MAIL_FROM: 'SMTP_URL',
  SUPPORT_EMAIL: 'SMTP_URL',
  GOOGLE_JWKS_URL: 'GOOGLE_CLIENT_ID',
  GOOGLE_ISSUER: 'GOOGLE_CLIENT_ID',
  STRIPE_API_BASE: 'STRIPE_SECRET_KEY',
} as const satisfies Partial<Record<keyof typeof Environment.shape, keyof typeof Environment.shape>>

/** Explains, for each setting without effect, why it has none. */
export function settingsWithoutEffect(settings: Variables, unknown: readonly string[]): string[] {
  const isSet = (name: string) => settings[name]?.trim()
  const lonely = Object.entries(BESIDE).filter(([name, other]) => isSet(name) && !isSet(other))
  return [
    ...unknown.map((name) => `${name} in the settings file is no setting of this program and has no effect.`),
    ...lonely.map(([name, other]) => `${name} has no effect without ${other}.`),
  ]
}

/** Lists settings that work but probably not as the operator intends, one line each. */
export function warningsAtStart(config: Config, withoutEffect: readonly string[] = []): string[] {
  const warnings = [...withoutEffect]
  if (isOpenDevelopment(config))
    warnings.push(
      'NODE_ENV is not "production", but this address can be reached by others. Payments are simulated and cost nothing. Set NODE_ENV=production.',
    )
  const { pathname, hostname } = new URL(config.baseUrl)
  if (isAnyAddress(hostname) || (config.trustProxy && isLoopback(hostname)))
    warnings.push(
      `Links in mails and redirects lead to ${config.baseUrl}, which others cannot open. Set BASE_URL to the address that people use.`,
    )
  if (pathname !== '/')
    warnings.push(
      `BASE_URL has the path ${pathname}. Programs can use the vault there, but its pages work only at the root of a host name. Give it a host name of its own.`,
    )
  if (config.mail.smtpUrl && !isLoopback(hostname) && /@localhost>?$/.test(config.mail.from))
    warnings.push(
      `Mails come from ${config.mail.from}, which other servers refuse. Set MAIL_FROM to an address of yours.`,
    )
  return warnings.map((warning) => `Warning: ${warning}\n`)
}
