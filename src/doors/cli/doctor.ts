import { isIP } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { VERSION } from '../../core/version.ts'
import { CORE_TOOL_NAMES } from '../../shared/core-tools.ts'
import { DAY_MS } from '../../shared/time.ts'
import { accountOf } from './account.ts'
import { entryIn, keyIn, readText, wayOf } from './connect/client-settings.ts'
import { installedClients, type McpClient } from './connect/clients.ts'
import { type Probe, probe, versionOf } from './connect/connect.ts'
import { IN_CLEAR, isPlainElsewhere } from './connect/consent.ts'
import { HOOK_PLANS } from './connect/hook-plans.ts'
import { hooksAreThere } from './connect/hooks.ts'
import { type NotMade, withoutDraft } from './drafts.ts'
import { ClientError, CommandError, EXIT } from './exit-codes.ts'
import { everySwitch, isOff, type Moment, personsSwitches } from './hooks/agents.ts'
import { findProject, type NamedProject } from './hooks/project-permission.ts'
import { isFor, pauseOf, read, waitingFiles } from './hooks/spool.ts'
import { lastRun } from './hooks/state.ts'
import { KVAULT, npxFolder, unreadableText, versionOfCopy } from './local-files.ts'
import { findProfile, type Profile, type ProfileOptions, savedProfile } from './profile.ts'
import { keepingAdvice, PROJECT_FILE, readProjectFiles } from './project-name.ts'
import { paint, plain, print, printJson, table } from './terminal.ts'
import { ask, errorText, notAVault, type Reply } from './vault-client.ts'

type Finding = {
  what: string
  state: 'ok' | 'unused' | 'warn' | 'fail'
  detail: string
  advice?: string
  /** The agent that it is about: the table has one line for each. */
  agent?: string
}

/** Returns the `connect` command with the address, so that it joins the checked vault and no other. */
const connectAdvice = (client: string, url: string): string => `${KVAULT} connect ${client} --url ${url}`

const ok = (what: string, detail: string): Finding => ({ what, state: 'ok', detail })
const warn = (what: string, detail: string, advice: string): Finding => ({
  what,
  state: 'warn',
  detail,
  advice,
})
const fail = (what: string, detail: string, advice: string): Finding => ({
  what,
  state: 'fail',
  detail,
  advice,
})

type Tool = { name: string; scopes: string[] }

const toolsOf = async (url: string): Promise<Tool[]> =>
  ((await ask(url, '/mcp/manifest')).body as { tools?: Tool[] } | undefined)?.tools ?? []

/** Warns of missing core tools only: the others are given on purpose. */
function judgeTools(what: string, usable: readonly string[], all: readonly Tool[]): Finding {
  const detail = `${usable.length} of ${all.length} tools`
  const isCore = (name: string) => CORE_TOOL_NAMES.some((core) => core === name)
  const missing = all.filter(({ name }) => isCore(name) && !usable.includes(name))
  if (missing.length === 0) return ok(what, detail)
  const scopes = [...new Set(missing.flatMap((tool) => tool.scopes))].join(', ')
  return warn(what, detail, `For the others its key needs: ${scopes}`)
}

/** Checks this command's key by asking for the tools. */
async function checkCredential(url: string, apiKey: string | undefined): Promise<Finding[]> {
  const advice = `${KVAULT} login --url ${url}`
  if (!apiKey) return [fail('Credential', 'none', advice)]
  const result = await probe({
    kind: 'http',
    url: `${url}/mcp`,
    headers: { Authorization: `Bearer ${apiKey}` },
  })
  if (result.state === 'signs-in') return [fail('Credential', 'not accepted', advice)]
  if (result.state === 'refused' && result.status === 401) return [fail('Credential', result.detail, advice)]
  // A busy vault says nothing about the key.
  if (result.state !== 'works') return [fail('Tools', result.detail, 'Look at the log of the server.')]
  return [ok('Credential', 'accepted'), judgeTools('Scopes', result.tools, await toolsOf(url))]
}

/** Says what the hooks brought today of which no draft was made. */
async function checkDrafts(url: string, apiKey: string | undefined): Promise<Finding[]> {
  if (!apiKey) return []
  const reply = await ask(url, '/api/v1/drafts?page_size=1', { headers: { 'x-api-key': apiKey } })
  const { not_made = [] } = (reply.status === 200 ? reply.body : {}) as { not_made?: NotMade }
  const said = withoutDraft(not_made)
  return said ? [ok('Drafts', said)] : []
}

function judgeProbe(client: McpClient, result: Probe, all: readonly Tool[], advice: string): Finding {
  if (result.state === 'works') return judgeTools(client.title, result.tools, all)
  if (result.state === 'signs-in') return ok(client.title, 'signs in by the browser')
  return fail(client.title, result.detail, advice)
}

async function checkClient(client: McpClient, url: string, all: readonly Tool[]): Promise<Finding> {
  const file = client.file()
  const connectIt = connectAdvice(client.name, url)
  try {
    const entry = entryIn(readText(file) ?? '', client, file)
    if (!entry) return warn(client.title, 'not connected', connectIt)
    const way = wayOf(entry)
    if (!way) return fail(client.title, `${file}: the entry has neither address nor command`, connectIt)
    const goesTo = way.kind === 'http' ? way.url : (way.env.KVAULT_URL ?? url)
    if (goesTo !== url && !goesTo.startsWith(`${url}/`))
      return warn(client.title, `connected to ${goesTo}`, connectIt)
    const result = await probe(way)
    if (result.state === 'refused' && keyIn(entry)) result.detail = `its key is refused: ${result.detail}`
    return judgeProbe(client, result, all, connectIt)
  } catch (error) {
    // Another `connect` would stop at the same file.
    const advice = error instanceof ClientError ? 'Repair the file.' : connectIt
    return fail(client.title, error instanceof Error ? error.message : String(error), advice)
  }
}

async function checkClients(url: string): Promise<Finding[]> {
  const all = await toolsOf(url)
  return Promise.all(
    installedClients().map(async (client) => ({
      ...(await checkClient(client, url, all)),
      agent: client.title,
    })),
  )
}

/** Advice after a failure that may have been short: no other finding says what to fix. */
const AFTER_A_FAILURE =
  'Fix what fails above. If nothing does, it is over: this goes when the hook runs again.'

const AFTER_A_LOSS = 'What happened then may be missing from memory. This is said for a day.'

const timeOf = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`

/** Reports the last run of one moment: when, how long, and how many characters. */
function checkMoment({ name, title }: McpClient, moment: Moment, off: readonly string[]): Finding {
  const what = `${title}, ${moment}`
  if (isOff(off, name, moment)) return ok(what, 'switched off here')
  const last = lastRun(name, moment)
  if (!last) return { what, state: 'unused', detail: 'not used yet' }
  const when = `${timeOf(last.at)}, ${last.ms} ms`
  if (last.error) return fail(what, `${when}: ${last.error}`, AFTER_A_FAILURE)
  const ran = `${when}, ${last.chars} characters`
  if (!last.lost) return ok(what, ran)
  return warn(what, `${ran}; before that, ${timeOf(last.lost.at)}: ${last.lost.error}`, AFTER_A_LOSS)
}

function checkOne(client: McpClient, url: string, off: readonly string[]): Finding[] {
  const what = `Hooks of ${client.title}`
  try {
    const areThere = hooksAreThere(client.name)
    if (areThere === undefined) return []
    if (!areThere) return [warn(what, 'none', connectAdvice(client.name, url))]
  } catch (error) {
    return [fail(what, error instanceof Error ? error.message : String(error), 'Repair the file.')]
  }
  const moments = HOOK_PLANS[client.name]?.moments ?? []
  const rows = moments.map((moment) => checkMoment(client, moment, off))
  const hasRun = moments.some((moment) => lastRun(client.name, moment))
  const head = hasRun
    ? ok(what, 'installed')
    : {
        what,
        state: 'unused' as const,
        detail: 'not used yet',
        advice: `Start a session of ${client.title}.`,
      }
  return [head, ...rows]
}

/** Reports waiting entries. Entries of another vault or account are not sent by the next hook. */
function checkWaiting({ url, apiKey, userId }: Partial<Profile> & { url: string }): Finding[] {
  const waiting = waitingFiles().flatMap((name) => read(name) ?? [])
  const account = apiKey ? accountOf({ apiKey, userId }) : undefined
  const { length: own } = waiting.filter((one) =>
    account === undefined ? one.url === url : isFor(one, url, account),
  )
  const others = waiting.length - own
  const exchanges = own === 1 ? '1 exchange is not sent yet' : `${own} exchanges are not sent yet`
  const pause = account === undefined ? undefined : pauseOf(url, account)
  const ownWaiting = pause
    ? fail(
        'Waiting',
        `${exchanges}, because the vault refuses them: ${pause.reason}`,
        `They are kept, and tried again after ${timeOf(new Date(pause.until).toISOString())}.`,
      )
    : warn('Waiting', exchanges, 'They go with the next hook.')
  return [
    ...(own > 0 ? [ownWaiting] : []),
    ...(others > 0
      ? [
          ok(
            'Waiting',
            `${others === 1 ? '1 exchange waits' : `${others} exchanges wait`} for another vault or account`,
          ),
        ]
      : []),
  ]
}

async function checkProject(folder: string, profile: Partial<Profile> & { url: string }): Promise<Finding[]> {
  const { withheld } = await findProject(folder, profile).catch((): { withheld?: NamedProject } => ({}))
  if (withheld)
    return [
      warn(
        'Project',
        `the project_key in ${join(withheld.folder, PROJECT_FILE)} does not count: you have not allowed it here`,
        `If you want its memory here: ${KVAULT} allow-project`,
      ),
    ]
  const advice = keepingAdvice(folder)
  return advice ? [warn('Project', 'no remote: its memory is found by the path of the folder', advice)] : []
}

export async function checkHooks(profile: Partial<Profile> & { url: string }): Promise<Finding[]> {
  const { off: ofProject, unreadable } = readProjectFiles(process.cwd())
  const off = everySwitch(ofProject)
  const { unreadable: ofPerson } = personsSwitches()
  return [
    ...(ofPerson === undefined
      ? []
      : [
          fail(
            'Your switches',
            unreadableText(ofPerson),
            'Repair or delete it. Until then all hooks are off.',
          ),
        ]),
    ...unreadable.map((file) =>
      fail('Project file', unreadableText(file), 'Repair it. Until then all hooks are off here.'),
    ),
    ...(await checkProject(process.cwd(), profile)),
    ...installedClients().flatMap((client) =>
      checkOne(client, profile.url, off).map((one) => ({ ...one, agent: client.title })),
    ),
    ...checkWaiting(profile),
  ]
}

const MAX_CLOCK_SKEW_S = 120
const TLS_TIMEOUT_MS = 10_000
const FEW_DAYS = 14

type Ready = { checks?: { mail?: { status: string; detail?: string } } }

/** Checks whether the server answers; if not, the other checks are skipped. */
async function checkServer(url: string): Promise<{ findings: Finding[]; reply?: Reply }> {
  try {
    const reply = await ask(url, '/health/ready')
    if (reply.status !== 200)
      return { reply, findings: [fail('Server', errorText(reply), 'Look at its log.')] }
    const { checks } = (reply.body ?? {}) as Ready
    // The service is no vault, so advice about starting the vault would be wrong.
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

/** Returns the version of the permanent copy if it belongs to this vault. */
const copyFor = (url: string): string | undefined =>
  (savedProfile()?.url ?? url) === url ? versionOfCopy() : undefined

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

function daysLeft({ hostname, port }: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, '')
    // TLS (SNI) allows a host name only, no IP address.
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

/** Node 20 lacks this option, and the variable has no effect there. */
const KNOWS_PROXIES = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')

/** Checks the proxy settings: Node uses a proxy only on request, and clients have their own rules. */
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

const COLOUR = { ok: 'green', unused: 'dim', warn: 'yellow', fail: 'red' } as const
const SIGN = { ok: 'ok', unused: '-', warn: 'warn', fail: 'fail' } as const
/** From good to bad: the line of an agent shows the worst. A moment that was not used is no fault. */
const ORDER = ['unused', 'ok', 'warn', 'fail'] as const

const momentOf = ({ what, agent }: Finding): string => what.slice(`${agent}, `.length)

/** Puts what was found about one agent into one line. */
function agentLine(agent: string, found: readonly Finding[]): Finding {
  const worst = found.reduce((a, b) => (ORDER.indexOf(b.state) > ORDER.indexOf(a.state) ? b : a))
  const entry = found.find(({ what }) => what === agent)
  const hooks = found.find(({ what }) => what === `Hooks of ${agent}`)
  const moments = found.filter((one) => one !== entry && one !== hooks)
  const unused = moments.filter(({ state }) => state === 'unused').map(momentOf)
  const said = [entry?.detail, hooks && hooksDetail(hooks, moments)]
  const isBad = worst.state === 'warn' || worst.state === 'fail'
  const bad = moments.filter(({ state }) => state === 'warn' || state === 'fail')
  for (const one of bad) said.push(`${momentOf(one)}: ${one.detail}`)
  if (unused.length > 0 && unused.length < moments.length) said.push(`not used yet: ${unused.join(', ')}`)
  const advice = isBad ? worst.advice : hooks?.advice
  return {
    what: agent,
    state: worst.state,
    detail: said.filter(Boolean).join('; '),
    ...(advice ? { advice } : {}),
  }
}

function hooksDetail(hooks: Finding, moments: readonly Finding[]): string {
  if (hooks.state === 'unused') return 'hooks not used yet'
  const used = moments.filter(({ state }) => state === 'ok').map(momentOf)
  return `hooks ${hooks.detail}${used.length > 0 ? `, used: ${used.join(', ')}` : ''}`
}

function withOneLinePerAgent(findings: readonly Finding[]): Finding[] {
  const agents = new Set(findings.flatMap(({ agent }) => agent ?? []))
  const lines = new Map(
    [...agents].map((agent) => [
      agent,
      agentLine(
        agent,
        findings.filter((one) => one.agent === agent),
      ),
    ]),
  )
  return findings.flatMap((one) => {
    if (one.agent === undefined) return [one]
    const line = lines.get(one.agent)
    lines.delete(one.agent)
    return line ?? []
  })
}
const WIDEST = 240

const row = ({ state, what, detail, advice }: Finding): string[] => [
  paint(COLOUR[state], SIGN[state]),
  what,
  plain(detail, WIDEST),
  advice ? `→ ${advice}` : '',
]

export async function doctor(options: ProfileOptions & { json?: boolean }): Promise<number> {
  const profile = findProfile(options)
  const { url, apiKey } = profile
  const server = await checkServer(url)
  const findings = [...server.findings, await checkTls(url), checkProxy(url)]
  if (server.reply) {
    findings.push(...(await checkCredential(url, apiKey)), ...(await checkClients(url)))
    findings.push(...(await checkDrafts(url, apiKey).catch(() => [])))
  }
  findings.push(...(await checkHooks(profile)))
  if (options.json) printJson({ url, findings })
  else print(table(['', 'what', 'finding', 'what to do'], withOneLinePerAgent(findings).map(row)))
  const failed = findings.filter((finding) => finding.state === 'fail')
  if (failed.length === 0) return EXIT.done
  return failed.some((finding) => finding.what === 'Credential') ? EXIT.notSignedIn : EXIT.failed
}
