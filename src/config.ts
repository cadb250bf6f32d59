import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { z } from 'zod'

const onOff = z.enum(['on', 'off']).transform((value) => value === 'on')
const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number from 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65_535, 'must be a port number from 0 to 65535')
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)
const names = z
  .string()
  .default('')
  .transform((list) =>
    list
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter(Boolean),
  )
const PROXY_NETWORK =
  'must be on, off, a number of proxies from 1 to 10, or a list of addresses and networks (10.0.0.0/8)'

/** Proxies in front: how many there are, or where they are. */
export type TrustedProxies = { hops: number } | { networks: readonly string[] }

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

const trustedProxies = z
  .string()
  .default('off')
  .transform((text, ctx): TrustedProxies | undefined => {
    if (text === 'off') return undefined
    if (text === 'on') return { hops: 1 }
    if (/^([1-9]|10)$/.test(text)) return { hops: Number(text) }
    const networks = text.split(',').map((network) => network.trim())
    if (networks.every(isNetwork)) return { networks }
    ctx.addIssue(PROXY_NETWORK)
    return z.NEVER
  })
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })

const Environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port.default(8080),
  BASE_URL: httpUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL; leave it unset for SQLite in DATA_DIR')
    .optional(),
  DATABASE_READ_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL of a streaming replica')
    .optional(),
  DATABASE_POOL_SIZE: whole(1, 200).default(10),
  WORKERS: whole(1, 256).optional(),
  NODE_ENV: z.string().default('development'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  ADMIN_EMAILS: names,
  CREDITS: onOff.default(true),
  REGISTRATION: z.enum(['open', 'invite', 'closed']).default('open'),
  SESSION_TTL_DAYS: whole(1, 3650).default(30),
  GOOGLE_CLIENT_ID: z.string().min(1).optional(),
  GOOGLE_JWKS_URL: httpUrl.default('https://www.googleapis.com/oauth2/v3/certs'),
  GOOGLE_ISSUER: httpUrl.default('https://accounts.google.com'),
  SECRET_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must be an smtp:// or smtps:// URL')
    .optional(),
  MAIL_FROM: z.string().min(3).default('Knowledge Vault <no-reply@localhost>'),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_API_BASE: httpUrl.optional(),
  LLM_BASE_URL: httpUrl.optional(),
  LLM_API_KEY: z.string().min(1).optional(),
  LLM_MODEL: z.string().min(1).default('gpt-4o-mini'),
  SUPPORT_EMAIL: z.string().min(3).optional(),
  RATE_LIMIT: onOff.default(true),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  TRUST_PROXY: trustedProxies,
  ALLOWED_HOSTS: names,
  OAUTH_CLIENT_DOCUMENTS: onOff.default(false),
  MIN_FREE_DISK_MB: whole(0, 999_999_999).default(512),
  ANONYMOUS_UPLOADS_MB: whole(0, 999_999_999).default(1024),
  BACKUP_DIR: z.string().min(1).optional(),
  BACKUP_EVERY_HOURS: whole(1, 8760).default(24),
  BACKUP_KEEP: whole(1, 10_000).default(7),
})

export type Config = Readonly<{
  host: string
  port: number
  baseUrl: string
  dataDir: string
  databaseUrl: string | undefined
  /** A streaming replica for reads; the same on every node that shares the database. */
  databaseReadUrl: string | undefined
  databasePoolSize: number
  /** Processes behind the port. */
  workers: number
  production: boolean
  logLevel: string
  adminEmails: readonly string[]
  credits: boolean
  registration: 'open' | 'invite' | 'closed'
  sessionTtlDays: number
  /** Unset: one is made at first start and kept in the data folder. */
  secretKey: string | undefined
  google: { clientId: string; jwksUrl: string; issuer: string } | undefined
  mail: { smtpUrl: string | undefined; from: string }
  stripe: { secretKey: string; webhookSecret: string | undefined; apiBase: string | undefined } | undefined
  /** Signs the development provider's events; made at first start where it is not given. */
  developmentWebhookSecret: string | undefined
  /** Any OpenAI-compatible endpoint. */
  llm: { baseUrl: string; apiKey: string | null; model: string } | undefined
  supportEmail: string | undefined
  rateLimit: boolean
  metricsToken: string | undefined
  /** Whose X-Forwarded-For is believed. */
  trustProxy: TrustedProxies | undefined
  /** Further host names, beside that of the base URL, under which MCP may be reached. */
  allowedHosts: readonly string[]
  /** Whether OAuth clients may name themselves by the address of a document, which is then fetched. */
  oauthClientDocuments: boolean
  /** Below so much free disk no attachments are taken. */
  minFreeDiskMb: number
  /** All attachments together of people who are not signed in. */
  anonymousUploadsMb: number
  /** Backups by the program itself; only where a folder for them is named. */
  backup: { dir: string; everyHours: number; keep: number } | undefined
}>

/** Wrong settings, one line each, for people to read. */
export class ConfigError extends Error {
  constructor(lines: string[]) {
    super(lines.join('\n'))
    this.name = 'ConfigError'
  }
}

/** An empty variable counts as unset, as in an env file with nothing after the equals sign. */
const withoutEmpty = (env: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))

const hostInUrl = (host: string) => (host.includes(':') ? `[${host}]` : host)

export function readConfig(env: Record<string, string | undefined>): Config {
  const parsed = Environment.safeParse(withoutEmpty(env))
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
  const e = parsed.data
  if (e.NODE_ENV === 'production' && e.STRIPE_SECRET_KEY && !e.STRIPE_WEBHOOK_SECRET)
    throw new ConfigError(['STRIPE_WEBHOOK_SECRET: must be set in production when STRIPE_SECRET_KEY is'])
  if (e.DATABASE_READ_URL && !e.DATABASE_URL)
    throw new ConfigError(['DATABASE_READ_URL: needs DATABASE_URL, of which it is a replica'])
  return Object.freeze({
    host: e.HOST,
    port: e.PORT,
    baseUrl: e.BASE_URL ?? `http://${hostInUrl(e.HOST)}:${e.PORT}`,
    dataDir: e.DATA_DIR,
    databaseUrl: e.DATABASE_URL,
    databaseReadUrl: e.DATABASE_READ_URL,
    databasePoolSize: e.DATABASE_POOL_SIZE,
    workers: e.WORKERS ?? availableParallelism(),
    production: e.NODE_ENV === 'production',
    logLevel: e.LOG_LEVEL,
    adminEmails: e.ADMIN_EMAILS,
    credits: e.CREDITS,
    registration: e.REGISTRATION,
    sessionTtlDays: e.SESSION_TTL_DAYS,
    secretKey: e.SECRET_KEY,
    google: e.GOOGLE_CLIENT_ID
      ? { clientId: e.GOOGLE_CLIENT_ID, jwksUrl: e.GOOGLE_JWKS_URL, issuer: e.GOOGLE_ISSUER }
      : undefined,
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
    minFreeDiskMb: e.MIN_FREE_DISK_MB,
    anonymousUploadsMb: e.ANONYMOUS_UPLOADS_MB,
    backup: e.BACKUP_DIR
      ? { dir: e.BACKUP_DIR, everyHours: e.BACKUP_EVERY_HOURS, keep: e.BACKUP_KEEP }
      : undefined,
  })
}
