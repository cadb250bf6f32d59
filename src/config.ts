import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { Email, LicenceId } from './core/schemas.ts'
import { homeFolder, userDataFolder, type Variables } from './core/user-folders.ts'
import { DEFAULT_LICENCE, type Licence } from './shared/licences.ts'
import { withoutEnd } from './text/unicode.ts'

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

const names = (problem: (name: string) => string | undefined) =>
  z
    .string()
    .default('')
    .transform((list, ctx) => {
      const found = list
        .split(',')
        .map((name) => name.trim().toLowerCase())
        .filter(Boolean)
      for (const name of found) {
        const message = problem(name)
        if (message !== undefined) ctx.addIssue(`${JSON.stringify(name)} ${message}`)
      }
      return found
    })

const isEmail = (text: string) => Email.safeParse(text).success

const emails = names((name) => (isEmail(name) ? undefined : 'is no e-mail address'))

const isHostName = (name: string) =>
  /^[a-z\d._:[\]-]+$/.test(name) &&
  URL.canParse(`http://${name}`) &&
  new URL(`http://${name}`).hostname === name

const hostNames = names((name) =>
  isHostName(name) ? undefined : 'is no host name; write it without scheme, port and path',
)

const addressIn = (text: string) => /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(text.trim())?.[1] ?? text

const mailbox = z
  .string()
  .refine(
    (text) => isEmail(addressIn(text)),
    'must be an e-mail address: name@example.com or Name <name@example.com>',
  )

/** Mail servers reject a receiver with a display name. */
const receiver = mailbox.transform((text) => addressIn(text).trim())

const PROXY_NETWORK =
  'must be on, off, a number of proxies from 1 to 10, or a list of addresses and networks (10.0.0.0/8)'

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

/** `fetch` rejects an address with user and password, and its error would write the password to the log. */
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).refine((url) => {
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' }
  return username === '' && password === ''
}, 'must name no user and no password')

const originUrl = httpUrl.refine(
  (url) => !URL.canParse(url) || new URL(url).href === `${new URL(url).origin}/`,
  'must have no path: only scheme, host and port are used',
)

/** Returns scheme and host in lower case without the default port: OAuth compares the strings. */
const canonicalUrl = (url: string): string => (URL.canParse(url) ? withoutEnd(new URL(url).href, '/') : url)

/** Must not end in query or fragment, because paths are appended. Everybody can see this URL. */
const publicUrl = httpUrl
  .refine((url) => !/[?#]/.test(url), 'must have neither a query (?) nor a fragment (#)')
  .transform(canonicalUrl)

/** Must fit into an HTTP header; otherwise the error of `fetch` would write the credential to the log. */
const credential = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be plain letters, digits and signs, without blanks')

const NO_URL = 'is no valid URL: check host and port, and write special characters of the password as %-codes'

/** Explains `postgres://user@/name?host=/folder`, a socket form that is no standard URL. */
const postgresUrl = (form: string) =>
  z
    .string()
    .regex(/^postgres(ql)?:\/\//, { error: form, abort: true })
    .refine((url) => URL.canParse(url.replace('@/', '@localhost/')), NO_URL)
    .refine((url) => port.safeParse(/[?&]port=([^&]*)/.exec(url)?.[1] ?? '0').success, NO_URL)
    .refine((url) => SSL_MODES.includes(/[?&]sslmode=([^&]*)/.exec(url)?.[1] ?? 'disable'), WRONG_SSL_MODE)
    .transform(withStrictMode)

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const WRONG_SSL_MODE = `has an unknown sslmode; use one of ${SSL_MODES.join(', ')}`

/** `pg` treats these modes as strict anyway, but prints warnings at each start. */
const withStrictMode = (url: string): string =>
  /[?&]uselibpqcompat=true(?:&|$)/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full')

/** A settings file does not expand `~`: a folder with that name would be created. */
const folder = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('~'), 'must be a whole path: ~ is not replaced by the home folder')
  .refine((path) => !path.includes('://'), 'must be the path of a folder, not an address')

const smtpUrl = z
  .string()
  .regex(/^smtps?:\/\//, { error: 'must be an smtp:// or smtps:// URL', abort: true })
  .refine((url) => URL.canParse(url), { error: NO_URL, abort: true })
  .refine((url) => new URL(url).hostname !== '', 'must name the host of the mail server')

/** Every variable that the server reads. The sentence beside each one becomes its comment in .env.example. */
export const Environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('The address to listen on.'),
  PORT: port.default(8080).describe('The port to listen on.'),
  BASE_URL: publicUrl
    .optional()
    .describe(
      'The address that people use, without a path: in mails, invitations and redirects. Default: http://HOST:PORT.',
    ),
  DATA_DIR: folder
    .default('./data')
    .describe('The folder for the database file, attachments and the server secret.'),
  DATABASE_URL: postgresUrl('must be a postgres:// URL; leave it unset for SQLite in DATA_DIR')
    .optional()
    .describe('postgres://… for PostgreSQL 15 or newer. Default: SQLite in DATA_DIR.'),
  DATABASE_READ_URL: postgresUrl('must be a postgres:// URL of a streaming replica')
    .optional()
    .describe('A streaming replica of that database, for reads.'),
  DATABASE_DIRECT_URL: postgresUrl('must be a postgres:// URL that leads past the pooler')
    .optional()
    .describe(
      'Where DATABASE_URL leads through PgBouncer in transaction mode: the same database without it, for what needs a connection of its own.',
    ),
  DATABASE_DISTRIBUTED: z
    .enum(['citus'])
    .optional()
    .describe('citus: DATABASE_URL is the coordinator of a Citus cluster, over which the tables are spread.'),
  DATABASE_POOL_SIZE: whole(1, 200).default(10).describe('PostgreSQL connections per process.'),
  WORKERS: whole(1, 256)
    .optional()
    .describe('Processes behind the port, on either engine. Default: the number of cores.'),
  NODE_ENV: z
    .enum(['development', 'test', 'production'], 'must be development, test or production')
    .default('development')
    .describe(
      'production: payments are not simulated, /metrics needs METRICS_TOKEN, and STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe(
      'fatal, error, warn, info, debug, trace or silent. Logs go to standard output; warn has no line for each request.',
    ),
  ADMIN_EMAILS: emails.describe('The e-mail addresses of service admins, separated by commas.'),
  MODERATOR_EMAILS: emails.describe(
    'The e-mail addresses of people who decide about reported cards, besides the service admins.',
  ),
  CREDITS: onOff
    .optional()
    .describe(
      'on, or off: nothing is charged anywhere. Default: on, until an admin switches credits off in the app.',
    ),
  REGISTRATION: z
    .enum(['open', 'invite', 'closed'])
    .default('open')
    .describe('open, invite (only with an invitation) or closed.'),
  PUBLIC_PAGES: onOff
    .default(false)
    .describe(
      'on: the Public Library and other public workspaces can be read without an account, and search engines may list their cards (/library, /sitemap.xml).',
    ),
  LIBRARY_LICENCE: LicenceId.default(DEFAULT_LICENCE).describe(
    'The licence of cards published to the library without another choice: CC0-1.0, CC-BY-4.0, CC-BY-SA-4.0 or MIT.',
  ),
  SESSION_TTL_DAYS: whole(1, 3650)
    .default(30)
    .describe('A browser session ends after this many days without use.'),
  GOOGLE_CLIENT_ID: z.string().min(1).optional().describe('Switches on sign-in with Google.'),
  GOOGLE_JWKS_URL: httpUrl
    .default('https://www.googleapis.com/oauth2/v3/certs')
    .describe('For a stand-in of Google.'),
  GOOGLE_ISSUER: httpUrl.default('https://accounts.google.com').describe('For a stand-in of Google.'),
  SECRET_KEY: z
    .string()
    .min(32, 'must have at least 32 characters')
    .optional()
    .describe(
      'Seals what waits in the database, such as mails. The same on all machines. Default: made at first start, kept in DATA_DIR/secret.key.',
    ),
  LOST_SECRET_KEY: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The fingerprint of a secret key that is lost, as the refused start names it: the vault starts with another key and lists what cannot be read any more.',
    ),
  SMTP_URL: smtpUrl
    .optional()
    .describe('smtp://user:password@host:port for mail. Without it, links are shown to the admin.'),
  MAIL_FROM: mailbox.default('Knowledge Vault <no-reply@localhost>').describe('The sender of mails.'),
  STRIPE_SECRET_KEY: credential
    .optional()
    .describe(
      'Payments by Stripe. Without it, outside production, a development provider simulates the whole flow.',
    ),
  STRIPE_WEBHOOK_SECRET: credential
    .optional()
    .describe('The signing secret of the webhook. Production needs it when STRIPE_SECRET_KEY is set.'),
  STRIPE_API_BASE: originUrl.optional().describe('For a stand-in of Stripe.'),
  LLM_BASE_URL: httpUrl
    .optional()
    .describe(
      'Any OpenAI-compatible endpoint, for action cards, cards made from memory and the support chat. Without it, all three work from the texts themselves.',
    ),
  LLM_API_KEY: credential.optional().describe('The key for that endpoint, if it needs one.'),
  LLM_MODEL: z.string().min(1).default('gpt-4o-mini').describe('The model to ask for.'),
  EMBEDDINGS_URL: httpUrl
    .optional()
    .describe(
      'An endpoint of the OpenAI form for embeddings, such as http://localhost:11434/v1. Search then also finds by meaning; the redacted texts of cards, memory events and questions are sent there.',
    ),
  EMBEDDINGS_KEY: credential.optional().describe('The key for that endpoint, if it needs one.'),
  EMBEDDINGS_MODEL: z
    .string()
    .min(1)
    .max(200)
    .default('text-embedding-3-small')
    .describe('The model to ask for. With another name all vectors are made anew.'),
  EMBEDDINGS_WAIT_MS: whole(1, 10_000)
    .default(150)
    .describe('How many milliseconds a search waits for the vector of its question.'),
  SUPPORT_EMAIL: receiver.optional().describe('Where support tickets are mailed to.'),
  RATE_LIMIT: onOff.default(true).describe('off: no limits per credential or host.'),
  METRICS_TOKEN: credential
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('The bearer token for /metrics, at least 16 characters.'),
  TRUST_PROXY: trustedProxies.describe(
    'Whose X-Forwarded-For is believed: on, or the number of proxies in front, or their networks.',
  ),
  ALLOWED_HOSTS: hostNames.describe(
    'Further host names under which MCP may be reached, separated by commas.',
  ),
  OAUTH_CLIENT_DOCUMENTS: onOff
    .default(false)
    .describe(
      'on: OAuth clients may identify themselves by the address of a document, which the server then fetches.',
    ),
  MIN_FREE_DISK_MB: whole(0, 999_999_999)
    .default(512)
    .describe(
      'Below so much free disk no attachments, pictures and texts over 4 KB are taken, and no scheduled backup is written.',
    ),
  MAX_DATABASE_MB: whole(1, 999_999_999)
    .optional()
    .describe(
      'On PostgreSQL: above this size of the database no texts over 4 KB are taken. Default: no limit.',
    ),
  ANONYMOUS_UPLOADS_MB: whole(0, 999_999_999)
    .default(1024)
    .describe('The total size of attachments from people who are not signed in.'),
  ATTACHMENTS_MB_PER_PERSON: whole(0, 999_999_999)
    .default(200)
    .describe('The total size of attachments on the support tickets of one person.'),
  IMAGES_MB_PER_PERSON: whole(0, 999_999_999)
    .default(200)
    .describe('The total size of pictures that one person puts on cards.'),
  TEXT_MB_PER_PERSON: whole(1, 999_999_999)
    .default(500)
    .describe(
      'The total size of what one person writes: cards with versions and evidence, comments, verdicts, memory, raw materials and drafts.',
    ),
  BACKUP_DIR: folder
    .optional()
    .describe('A folder for backups on a schedule. Without it, there is no schedule.'),
  BACKUP_EVERY_HOURS: whole(1, 8760).default(24).describe('Hours between two backups.'),
  BACKUP_KEEP: whole(1, 10_000).default(7).describe('How many backups are kept.'),
})

export type Config = Readonly<{
  host: string
  port: number
  baseUrl: string
  dataDir: string
  databaseUrl: string | undefined
  /** A streaming replica for reads; must be the same on every node that shares the database. */
  databaseReadUrl: string | undefined
  /** Set if `databaseUrl` leads through a transaction pooler: the address without the pooler. */
  databaseDirectUrl: string | undefined
  /** Whether the tables are distributed over the nodes of a Citus cluster. */
  databaseIsDistributed: boolean
  databasePoolSize: number
  workers: number
  production: boolean
  logLevel: string
  adminEmails: readonly string[]
  /** People who decide about reported cards, besides the admins. */
  moderatorEmails: readonly string[]
  /** Unset: `server_settings` decides. */
  credits: boolean | undefined
  registration: 'open' | 'invite' | 'closed'
  publicPages: boolean
  libraryLicence: Licence
  sessionTtlDays: number
  /** If unset, the first start creates a key in the data folder. */
  secretKey: string | undefined
  /** The fingerprint of a lost secret key whose sealed data the operator gives up. */
  lostSecretKey: string | undefined
  google: { clientId: string; jwksUrl: string; issuer: string } | undefined
  mail: { smtpUrl: string | undefined; from: string }
  stripe: { secretKey: string; webhookSecret: string | undefined; apiBase: string | undefined } | undefined
  /** Signs the development provider's events; created at the first start if unset. */
  developmentWebhookSecret: string | undefined
  llm: { baseUrl: string; apiKey: string | null; model: string } | undefined
  /** Unset: search finds by words alone. */
  embeddings: { url: string; apiKey: string | null; model: string; waitMs: number } | undefined
  supportEmail: string | undefined
  rateLimit: boolean
  metricsToken: string | undefined
  trustProxy: TrustedProxies | undefined
  /** Host names, besides that of the base URL, under which MCP may be reached. */
  allowedHosts: readonly string[]
  /** Whether an OAuth client id may be the address of a metadata document, which the server then fetches. */
  oauthClientDocuments: boolean
  /** Free disk space in MB below which attachments, pictures and (on SQLite) long texts are refused. */
  minFreeDiskMb: number
  /** Limit in MB for the attachments of all people who are not signed in. */
  anonymousUploadsMb: number
  /** Limit in MB for one person's attachments on support tickets. */
  attachmentsMbPerPerson: number
  imagesMbPerPerson: number
  textMbPerPerson: number
  /** On PostgreSQL: the database size in MB above which long writes are refused. */
  maxDatabaseMb: number | undefined
  backup: { dir: string; everyHours: number; keep: number } | undefined
}>

/** Wrong settings, one readable line each. */
export class ConfigError extends Error {
  constructor(lines: string[]) {
    super(lines.join('\n'))
    this.name = 'ConfigError'
  }
}

/** Quotes, Windows line ends or a secret file would otherwise change a path or a token. */
const tidy = (env: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(env)
      .map(([name, value]) => [name, value?.trim()])
      .filter(([, value]) => value),
  )

export const hostInUrl = (host: string) => (host.includes(':') ? `[${host}]` : host)

/** Refuses settings that are valid only together with others. */
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

const embeddingsOf = (e: z.output<typeof Environment>): Config['embeddings'] =>
  e.EMBEDDINGS_URL
    ? {
        url: e.EMBEDDINGS_URL,
        apiKey: e.EMBEDDINGS_KEY ?? null,
        model: e.EMBEDDINGS_MODEL,
        waitMs: e.EMBEDDINGS_WAIT_MS,
      }
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
    embeddings: embeddingsOf(e),
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

/** The default file and variables, used where neither environment nor file sets them. */
export type Standards = { file: string; variables: Variables }

/** Settings lie beside package.json: the working folder's .env may belong to another program. */
const ofCheckout = (): Standards => ({
  file: fileURLToPath(new URL('../.env', import.meta.url)),
  variables: {},
})

/** Data and settings lie in the person's own folder, because an update replaces the package. */
export function ofPackage(env: Variables, home: string): Standards {
  const folder = userDataFolder('knowledge-vault', env, home)
  return { file: join(folder, '.env'), variables: { DATA_DIR: folder } }
}

export const isPackage = import.meta.url.endsWith('.js')

const standardsHere = (env: Variables): Standards => (isPackage ? ofPackage(env, homeFolder()) : ofCheckout())

/** Returns the variables of the file that ENV_FILE names; an empty ENV_FILE means none. */
function variablesOfFile(env: Variables, standards: Standards): Variables {
  const file = env.ENV_FILE ?? standards.file
  if (file === '') return {}
  const text = textOfFile(file, env.ENV_FILE !== undefined)
  const variables = parseEnv(text)
  refuseCutValues(text, variables, file)
  return variables
}

function textOfFile(file: string, isNamed: boolean): string {
  try {
    // The decoder drops a byte order mark, which would change the name of the first variable.
    return new TextDecoder().decode(readFileSync(file))
  } catch (error) {
    if (!isNamed && (error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw new ConfigError([`ENV_FILE: ${file} cannot be read (${(error as Error).message})`])
  }
}

/** Matches a value without quotes that contains `#` without a space before it. */
const CUT = /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*((?!["'`])[^#\r\n]*)(?<![ \t])#/gm

/** Refuses values cut at `#`, such as half a password; systemd and Docker read the whole line. */
function refuseCutValues(text: string, variables: Variables, file: string): void {
  const cut = [...text.matchAll(CUT)].filter(
    ([, name = '', value]) => name in Environment.shape && variables[name] === value,
  )
  if (cut.length > 0)
    throw new ConfigError(
      cut.map(
        ([, name]) => `${name}: # begins a comment in ${file}; quote the value, or put a blank before #`,
      ),
    )
}

export const withEnvFile = (env: Variables, standards = standardsHere(env)): Variables => ({
  ...standards.variables,
  ...variablesOfFile(env, standards),
  ...env,
})

/** Returns settings for a child process, which must not read the file again: it may have changed. */
export const settingsToPassOn = (read: Variables): Variables => ({
  ...Object.fromEntries(Object.entries(read).filter(([name]) => name in Environment.shape)),
  ENV_FILE: '',
})

/** Returns names in the file that are no settings, and so probably mistyped. */
export const unknownInEnvFile = (env: Variables, standards = standardsHere(env)): string[] =>
  Object.keys(variablesOfFile(env, standards)).filter((name) => !(name in Environment.shape))
