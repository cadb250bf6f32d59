import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { type Config, ConfigError, type Environment, isPackage, readConfig } from './config.ts'
import { makeFolder } from './core/disk.ts'
import { isAnyAddress, isLoopback, isOpenDevelopment } from './core/own-addresses.ts'
import type { Variables } from './core/user-folders.ts'

/**
 * Says that the port cannot be had before the database is opened. Otherwise a new version that is started beside the
 * running one would bring the database to its own schema first, under the feet of the old.
 */
export async function requirePort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<number> {
  const probe = createServer().listen({ host, port })
  await once(probe, 'listening')
  const { port: found } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return found
}

/** PORT=0 asks for any free port. It is chosen first, since the address in mails and redirects names it. */
export async function withChosenPort(settings: Variables): Promise<Variables> {
  const { host, port } = readConfig(settings)
  return port === 0 ? { ...settings, PORT: String(await requirePort({ host, port })) } : settings
}

/** Otherwise the first to notice would be the person who needs a backup. */
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

/**
 * Makes the folders of the settings, or says which one cannot be made, before the app is loaded. On PostgreSQL too the data
 * folder holds attachments, and without it the service never becomes ready.
 */
export function requireFolders({ dataDir, backup }: Config): void {
  makeFolder(dataDir)
  if (backup) requireBackupFolder(backup.dir)
}

/**
 * The command of the server, as it is called where this program runs. In a checkout not by npx, which first builds the web
 * app anew, and refuses whoever does not own the checkout.
 */
const commandOf = (ofPackage: boolean) => (ofPackage ? 'knowledge-vault' : 'node bin/kvault.js')

/** Without mail or Google nobody can prove an address, so naming one in ADMIN_EMAILS makes nobody admin. */
function hintOnAdmins({ adminEmails, mail, google }: Config, ofPackage: boolean): string {
  const [first] = adminEmails
  if (first === undefined || mail.smtpUrl !== undefined || google) return ''
  return `  Admins     this server sends no mail, so run: ${commandOf(ofPackage)} admin grant ${first}\n`
}

/** What the service says once it answers. */
export const greeting = (config: Config, ofPackage = isPackage): string =>
  `Knowledge Vault is up at ${config.baseUrl}\n  API docs   ${config.baseUrl}/docs\n  Get a key  sign up at ${config.baseUrl} and open "Connect your agent", or: POST ${config.baseUrl}/api/v1/auth/register, then POST /api/v1/auth/api-keys\n${hintOnAdmins(config, ofPackage)}`

/** Two are safe, as workers are, but mostly nobody wants two. */
export const secondServer = ({ dataDir }: Config): string =>
  `Warning: Another server runs on the data folder ${dataDir}. Both serve the same vault, but each counts limits and metrics by itself. Stop one of them; to use more processors, set WORKERS.\n`

/** Settings that do something only beside another one. Without it, backups or a model that somebody counts on would not be there. */
const BESIDE = {
  BACKUP_EVERY_HOURS: 'BACKUP_DIR',
  BACKUP_KEEP: 'BACKUP_DIR',
  LLM_API_KEY: 'LLM_BASE_URL',
  LLM_MODEL: 'LLM_BASE_URL',
  MAIL_FROM: 'SMTP_URL',
  SUPPORT_EMAIL: 'SMTP_URL',
  GOOGLE_JWKS_URL: 'GOOGLE_CLIENT_ID',
  GOOGLE_ISSUER: 'GOOGLE_CLIENT_ID',
  STRIPE_API_BASE: 'STRIPE_SECRET_KEY',
} as const satisfies Partial<Record<keyof typeof Environment.shape, keyof typeof Environment.shape>>

/** Why a setting does nothing, for each one that does. */
export function settingsWithoutEffect(settings: Variables, unknown: readonly string[]): string[] {
  const isSet = (name: string) => settings[name]?.trim()
  const lonely = Object.entries(BESIDE).filter(([name, other]) => isSet(name) && !isSet(other))
  return [
    ...unknown.map((name) => `${name} in the settings file is no setting of this program and has no effect.`),
    ...lonely.map(([name, other]) => `${name} has no effect without ${other}.`),
  ]
}

/** Settings that work, but hardly as the operator means them; a line each, after those that do nothing. */
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
