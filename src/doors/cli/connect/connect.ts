import type { Entry, McpClient } from '../clients/client.ts'
import { entryIn, genericEntries, keyIn, withEntry, withoutEntry } from '../clients/entry.ts'
import { readText, removeFile, writeText } from '../clients/files.ts'
import { findClient, installedClients } from '../clients/installed.ts'
import { ClientError, CommandError, EXIT } from '../exit-codes.ts'
import { requireWorkspaceId } from '../given-options.ts'
import type { Probe } from '../mcp-probe.ts'
import { KVAULT, keepOwnCopy, ownCommand } from '../own-copy.ts'
import { findProfile, givenKey, type ProfileOptions, urlToJoin } from '../profile.ts'
import { requireNewest } from '../server-version.ts'
import { isInteractive, paint, print, question } from '../terminal.ts'
import { type Change, connectionOf, keptFile, saveConnection } from './connections.ts'
import { agreed, type ConsentOptions, HIDDEN_KEY, requireEncryption, showChange } from './consent.ts'
import { forEachClient } from './each-client.ts'
import { connectHooks } from './hooks.ts'
import { type ClientKey, endKey, type KeyMaker, keyMaker, takeBackKey } from './keys.ts'
import { orStopped } from './or-stopped.ts'
import { prove } from './prove.ts'

export type ConnectOptions = ProfileOptions &
  ConsentOptions & { print?: boolean; auth?: string; hooks?: boolean; workspace?: string; http?: boolean }

const WAYS = ['key', 'oauth']

function checkOptions({ auth, workspace }: ConnectOptions): void {
  if (workspace !== undefined && auth === 'oauth')
    throw new CommandError('--workspace needs a key. Leave out --auth oauth.', EXIT.usage)
  if (auth !== undefined && !WAYS.includes(auth))
    throw new CommandError(`--auth is ${WAYS.join(' or ')}, not "${auth}".`, EXIT.usage)
  requireWorkspaceId(workspace)
}

/** A client that signs in by itself needs no key, unless one was given or asked for. */
function wantsKey(client: McpClient, options: ConnectOptions): boolean {
  const startsProgram = 'command' in client.entry({ url: '' })
  if (startsProgram || options.auth === 'key' || options.workspace !== undefined) return true
  if (options.auth === 'oauth') return false
  return !client.signsIn || givenKey(options) !== undefined
}

/** Without names: those that are installed, and a person may choose among them. */
async function chosen(names: readonly string[], options: ConnectOptions): Promise<McpClient[]> {
  if (names.length > 0) return names.map(findClient)
  const found = installedClients()
  if (found.length === 0) return []
  print(`Found here: ${found.map(({ title }) => title).join(', ')}`)
  if (options.yes || options.dryRun || !isInteractive()) return found
  const known = found.map(({ name }) => name).join(' ')
  const answer = await question(`Connect which? [Enter for all, or names: ${known}] `)
  return answer === '' ? found : answer.split(/[\s,]+/).map(findClient)
}

/** Who asks for entries gets them with the key. One that nobody asked for is not to reach the log of a script. */
function printEntries(names: readonly string[], options: ConnectOptions): number {
  const url = urlToJoin(options)
  const { apiKey: own = HIDDEN_KEY } = findProfile({ ...options, url })
  const apiKey = options.print || isInteractive() ? own : HIDDEN_KEY
  for (const client of names.map(findClient)) {
    const entry = client.entry(
      options.auth === 'oauth' && !wantsKey(client, options) ? { url } : { url, apiKey },
    )
    print(withEntry('', client, entry, client.file()).trimEnd())
  }
  if (names.length > 0) return EXIT.done
  const http = {
    type: 'http',
    url: `${url}/mcp`,
    ...(options.auth === 'oauth' ? {} : { headers: { Authorization: `Bearer ${apiKey}` } }),
  }
  print(genericEntries(http, { ...ownCommand('mcp'), env: { KVAULT_URL: url, KVAULT_API_KEY: apiKey } }))
  return EXIT.done
}

/** What is wrong with the entry, in words; undefined if it works. */
function problemIn(result: Probe): string | undefined {
  if (result.state === 'works' || result.state === 'signs-in') return undefined
  return result.detail
}

const proofText = (result: Probe): string =>
  result.state === 'works'
    ? `${result.tools.length} tools answer`
    : 'it signs in by the browser when it first connects'

/** The text without our change. If the file is no longer what we wrote, only our entry goes, or becomes the earlier one. */
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
  if (text === null) removeFile(file)
  else writeText(file, text, { mode: change.mode })
}

/** Keeps the file from before the first `connect`, and ends the key of the last one. */
async function remember(
  client: McpClient,
  url: string,
  change: Change,
  key: ClientKey | undefined,
): Promise<void> {
  const file = client.file()
  const earlier = connectionOf(client.name)
  saveConnection({ client: client.name, url, file, ...keptFile(client, change, earlier), ...key })
  if (earlier?.keyId && earlier.apiKey && earlier.apiKey !== key?.apiKey)
    await endKey(earlier.url, earlier.apiKey).catch(() => {})
}

/**
 * Writes the entry, tests it and remembers it. Whatever fails, the key ends and the file is as before. The file is read only
 * now: the client may have written it while the person was asked and signed in.
 */
async function establish(
  client: McpClient,
  url: string,
  key: ClientKey | undefined,
): Promise<{ proof: Probe; closed: boolean }> {
  const file = client.file()
  let change: Change | undefined
  try {
    const before = readText(file)
    const after = withEntry(before ?? '', client, client.entry({ url, apiKey: key?.apiKey }), file)
    const { closed, modeBefore } = writeText(file, after, { holdsKey: key !== undefined })
    change = { before, after, mode: modeBefore }
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

async function connectOne(
  client: McpClient,
  url: string,
  maker: KeyMaker,
  options: ConnectOptions,
): Promise<void> {
  const file = client.file()
  const before = readText(file)
  const there = entryIn(before ?? '', client, file)
  if (there && (await isConnected(client, there, url, options))) return
  const withKey = wantsKey(client, options)
  const draft = client.entry({ url, ...(withKey ? { apiKey: HIDDEN_KEY } : {}) })
  print(paint('bold', client.title))
  showChange(file, before, withEntry(before ?? '', client, draft, file), [there && keyIn(there)])
  if (!(await agreed('Write this?', options))) return print('Nothing written.')
  const key = withKey ? await maker.keyFor(client.title) : undefined
  const { proof, closed } = await establish(client, url, key)
  print(`${client.title} is connected to ${url}: ${proofText(proof)}. ${client.after}`)
  if (closed) print(`${file} holds a key now, so only you can read it (mode 600).`)
  const shared = givenKey(options) === undefined ? 'of kvault login' : 'that you gave'
  if (key && !key.keyId) print(`${client.title} uses the key ${shared}; it has none of its own.`)
}

async function isConnected(client: McpClient, entry: Entry, url: string, options: ConnectOptions) {
  // An entry does not say where its key puts cards, so a new key is made.
  if (options.workspace !== undefined) return false
  const says = JSON.stringify(entry)
  if (!says.includes(`"${url}/mcp"`) && !says.includes(`"KVAULT_URL":"${url}"`)) return false
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
  if (options.print) return printEntries(names, options)
  const clients = await chosen(names, options)
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
    return await forEachClient(clients, async (client) => {
      await connectOne(client, url, maker, options)
      if (options.hooks !== false) await connectHooks(client, url, maker, options)
    })
  } finally {
    await maker.done()
  }
}
