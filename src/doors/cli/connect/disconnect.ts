import { existsSync } from 'node:fs'
import type { McpClient } from '../clients/client.ts'
import { entryIn, keyIn, withoutEntry } from '../clients/entry.ts'
import { readText } from '../clients/files.ts'
import { findClient } from '../clients/installed.ts'
import { EXIT } from '../exit-codes.ts'
import { ownDataFolder, settingsFolder } from '../folders.ts'
import { KVAULT } from '../own-copy.ts'
import { print, warn } from '../terminal.ts'
import { type Connection, connectionOf, connections, digestOf, dropConnection } from './connections.ts'
import { agreed, type ConsentOptions, showChange } from './consent.ts'
import { forEachClient } from './each-client.ts'
import { type Undo, undoHooks, writeUndo } from './hooks.ts'
import { endKey } from './keys.ts'

/** The file from before `connect`; if it has changed since, the present file without our entry. */
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

/**
 * Returns whether the key was deleted. If the vault cannot be reached, the record stays, and a second try deletes the
 * key.
 */
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

/**
 * The entry is where the client has it now, and where `connect` has written it: a variable of the client may be different
 * since. Hooks first: if they are in the same file as the entry, the file is then as the entry left it.
 */
function undoingOf(client: McpClient): Undoing {
  const connection = connectionOf(client.name)
  const hooks = undoHooks(client.name)
  const files = new Set([client.file(), ...(connection ? [connection.file] : [])])
  const entries = [...files].map((file) => {
    const own = connection?.file === file ? connection : undefined
    const shared = hooks.find((one) => one.file === file)
    const before = shared ? shared.after : readText(file)
    // A broken file stops everything here, so nothing is shown that is then not written.
    const entry = entryIn(before ?? '', client, file)
    const after = fileWithout(client, file, before, own)
    return { file, before, after, mode: own?.mode, key: entry && keyIn(entry) }
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
  // The files are read again: the client may have written them while the person was asked.
  const { connection, hooks, entries } = undoingOf(client)
  for (const undo of [...hooks, ...entries]) writeUndo(undo)
  print(`${client.title} is disconnected.`)
  if (connection && !(await endKeyOf(connection))) return false
  dropConnection(client.name)
  return true
}

/** After the last client. Entries that were written by hand may start the copy, so it is not deleted. */
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
