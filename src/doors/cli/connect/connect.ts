import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { VERSION } from '../../../core/version.ts'
import { CORE_TOOL_NAMES } from '../../../shared/core-tools.ts'
import { ClientError, CommandError, EXIT } from '../exit-codes.ts'
import { allowLearning, wantsLearning } from '../hooks/background.ts'
import {
  eventsOf,
  isEventStream,
  isGood,
  jsonIn,
  lineSplitter,
  reasonOf,
  request,
  textOf,
} from '../http-request.ts'
import { requireWorkspaceId } from '../input.ts'
import {
  isUuid,
  KVAULT,
  keepOwnCopy,
  npxFolder,
  ownCommand,
  ownDataFolder,
  settingsFolder,
  vaultOfPackage,
} from '../local-files.ts'
import { findProfile, givenKey, type ProfileOptions, urlToJoin } from '../profile.ts'
import {
  type Change,
  type ClientKey,
  type Connection,
  connectionOf,
  connections,
  digestOf,
  dropConnection,
  endKey,
  hasOwnProfile,
  type KeyMaker,
  keptFile,
  keyMaker,
  renewOwnProfile,
  saveConnection,
  takeBackKey,
} from '../sign-in.ts'
import { isInteractive, paint, plain, print, question, warn } from '../terminal.ts'
import { ask } from '../vault-client.ts'
import {
  entryIn,
  genericEntries,
  keyIn,
  readText,
  removeFile,
  type Way,
  wayOf,
  withEntry,
  withoutEntry,
  writeText,
} from './client-settings.ts'
import { type Entry, findClient, installedClients, type McpClient } from './clients.ts'
import {
  agreed,
  type ConsentOptions,
  HIDDEN_KEY,
  requireEncryption,
  requireTerminal,
  showChange,
} from './consent.ts'
import {
  connectHooks,
  type HooksPlan,
  NO_HOOKS,
  planHooks,
  type Undo,
  undoHooks,
  writeUndo,
} from './hooks.ts'

export async function versionOf(url: string): Promise<string | undefined> {
  const { version } = ((await ask(url, '/health')).body ?? {}) as { version?: unknown }
  return typeof version === 'string' ? version : undefined
}

/** Refuses an outdated command: npx caches by address, so it runs the old package after an upgrade. */
async function requireNewest(url: string): Promise<void> {
  const folder = npxFolder()
  if (folder === undefined || vaultOfPackage() !== url) return
  const version = await versionOf(url)
  if (version === undefined || version === VERSION) return
  rmSync(folder, { recursive: true, force: true })
  throw new CommandError(
    `npx had kept kvault ${VERSION}; ${url} has ${version}. The old one is deleted: repeat the command.`,
    EXIT.byHand,
  )
}

async function forEachClient(
  clients: readonly McpClient[],
  run: (client: McpClient) => Promise<void>,
): Promise<number> {
  const failed: { title: string; error: ClientError }[] = []
  for (const client of clients)
    try {
      await run(client)
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      failed.push({ title: client.title, error })
    }
  for (const { error } of failed) warn(error.message)
  if (failed.length > 0 && clients.length > 1) warn(`Failed: ${failed.map(({ title }) => title).join(', ')}.`)
  return failed[0]?.error.exitCode ?? EXIT.done
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

async function orStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController()
  let stop = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new CommandError('Stopped.'))
  })
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    return await Promise.race([work(ended.signal), stopped])
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
    ended.abort()
  }
}

/** The result of asking a server for its tools by a client's entry. */
export type Probe =
  | { state: 'works'; tools: string[] }
  /** The entry has no key: the client signs in through the browser at its first connection. */
  | { state: 'signs-in' }
  | { state: 'refused'; detail: string; status?: number | undefined }
  | { state: 'unreachable'; detail: string }

type Reply = {
  id?: unknown
  result?: { tools?: { name: string }[]; nextCursor?: string }
  error?: { message: string }
}

const TIMEOUT_MS = 20_000
const VERSION_HEADER = { 'mcp-protocol-version': '2025-11-25' }
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'kvault', version: VERSION },
  },
}
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' }
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }

export const probe = (way: Way, signal?: AbortSignal): Promise<Probe> =>
  way.kind === 'http'
    ? probeHttp(way, signal)
    : probeProgram(way, signal).catch((error) => ({ state: 'unreachable', detail: reasonOf(error) }))

const judged = (reply: Reply | undefined): Probe => {
  if (reply?.result?.tools) return { state: 'works', tools: reply.result.tools.map(({ name }) => name) }
  return { state: 'refused', detail: reply?.error?.message ?? 'It answered something other than its tools.' }
}

/** Returns the answer to one request, from JSON or an event stream. */
async function replyTo(id: number, answer: IncomingMessage): Promise<Reply | undefined> {
  if (!isEventStream(answer)) return JSON.parse(await textOf(answer))
  for await (const data of eventsOf(answer)) {
    const reply: Reply = JSON.parse(data)
    if (reply.id === id) return reply
  }
  return undefined
}

async function refusalOf(answer: IncomingMessage, hasKey: boolean): Promise<Probe> {
  const text = await textOf(answer)
  const { statusCode: status, headers } = answer
  if (status === 401 && !hasKey && headers['www-authenticate']?.includes('resource_metadata'))
    return { state: 'signs-in' }
  try {
    const { detail, error } = JSON.parse(text)
    return { state: 'refused', status, detail: detail ?? error?.message ?? `It answered ${status}.` }
  } catch {
    return { state: 'refused', status, detail: `It answered ${status}.` }
  }
}

async function probeHttp(
  { url, headers }: Way & { kind: 'http' },
  signal: AbortSignal | undefined,
): Promise<Probe> {
  const hasKey = Object.keys(headers).some((name) => /^(authorization|x-api-key)$/i.test(name))
  const send = (message: object, more: Record<string, string> = {}) =>
    request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
        ...more,
      },
      body: JSON.stringify(message),
      timeoutMs: TIMEOUT_MS,
      signal,
    })
  try {
    const first = await send(INITIALIZE)
    if (!isGood(first)) return await refusalOf(first, hasKey)
    await replyTo(INITIALIZE.id, first)
    const session = first.headers['mcp-session-id']
    const more = { ...VERSION_HEADER, ...(typeof session === 'string' ? { 'mcp-session-id': session } : {}) }
    await textOf(await send(INITIALIZED, more))
    const listed = await send(LIST, more)
    return isGood(listed) ? judged(await replyTo(LIST.id, listed)) : await refusalOf(listed, hasKey)
  } catch (error) {
    return { state: 'unreachable', detail: reasonOf(error) }
  }
}

function probeProgram(
  { command, args, env }: Way & { kind: 'stdio' },
  signal: AbortSignal | undefined,
): Promise<Probe> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const end = (result: Probe) => {
      clearTimeout(timer)
      resolve(result)
      child.kill()
    }
    const timer = setTimeout(
      () => end({ state: 'unreachable', detail: `${command} does not answer within ${TIMEOUT_MS / 1000} s` }),
      TIMEOUT_MS,
    )
    signal?.addEventListener('abort', () => end({ state: 'unreachable', detail: 'stopped' }))
    child.once('error', (error) => end({ state: 'unreachable', detail: error.message }))
    child.once('exit', (code) => end({ state: 'unreachable', detail: `${command} ended with code ${code}` }))
    child.stdin.on('error', () => {})
    for (const message of [INITIALIZE, INITIALIZED, LIST]) child.stdin.write(`${JSON.stringify(message)}\n`)
    const split = lineSplitter()
    child.stdout.on('data', (chunk) => {
      for (const line of split(chunk)) {
        // Programs also print other lines, such as notices of a package manager.
        const reply = jsonIn(line) as Reply | null | undefined
        if (reply?.error || reply?.id === LIST.id) end(judged(reply))
      }
    })
  })
}

/** Asks the server for its tools by the entry that is now in the file. */
async function prove(client: McpClient, signal?: AbortSignal): Promise<Probe> {
  const file = client.file()
  const entry = entryIn(readText(file) ?? '', client, file)
  const way = entry && wayOf(entry)
  if (!way) return { state: 'refused', detail: `${file} has no entry for the vault.` }
  return probe(way, signal)
}

export type ConnectOptions = ProfileOptions &
  ConsentOptions & {
    print?: boolean
    auth?: string
    hooks?: boolean
    workspace?: string
    http?: boolean
    allTools?: boolean
    device?: boolean
    /** The id of a team, or false for `--no-share`. */
    share?: string | false
    learn?: boolean
  }

const WAYS = ['key', 'oauth']

function checkOptions({ auth, workspace, share }: ConnectOptions): void {
  if (workspace !== undefined && typeof share === 'string')
    throw new CommandError('--share already says where the cards go. Leave out --workspace.', EXIT.usage)
  if (typeof share === 'string' && !isUuid(share))
    throw new CommandError(
      `--share is the id of a team, not "${plain(share)}". ${KVAULT} workspaces lists them.`,
      EXIT.usage,
    )
  if (workspace !== undefined && auth === 'oauth')
    throw new CommandError('--workspace needs a key. Leave out --auth oauth.', EXIT.usage)
  if (auth !== undefined && !WAYS.includes(auth))
    throw new CommandError(`--auth is ${WAYS.join(' or ')}, not "${auth}".`, EXIT.usage)
  requireWorkspaceId(workspace)
}

function wantsKey(client: McpClient, options: ConnectOptions): boolean {
  const startsProgram = 'command' in client.entry({ url: '' })
  if (startsProgram || options.auth === 'key' || options.workspace !== undefined) return true
  if (options.auth === 'oauth') return false
  return !client.signsIn || givenKey(options) !== undefined
}

function chosen(names: readonly string[]): McpClient[] {
  if (names.length > 0) return names.map(findClient)
  const found = installedClients()
  if (found.length > 0) print(`Found here: ${found.map(({ title }) => title).join(', ')}`)
  return found
}

/** Shows the key only with `--print` or on a terminal, so that it does not reach a script's log. */
function printEntries(names: readonly string[], options: ConnectOptions): number {
  const url = urlToJoin(options)
  const { allTools } = options
  const { apiKey: own = HIDDEN_KEY } = findProfile({ ...options, url })
  const apiKey = options.print || isInteractive() ? own : HIDDEN_KEY
  for (const client of names.map(findClient)) {
    const entry = client.entry(
      options.auth === 'oauth' && !wantsKey(client, options) ? { url, allTools } : { url, apiKey, allTools },
    )
    print(withEntry('', client, entry, client.file()).trimEnd())
  }
  if (names.length > 0) return EXIT.done
  const http = {
    type: 'http',
    url: `${url}/mcp${allTools ? '' : '?profile=core'}`,
    ...(options.auth === 'oauth' ? {} : { headers: { Authorization: `Bearer ${apiKey}` } }),
  }
  print(
    genericEntries(http, {
      ...ownCommand('mcp', ...(allTools ? [] : ['--core'])),
      env: { KVAULT_URL: url, KVAULT_API_KEY: apiKey },
    }),
  )
  return EXIT.done
}

function problemIn(result: Probe): string | undefined {
  if (result.state === 'works' || result.state === 'signs-in') return undefined
  return result.detail
}

const proofText = (result: Probe): string =>
  result.state === 'works'
    ? `${result.tools.length} tools answer`
    : 'it signs in by the browser when it first connects'

function textBefore(client: McpClient, { before, after }: Change, now: string): string | null {
  if (now === after) return before
  const file = client.file()
  const earlier = entryIn(before ?? '', client, file)
  return earlier ? withEntry(now, client, earlier, file) : withoutEntry(now, client, file, before)
}

function restore(client: McpClient, change: Change): void {
  const file = client.file()
  const now = readText(file)
  if (now === null) return
  const text = textBefore(client, change, now)
  if (text === null) removeFile(file, change.madeFolder)
  else writeText(file, text, { mode: change.mode })
}

/** Keeps the file from before the first `connect`, and deletes the last connection's key. */
async function remember(
  client: McpClient,
  url: string,
  change: Change,
  key: ClientKey | undefined,
): Promise<void> {
  const file = client.file()
  const earlier = connectionOf(client.name)
  const { madeFolder = earlier?.madeFolder } = change
  const kept = { ...keptFile(client, change, earlier), ...(madeFolder ? { madeFolder } : {}) }
  saveConnection({ client: client.name, url, file, ...kept, ...key })
  if (earlier?.keyId && earlier.apiKey && earlier.apiKey !== key?.apiKey)
    await endKey(earlier.url, earlier.apiKey).catch(() => {})
}

/** The file is read last, because the client may have written it during the sign-in. */
async function establish(
  client: McpClient,
  url: string,
  key: ClientKey | undefined,
  { allTools }: ConnectOptions,
): Promise<{ proof: Probe; closed: boolean }> {
  const file = client.file()
  let change: Change | undefined
  try {
    const before = readText(file)
    const after = withEntry(before ?? '', client, client.entry({ url, apiKey: key?.apiKey, allTools }), file)
    const { closed, modeBefore, madeFolder } = writeText(file, after, { holdsKey: key !== undefined })
    change = { before, after, mode: modeBefore, madeFolder }
    const proof = await orStopped((signal) => prove(client, signal))
    const problem = problemIn(proof)
    if (problem !== undefined)
      throw new ClientError(`${client.title} is not connected, and ${file} is as before: ${problem}`)
    await remember(client, url, change, key)
    return { proof, closed }
  } catch (error) {
    await takeBackKey(url, key)
    if (change) restore(client, change)
    throw error
  }
}

/** A change that `connect` is about to make for one client; without `entry` the client is connected already. */
type Plan = {
  client: McpClient
  withKey: boolean
  entry?: { file: string; before: string | null; after: string; secret: string | undefined }
  hooks: HooksPlan
}

const isEmpty = ({ entry, hooks }: Plan): boolean => !entry && hooks.changes.length === 0 && !hooks.renewsKey

async function planOf(client: McpClient, url: string, options: ConnectOptions): Promise<Plan> {
  const file = client.file()
  const before = readText(file)
  const there = entryIn(before ?? '', client, file)
  const withKey = wantsKey(client, options)
  const hooks = options.hooks === false ? NO_HOOKS : await planHooks(client, url)
  if (there && (await isConnected(client, there, url, options))) return { client, withKey, hooks }
  const { allTools } = options
  const draft = client.entry({ url, allTools, ...(withKey ? { apiKey: HIDDEN_KEY } : {}) })
  const after = withEntry(before ?? '', client, draft, file)
  return { client, withKey, hooks, entry: { file, before, after, secret: there && keyIn(there) } }
}

function showChanges(plans: readonly Plan[]): void {
  for (const { client, entry, hooks } of plans) {
    print(paint('bold', client.title))
    if (entry) showChange(entry.file, entry.before, entry.after, [entry.secret])
    for (const { file, before, after } of hooks.changes) showChange(file, before, after)
  }
}

const titles = (plans: readonly Plan[]): string => plans.map(({ client }) => client.title).join(', ')

/** Prints one line for each choice, with what happens without a word. */
function printSummary(plans: readonly Plan[], url: string, sharing: Sharing, options: ConnectOptions): void {
  const { allTools } = options
  const entries = plans.filter(({ entry }) => entry)
  const hooked = plans.filter(({ hooks }) => hooks.changes.length > 0)
  const renewed = plans.filter(({ hooks }) => hooks.renewsKey)
  const files = new Set(
    plans.flatMap(({ entry, hooks }) => [entry?.file ?? [], ...hooks.changes.map(({ file }) => file)].flat()),
  )
  const tools = allTools ? 'all tools' : `${CORE_TOOL_NAMES.length} core tools; all of them: --all-tools`
  const rows: [string, string][] = [
    ['Vault', url],
    ...(files.size > 0 ? [['Files', `${files.size}: ${[...files].join(', ')}`] as [string, string]] : []),
    ...(entries.length > 0 ? [['Entries', `${titles(entries)} (${tools})`] as [string, string]] : []),
    ...(hooked.length > 0
      ? [
          [
            'Hooks',
            `${titles(hooked)}: bring what the vault knows, keep what happened (without: --no-hooks)`,
          ] as [string, string],
        ]
      : []),
    ...(renewed.length > 0
      ? [['Key', `a new one for the hooks of ${titles(renewed)}`] as [string, string]]
      : []),
    [
      'Learning',
      wantsLearning(options, isInteractive())
        ? 'the history of each repository that a session starts in, for you alone (without: --no-learn)'
        : 'nothing: no history of a repository is read (with it: --learn)',
    ],
    ['Sharing', sharing.says],
  ]
  for (const [name, text] of rows) print(`${paint('dim', name.padEnd(8))} ${text}`)
}

/** Asks the one question of `connect`; `d` shows the changes and asks again. */
async function agreedToAll(plans: readonly Plan[], { yes, dryRun }: ConnectOptions): Promise<boolean> {
  if (dryRun) {
    showChanges(plans)
    return false
  }
  if (yes) return true
  requireTerminal()
  for (;;) {
    const answer = await question('Connect? [Y/n/d] (d shows the changes) ')
    if (!/^d(iff)?$/i.test(answer)) return answer === '' || /^y(es)?$/i.test(answer)
    showChanges(plans)
  }
}

/** Without a new key a choice would change nothing, and the summary must not claim it. */
const makesKey = ({ entry, withKey, hooks }: Plan): boolean =>
  (entry !== undefined && withKey) || hooks.makesKey

type Sharing = { says: string; team?: string }

const PRIVATE: Sharing = { says: 'nothing: what is recorded stays private' }
const AS_BEFORE: Sharing = { says: `as before (to share with a team: ${KVAULT} connect --share <id>)` }

/** Decides about sharing: its line of the summary, and the team. Asks the vault only for a person at a terminal. */
async function chooseSharing(
  maker: KeyMaker,
  plans: readonly Plan[],
  options: ConnectOptions,
): Promise<Sharing> {
  const { share, workspace, yes, dryRun } = options
  if (typeof share !== 'string' && !plans.some(makesKey)) return AS_BEFORE
  if (share === false || workspace !== undefined) return PRIVATE
  if (share === undefined && (yes || dryRun || !isInteractive())) return PRIVATE
  if (dryRun) return { says: `with the team ${share}` }
  const { teams, isDeclined } = await maker.teams()
  const named =
    typeof share === 'string' ? teams.find(({ workspace_id }) => workspace_id === share) : undefined
  if (typeof share === 'string' && !named)
    throw new CommandError(
      `${share} is no private team where you are editor or admin. ${KVAULT} workspaces lists yours.`,
    )
  const [only, ...others] = teams
  if (!named && others.length > 0)
    return {
      says: `nothing: you are in ${teams.length} teams. Name one: --share <id>, see ${KVAULT} workspaces`,
    }
  const team = named ?? (isDeclined ? undefined : only)
  if (!team) return PRIVATE
  const says = `what you and your agents record is shared with ${plain(team.name, 44)} (without: --no-share)`
  return { says, team: team.workspace_id }
}

async function connectEntry(
  plan: Plan,
  url: string,
  maker: KeyMaker,
  options: ConnectOptions,
): Promise<void> {
  const { client, withKey } = plan
  const key = withKey ? await maker.keyFor(client.title) : undefined
  const { proof, closed } = await establish(client, url, key, options)
  print(`${client.title} is connected to ${url}: ${proofText(proof)}. ${client.after}`)
  if (closed) print(`${client.file()} holds a key now, so only you can read it (mode 600).`)
  const shared = givenKey(options) === undefined ? 'of kvault login' : 'that you gave'
  if (key && !key.keyId) print(`${client.title} uses the key ${shared}; it has none of its own.`)
}

async function isConnected(client: McpClient, entry: Entry, url: string, options: ConnectOptions) {
  // An existing entry does not show where its key puts cards, so a new key is made.
  if (options.workspace !== undefined || typeof options.share === 'string') return false
  const says = JSON.stringify(entry)
  const isCore = says.includes(`"${url}/mcp?profile=core"`) || says.includes('"--core"')
  if (!isCore && !says.includes(`"${url}/mcp"`) && !says.includes(`"KVAULT_URL":"${url}"`)) return false
  if (says.includes('"KVAULT_URL"') && !says.includes(`"KVAULT_URL":"${url}"`)) return false
  if (options.allTools && isCore) return false
  const given = givenKey(options)
  if (given !== undefined && !connectionOf(client.name) && keyIn(entry) !== given) return false
  const result = await prove(client)
  if (problemIn(result) !== undefined) return false
  if (options.auth !== undefined && (options.auth === 'key') !== (keyIn(entry) !== undefined)) return false
  print(`${client.title} is already connected to ${url}: ${proofText(result)}.`)
  return true
}

export async function connect(names: string[], options: ConnectOptions): Promise<number> {
  checkOptions(options)
  if (options.print) {
    await requireEncryption(urlToJoin(options), { ...options, dryRun: true })
    return printEntries(names, options)
  }
  const clients = chosen(names)
  if (clients.length === 0) {
    print(
      `No agent was found on this computer. Name one (${KVAULT} connect claude-code), or copy an entry:\n`,
    )
    printEntries([], options)
    return EXIT.byHand
  }
  const url = urlToJoin(options)
  await requireEncryption(url, options)
  const maker = keyMaker(url, options, print)
  if (!options.dryRun) {
    await requireNewest(url)
    keepOwnCopy()
  }
  try {
    return await connectAll(clients, url, maker, options)
  } finally {
    await maker.done()
  }
}

/** Plans all changes, asks once, and makes them client by client; a client that fails stops no other. */
async function connectAll(
  clients: readonly McpClient[],
  url: string,
  maker: KeyMaker,
  options: ConnectOptions,
): Promise<number> {
  const plans: Plan[] = []
  const planned = await forEachClient(clients, async (client) => {
    const plan = await planOf(client, url, options)
    if (!isEmpty(plan)) plans.push(plan)
  })
  if (plans.length === 0) {
    if (options.learn !== undefined && !options.dryRun) allowLearning(options.learn)
    return planned
  }
  const sharing = await chooseSharing(maker, plans, options)
  printSummary(plans, url, sharing, options)
  if (!(await agreedToAll(plans, options))) {
    print('Nothing written.')
    return planned
  }
  const learns = wantsLearning(options, isInteractive())
  if (learns || options.learn === false) allowLearning(learns)
  if (sharing.team) {
    maker.shareWith(sharing.team)
    // The key that kvault has already would go on recording privately.
    if (await hasOwnProfile(url)) await renewOwnProfile(url, maker)
  }
  const done = await forEachClient(
    plans.map(({ client }) => client),
    async (client) => {
      const plan = plans.find((one) => one.client === client)
      if (plan?.entry) await connectEntry(plan, url, maker, options)
      if (plan) await connectHooks(client, url, maker, plan.hooks)
    },
  )
  return planned === EXIT.done ? done : planned
}

/** Returns the file from before `connect`; if it has changed since, the current file without our entry. */
function fileWithout(
  client: McpClient,
  file: string,
  before: string | null,
  own: Connection | undefined,
): string | null {
  if (before === null) return null
  if (own?.digest === digestOf(before)) return own.before
  return withoutEntry(before, client, file, own?.before)
}

async function endKeyOf({ url, apiKey, keyId, client }: Connection): Promise<boolean> {
  if (!apiKey || !keyId) return true
  try {
    await endKey(url, apiKey)
    print('Its key is deleted.')
    return true
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    warn(`Its key is still valid: ${why} Repeat ${KVAULT} disconnect ${client}, or delete the key at ${url}.`)
    return false
  }
}

type Undoing = {
  connection: Connection | undefined
  hooks: Undo[]
  entries: (Undo & { key: string | undefined })[]
}

/** Hooks come first, because they were added after the entry. */
function undoingOf(client: McpClient): Undoing {
  const connection = connectionOf(client.name)
  const hooks = undoHooks(client.name)
  const files = new Set([client.file(), ...(connection ? [connection.file] : [])])
  const entries = [...files].map((file) => {
    const own = connection?.file === file ? connection : undefined
    const shared = hooks.find((one) => one.file === file)
    const before = shared ? shared.after : readText(file)
    // A broken file stops everything before a change is shown.
    const entry = entryIn(before ?? '', client, file)
    const after = fileWithout(client, file, before, own)
    const { mode, madeFolder } = own ?? {}
    return { file, before, after, mode, madeFolder, key: entry && keyIn(entry) }
  })
  return { connection, hooks, entries: entries.filter(({ before, after }) => before !== after) }
}

function show({ connection, hooks, entries }: Undoing): void {
  for (const { file, before, after } of hooks) showChange(file, before, after)
  for (const { file, before, after, key } of entries)
    showChange(file, before, after, [key, connection?.apiKey])
}

async function disconnectOne(client: McpClient, options: ConsentOptions): Promise<boolean> {
  const found = undoingOf(client)
  if (found.entries.length === 0 && found.hooks.length === 0 && !found.connection) {
    print(`${client.title} is not connected; nothing to undo.`)
    return true
  }
  show(found)
  if (!(await agreed('Undo this?', options))) {
    print('Nothing written.')
    return true
  }
  // Reads the files again: the client may have written them during the question.
  const { connection, hooks, entries } = undoingOf(client)
  for (const undo of [...hooks, ...entries]) writeUndo(undo)
  print(`${client.title} is disconnected.`)
  if (connection && !(await endKeyOf(connection))) return false
  dropConnection(client.name)
  return true
}

/** The permanent copy is kept, because hand-written entries may start it. */
function sayWhatStays(chosen: readonly string[]): void {
  const folders = [settingsFolder(), ownDataFolder()].filter((folder) => existsSync(folder))
  if (chosen.length === 0 || connections().length > 0 || folders.length === 0) return
  print(
    `Nothing is connected from here any more. Your sign-in and kvault's own files stay in ${folders.join(' and ')}.`,
  )
}

export async function disconnect(names: string[], options: ConsentOptions): Promise<number> {
  const chosen = names.length > 0 ? names : connections().map(({ client }) => client)
  if (chosen.length === 0)
    print(`No client was connected from here. Name one: ${KVAULT} disconnect claude-code`)
  let isAllDone = true
  const code = await forEachClient(chosen.map(findClient), async (client) => {
    if (!(await disconnectOne(client, options))) isAllDone = false
  })
  if (code !== EXIT.done) return code
  if (isAllDone) sayWhatStays(chosen)
  return isAllDone ? EXIT.done : EXIT.byHand
}
