import { isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { DAY_MS } from '../../../core/day.ts'
import { VERSION } from '../../../core/version.ts'
import { IN_CLEAR, isPlainElsewhere } from '../connect/consent.ts'
import { CommandError } from '../exit-codes.ts'
import { KVAULT, npxFolder, versionOfCopy } from '../own-copy.ts'
import { savedProfile } from '../profile.ts'
import { versionOf } from '../server-version.ts'
import { ask, errorText, notAVault, type Reply } from '../vault-client.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const MAX_CLOCK_SKEW_S = 120
const TLS_TIMEOUT_MS = 10_000
const FEW_DAYS = 14

type Ready = { checks?: { mail?: { status: string; detail?: string } } }

/** Whether the server answers. If not, the other checks are skipped. */
export async function checkServer(url: string): Promise<{ findings: Finding[]; reply?: Reply }> {
  try {
    const reply = await ask(url, '/health/ready')
    if (reply.status !== 200)
      return { reply, findings: [fail('Server', errorText(reply), 'Look at its log.')] }
    const { checks } = (reply.body ?? {}) as Ready
    // Nobody should be told to start the command of a service that is no vault.
    if (typeof checks !== 'object') throw notAVault(url)
    const { mail } = checks
    const findings =
      mail?.status === 'failed'
        ? [
            warn(
              'Server',
              `${url}. ${mail.detail ?? 'Mail does not work'}.`,
              'Look at SMTP_URL and at the mail server.',
            ),
          ]
        : [ok('Server', url)]
    return { reply, findings: [...findings, ...(await checkVersion(url)), checkClock(reply)] }
  } catch (error) {
    const detail = error instanceof CommandError ? error.message : String(error)
    return { findings: [fail('Server', detail, 'Start it, or give --url.')] }
  }
}

/** The copy is that of the vault that hooks ask; another one may be older or newer. */
const copyFor = (url: string): string | undefined =>
  (savedProfile()?.url ?? url) === url ? versionOfCopy() : undefined

/** The command comes from the server, so both should have the same version, and so should the copy that hooks start. */
async function checkVersion(url: string): Promise<Finding[]> {
  const version = (await versionOf(url)) ?? 'unknown'
  const copy = copyFor(url)
  const toDo = npxFolder() ? `${KVAULT} connect` : `npm install --global ${url}/kvault.tgz`
  return [
    version === VERSION
      ? ok('Version', version)
      : warn('Version', `kvault ${VERSION}, server ${version}`, toDo),
    ...(copy === undefined || copy === version
      ? []
      : [warn('Own copy', `kvault ${copy}, which hooks start; server ${version}`, `${KVAULT} connect`)]),
  ]
}

function checkClock(reply: Reply): Finding {
  const theirs = Date.parse(reply.headers.date ?? '')
  const skew = Math.round(Math.abs(Date.now() - theirs) / 1000)
  if (!Number.isFinite(skew) || skew <= MAX_CLOCK_SKEW_S) return ok('Clock', 'agrees with the server')
  return warn('Clock', `${skew} s away from the server's`, 'Set the clock of one of the two.')
}

/** How many whole days the certificate is still valid. */
function daysLeft({ hostname, port }: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, '')
    // A certificate is asked for by name only.
    const name = isIP(host) ? {} : { servername: host }
    const socket = connectTls({ host, port: Number(port) || 443, ...name, timeout: TLS_TIMEOUT_MS }, () => {
      const until = Date.parse(socket.getPeerCertificate().valid_to)
      socket.end()
      resolve(Math.floor((until - Date.now()) / DAY_MS))
    })
    socket.once('error', reject)
    socket.once('timeout', () => socket.destroy(new Error('no answer in time')))
  })
}

export function certificateValidFor(days: number): Finding {
  const left = days < 1 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`
  const detail = `certificate valid for ${left}`
  return days > FEW_DAYS ? ok('TLS', detail) : warn('TLS', detail, 'Renew it.')
}

export async function checkTls(url: string): Promise<Finding> {
  const address = new URL(url)
  if (address.protocol === 'http:')
    return isPlainElsewhere(url)
      ? warn('TLS', `none: ${IN_CLEAR} travel in clear`, 'Put a proxy with a certificate before the vault.')
      : ok('TLS', 'not needed on this computer')
  try {
    return certificateValidFor(await daysLeft(address))
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return fail('TLS', detail, 'For a private authority: NODE_EXTRA_CA_CERTS=<file>.')
  }
}

function isExcluded(host: string): boolean {
  const names = (process.env.NO_PROXY ?? process.env.no_proxy ?? '').split(/[\s,]+/).filter(Boolean)
  return names.some((name) => name === '*' || host === name || host.endsWith(`.${name.replace(/^\./, '')}`))
}

/** Node 20 has no such option, and the variable has no effect there. */
const KNOWS_PROXIES = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')

/** Node uses a proxy only if it is told to; clients have their own rules. */
export function checkProxy(url: string, knowsProxies = KNOWS_PROXIES): Finding {
  const names = url.startsWith('https:') ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy']
  const name = names.find((one) => process.env[one])
  if (!name) return ok('Proxy', 'none')
  const { hostname } = new URL(url)
  if (isExcluded(hostname)) return ok('Proxy', `${name} does not count for ${hostname} (NO_PROXY)`)
  if (knowsProxies && process.env.NODE_USE_ENV_PROXY === '1') return ok('Proxy', `${name} is used`)
  const toDo = knowsProxies ? 'Set NODE_USE_ENV_PROXY=1' : 'Use Node 24 and set NODE_USE_ENV_PROXY=1'
  return warn('Proxy', `${name} is set, but Node ignores it`, `${toDo}, or set NO_PROXY.`)
}
