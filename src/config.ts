import { availableParallelism } from 'node:os'
import type { z } from 'zod'
import type { Licence } from './core/licences.ts'
import { Environment } from './environment.ts'
import { canonicalUrl, type TrustedProxies } from './setting-values.ts'

export type Config = Readonly<{
  host: string
  port: number
  baseUrl: string
  dataDir: string
  databaseUrl: string | undefined
  /** A streaming replica for reads; the same on every node that shares the database. */
  databaseReadUrl: string | undefined
  /** Set where `databaseUrl` leads through a pooler of transactions. */
  databaseDirectUrl: string | undefined
  /** Whether the tables are spread over the nodes of a Citus cluster. */
  databaseIsDistributed: boolean
  databasePoolSize: number
  /** Processes behind the port. */
  workers: number
  production: boolean
  logLevel: string
  adminEmails: readonly string[]
  /** Who decides about reported cards, besides the admins. */
  moderatorEmails: readonly string[]
  credits: boolean
  registration: 'open' | 'invite' | 'closed'
  /** Whether the Public Library can be read without an account. */
  publicPages: boolean
  /** Of cards that are published to the library without another choice. */
  libraryLicence: Licence
  sessionTtlDays: number
  /** Unset: one is made at first start and kept in the data folder. */
  secretKey: string | undefined
  /** The fingerprint of a former secret key that the operator gives up. */
  lostSecretKey: string | undefined
  google: { clientId: string; jwksUrl: string; issuer: string } | undefined
  mail: { smtpUrl: string | undefined; from: string }
  stripe: { secretKey: string; webhookSecret: string | undefined; apiBase: string | undefined } | undefined
  /** Signs the development provider's events; made at first start if it is not set. */
  developmentWebhookSecret: string | undefined
  /** Any OpenAI-compatible endpoint. */
  llm: { baseUrl: string; apiKey: string | null; model: string } | undefined
  supportEmail: string | undefined
  rateLimit: boolean
  metricsToken: string | undefined
  /** The proxies whose X-Forwarded-For is trusted. */
  trustProxy: TrustedProxies | undefined
  /** Further host names, beside that of the base URL, under which MCP may be reached. */
  allowedHosts: readonly string[]
  /** Whether OAuth clients may name themselves by the address of a document, which is then fetched. */
  oauthClientDocuments: boolean
  /** Below this much free disk no attachments, no pictures and, on SQLite, no long texts are accepted. */
  minFreeDiskMb: number
  /** All attachments together of people who are not signed in. */
  anonymousUploadsMb: number
  /** All attachments together on the support tickets of one person. */
  attachmentsMbPerPerson: number
  /** All pictures together that one person has put on cards. */
  imagesMbPerPerson: number
  /** All that one person has written. */
  textMbPerPerson: number
  /** On PostgreSQL: above this size of the database, long writes are refused. */
  maxDatabaseMb: number | undefined
  /** Scheduled backups; only if a folder for them is set. */
  backup: { dir: string; everyHours: number; keep: number } | undefined
}>

/** Wrong settings, one line each, for people to read. */
export class ConfigError extends Error {
  constructor(lines: string[]) {
    super(lines.join('\n'))
    this.name = 'ConfigError'
  }
}

/**
 * Blanks and line ends around a value come from quotes, from Windows or from a secret in a file, and would make another
 * folder or token of it. An empty variable counts as unset, as in an env file with nothing after the equals sign.
 */
const tidy = (env: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(env)
      .map(([name, value]) => [name, value?.trim()])
      .filter(([, value]) => value),
  )

const hostInUrl = (host: string) => (host.includes(':') ? `[${host}]` : host)

/** Settings that make sense only together with others. */
function refuseHalves(e: z.output<typeof Environment>): void {
  if (e.NODE_ENV === 'production' && e.STRIPE_SECRET_KEY && !e.STRIPE_WEBHOOK_SECRET)
    throw new ConfigError(['STRIPE_WEBHOOK_SECRET: must be set in production when STRIPE_SECRET_KEY is'])
  if (e.DATABASE_READ_URL && !e.DATABASE_URL)
    throw new ConfigError(['DATABASE_READ_URL: needs DATABASE_URL, of which it is a replica'])
  if (e.DATABASE_DIRECT_URL && !e.DATABASE_URL)
    throw new ConfigError(['DATABASE_DIRECT_URL: needs DATABASE_URL, the address of the pooler'])
  if (e.DATABASE_DISTRIBUTED && !e.DATABASE_URL)
    throw new ConfigError(['DATABASE_DISTRIBUTED: needs DATABASE_URL, the address of the coordinator'])
  if (e.DATABASE_DISTRIBUTED && e.DATABASE_READ_URL)
    throw new ConfigError([
      'DATABASE_READ_URL: a replica of the coordinator has no shards; leave it unset on a cluster',
    ])
}

const storageLimits = (e: z.output<typeof Environment>) => ({
  minFreeDiskMb: e.MIN_FREE_DISK_MB,
  anonymousUploadsMb: e.ANONYMOUS_UPLOADS_MB,
  attachmentsMbPerPerson: e.ATTACHMENTS_MB_PER_PERSON,
  imagesMbPerPerson: e.IMAGES_MB_PER_PERSON,
  textMbPerPerson: e.TEXT_MB_PER_PERSON,
  maxDatabaseMb: e.MAX_DATABASE_MB,
})

const googleOf = (e: z.output<typeof Environment>): Config['google'] =>
  e.GOOGLE_CLIENT_ID
    ? { clientId: e.GOOGLE_CLIENT_ID, jwksUrl: e.GOOGLE_JWKS_URL, issuer: e.GOOGLE_ISSUER }
    : undefined

export function readConfig(env: Record<string, string | undefined>): Config {
  const parsed = Environment.safeParse(tidy(env))
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
  const e = parsed.data
  refuseHalves(e)
  return Object.freeze({
    host: e.HOST,
    port: e.PORT,
    baseUrl: e.BASE_URL ?? canonicalUrl(`http://${hostInUrl(e.HOST)}:${e.PORT}`),
    dataDir: e.DATA_DIR,
    databaseUrl: e.DATABASE_URL,
    databaseReadUrl: e.DATABASE_READ_URL,
    databaseDirectUrl: e.DATABASE_DIRECT_URL,
    databaseIsDistributed: e.DATABASE_DISTRIBUTED === 'citus',
    databasePoolSize: e.DATABASE_POOL_SIZE,
    workers: e.WORKERS ?? availableParallelism(),
    production: e.NODE_ENV === 'production',
    logLevel: e.LOG_LEVEL,
    adminEmails: e.ADMIN_EMAILS,
    moderatorEmails: e.MODERATOR_EMAILS,
    credits: e.CREDITS,
    registration: e.REGISTRATION,
    publicPages: e.PUBLIC_PAGES,
    libraryLicence: e.LIBRARY_LICENCE,
    sessionTtlDays: e.SESSION_TTL_DAYS,
    secretKey: e.SECRET_KEY,
    lostSecretKey: e.LOST_SECRET_KEY,
    google: googleOf(e),
    mail: { smtpUrl: e.SMTP_URL, from: e.MAIL_FROM },
    stripe: e.STRIPE_SECRET_KEY
      ? { secretKey: e.STRIPE_SECRET_KEY, webhookSecret: e.STRIPE_WEBHOOK_SECRET, apiBase: e.STRIPE_API_BASE }
      : undefined,
    developmentWebhookSecret: e.STRIPE_WEBHOOK_SECRET,
    llm: e.LLM_BASE_URL
      ? { baseUrl: e.LLM_BASE_URL, apiKey: e.LLM_API_KEY ?? null, model: e.LLM_MODEL }
      : undefined,
    supportEmail: e.SUPPORT_EMAIL,
    rateLimit: e.RATE_LIMIT,
    metricsToken: e.METRICS_TOKEN,
    trustProxy: e.TRUST_PROXY,
    allowedHosts: e.ALLOWED_HOSTS,
    oauthClientDocuments: e.OAUTH_CLIENT_DOCUMENTS,
    ...storageLimits(e),
    backup: e.BACKUP_DIR
      ? { dir: e.BACKUP_DIR, everyHours: e.BACKUP_EVERY_HOURS, keep: e.BACKUP_KEEP }
      : undefined,
  })
}
