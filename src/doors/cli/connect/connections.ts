import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { McpClient } from '../clients/client.ts'
import { entryIn, withEntry } from '../clients/entry.ts'
import { settingsFolder } from '../folders.ts'
import { writePrivate } from '../profile.ts'

/** A file that was changed, with what is needed to undo exactly that. */
export type KeptFile = {
  file: string
  /** Its text before our first change; null if there was none. */
  before: string | null
  mode?: number
  /** A hash of the file as we left it: only an unchanged file is restored to `before`. */
  digest: string
}

/** What `connect` did for one client, so that `disconnect` can undo exactly that. */
export type Connection = {
  client: string
  url: string
  file: string
  /** The file before our first change; null if there was none. */
  before: string | null
  /** Its mode before: with a key in it, the file was made private. */
  mode?: number
  /** A hash of the file as we left it: only an unchanged file is restored to `before`. */
  digest: string
  apiKey?: string
  /** The id of the key that was made for this client only. */
  keyId?: string
  /** The files with its hooks. */
  hooks?: KeptFile[]
}

const folder = () => join(settingsFolder(), 'connections')
const fileOf = (client: string) => join(folder(), `${client}.json`)

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export function connectionOf(client: string): Connection | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(client), 'utf8'))
  } catch {
    return undefined
  }
}

export const saveConnection = (connection: Connection): void =>
  writePrivate(fileOf(connection.client), `${JSON.stringify(connection, null, 2)}\n`)

export const dropConnection = (client: string): void => rmSync(fileOf(client), { force: true })

export const connections = (): Connection[] =>
  existsSync(folder())
    ? readdirSync(folder()).flatMap((name) => connectionOf(name.replace(/\.json$/, '')) ?? [])
    : []

/** One write of an entry: the file before and after it. */
export type Change = { before: string | null; after: string; mode: number | undefined }

const withMode = (mode: number | undefined) => (mode === undefined ? {} : { mode })

/**
 * What to keep of the file of an entry. If nobody else has changed it since the last `connect`, it goes back to the text from
 * before the first one. Hooks in the same file were added after the entry, so their text from before gets the new entry.
 */
export function keptFile(
  client: McpClient,
  change: Change,
  earlier: Connection | undefined,
): Pick<Connection, 'before' | 'mode' | 'digest' | 'hooks'> {
  const file = client.file()
  const hooks = earlier?.hooks ?? []
  const kept = { ...(hooks.length > 0 ? { hooks } : {}), digest: digestOf(change.after) }
  const fresh = { ...kept, before: change.before, ...withMode(change.mode) }
  if (earlier?.file !== file || change.before === null) return fresh
  const first = { ...kept, before: earlier.before, ...withMode(earlier.mode) }
  const found = digestOf(change.before)
  if (earlier.digest === found) return first
  const shared = hooks.find((one) => one.file === file && one.digest === found)
  if (!shared || shared.before === null || digestOf(shared.before) !== earlier.digest) return fresh
  const entryAlone = withEntry(shared.before, client, entryIn(change.after, client, file), file)
  const renewed = { ...shared, before: entryAlone, digest: digestOf(change.after) }
  return {
    ...first,
    digest: digestOf(entryAlone),
    hooks: hooks.map((one) => (one === shared ? renewed : one)),
  }
}
