import { z } from 'zod'
import { LicenceId } from './core/licence-id.ts'
import { DEFAULT_LICENCE } from './core/licences.ts'
import {
  credential,
  emails,
  folder,
  hostNames,
  httpUrl,
  mailbox,
  onOff,
  originUrl,
  port,
  postgresUrl,
  publicUrl,
  receiver,
  smtpUrl,
  trustedProxies,
  whole,
} from './setting-values.ts'

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
    .describe('fatal, error, warn, info, debug, trace or silent. Logs go to standard output.'),
  ADMIN_EMAILS: emails.describe('The e-mail addresses of service admins, separated by commas.'),
  MODERATOR_EMAILS: emails.describe(
    'The e-mail addresses of people who decide about reported cards, besides the service admins.',
  ),
  CREDITS: onOff.default(true).describe('off: nothing is charged anywhere.'),
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
