import type { Config } from './config.ts'
import { isLoopback, isOpenDevelopment } from './core/own-addresses.ts'
import { isPackage } from './env-file.ts'

/** The command of the server, as it is called where this program runs. */
const commandOf = (ofPackage: boolean) => (ofPackage ? 'knowledge-vault' : 'npx kvault')

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

/** To listen on all addresses is no address to open. */
const ANY_ADDRESS = ['0.0.0.0', '[::]']

/** Settings that work, but hardly as the operator means them; a line each. */
export function warningsAtStart(config: Config, unknown: readonly string[] = []): string[] {
  const warnings = unknown.map(
    (name) => `${name} in the settings file is no setting of this program and has no effect.`,
  )
  if (isOpenDevelopment(config))
    warnings.push(
      'NODE_ENV is not "production", but this address can be reached by others. Payments are simulated and cost nothing. Set NODE_ENV=production.',
    )
  const { pathname, hostname } = new URL(config.baseUrl)
  if (ANY_ADDRESS.includes(hostname) || (config.trustProxy && isLoopback(hostname)))
    warnings.push(
      `Links in mails and redirects lead to ${config.baseUrl}, which others cannot open. Set BASE_URL to the address that people use.`,
    )
  if (pathname !== '/')
    warnings.push(
      `BASE_URL has the path ${pathname}. Programs can use the vault there, but its pages work only at the root of a host name. Give it a host name of its own.`,
    )
  return warnings.map((warning) => `Warning: ${warning}\n`)
}
