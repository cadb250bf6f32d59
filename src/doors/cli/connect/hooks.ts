import { basename, join } from 'node:path'
import { parse } from 'jsonc-parser'
import { folderOf, type McpClient } from '../clients/client.ts'
import { readText, removeFile, writeText } from '../clients/files.ts'
import { KVAULT, keepOwnCopy } from '../own-copy.ts'
import { print } from '../terminal.ts'
import { type Connection, connectionOf, digestOf, type KeptFile, saveConnection } from './connections.ts'
import { agreed, type ConsentOptions, showChange } from './consent.ts'
import type { HookFile } from './hook-files/hook-file.ts'
import { hooksOf } from './hook-files/list.ts'
import { hasOwnProfile, type KeyMaker, saveOwnProfile } from './keys.ts'

/** The plugin of Claude Code has the same hooks; with both, every exchange would be stored twice. */
function hasPlugin(client: string): boolean {
  if (client !== 'claude-code') return false
  const settings = readText(join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'settings.json')) ?? ''
  const { enabledPlugins } = parse(settings, [], { allowTrailingComma: true }) ?? {}
  return Object.entries(enabledPlugins ?? {}).some(
    ([name, on]) => on === true && /^(?:vault|knowledge-vault)@/.test(name),
  )
}

/** Whether a client has hooks of ours; undefined for a client without hooks. */
export function hooksAreThere(client: string): boolean | undefined {
  const hooks = hooksOf(client)
  if (!hooks) return undefined
  return hasPlugin(client) || hooks.files.every((one) => one.hasOurs(readText(one.file())))
}

type Change = { one: HookFile; file: string; before: string | null; after: string }

const changesFor = (files: readonly HookFile[]): Change[] =>
  files.flatMap((one) => {
    const file = one.file()
    const before = readText(file)
    const after = one.withOurs(before)
    return after === before ? [] : [{ one, file, before, after }]
  })

/** Writes one file, and returns what is needed to undo it. The text from before the first change is kept. */
function write({ file, before, after }: Change, earlier: KeptFile | undefined): KeptFile {
  const { modeBefore } = writeText(file, after)
  const isUntouched = earlier !== undefined && before !== null && earlier.digest === digestOf(before)
  const kept = isUntouched ? earlier : { before, ...(modeBefore === undefined ? {} : { mode: modeBefore }) }
  return { ...kept, file, digest: digestOf(after) }
}

/** An entry that the person wrote stays theirs: `disconnect` leaves it as it is and removes only the hooks. */
function madeByHand(client: McpClient, url: string): Connection {
  const file = client.file()
  const before = readText(file)
  return { client: client.name, url, file, before, digest: digestOf(before ?? '') }
}

/** Hooks that are there already have the key of an earlier sign-in: of another vault, or one that has ended since. */
async function renewKey(
  client: McpClient,
  url: string,
  maker: KeyMaker,
  options: ConsentOptions,
): Promise<void> {
  if (await hasOwnProfile(url)) return
  print(`The hooks of ${client.title} have no key for ${url}, and do nothing there.`)
  if (await agreed(`Let all hooks use ${url}?`, options)) await saveOwnProfile(url, maker)
}

/** Adds the hooks of a client. They use the key of this command, not that of the entry. */
export async function connectHooks(
  client: McpClient,
  url: string,
  maker: KeyMaker,
  options: ConsentOptions,
): Promise<void> {
  const hooks = hooksOf(client.name)
  if (!hooks) return
  if (hasPlugin(client.name)) {
    print(`${client.title} already has the hooks of the plugin.`)
    return renewKey(client, url, maker, options)
  }
  const changes = changesFor(hooks.files)
  if (changes.length === 0) return renewKey(client, url, maker, options)
  for (const { file, before, after } of changes) showChange(file, before, after)
  if (!(await agreed('Add these hooks?', options))) return print('No hooks written.')
  await saveOwnProfile(url, maker)
  keepOwnCopy()
  const connection = connectionOf(client.name) ?? madeByHand(client, url)
  const earlier = connection.hooks ?? []
  // The files are read again: the agent may have written them while the person was asked and signed in.
  const written = changesFor(hooks.files).map((change) =>
    write(
      change,
      earlier.find(({ file }) => file === change.file),
    ),
  )
  const others = earlier.filter(({ file }) => !written.some((one) => one.file === file))
  saveConnection({ ...connection, hooks: [...others, ...written] })
  print(
    `${client.title} uses its hooks from its next session on. To switch them off: ${KVAULT} hooks off ${client.name}`,
  )
  if (hooks.after) print(hooks.after)
}

/** The file from before; if it has changed since, the present file without our hooks. */
function withoutHooks(
  one: HookFile,
  kept: KeptFile | undefined,
): { before: string | null; after: string | null } {
  const before = readText(one.file())
  if (before === null) return { before, after: null }
  if (kept?.file === one.file() && kept.digest === digestOf(before)) return { before, after: kept.before }
  return { before, after: one.hasOurs(before) ? one.withoutOurs(before) : before }
}

export type Undo = { file: string; before: string | null; after: string | null; mode: number | undefined }

/** Where the hooks of a client would be now, and where `connect` has written them. */
function filesToUndo(client: string, kept: readonly KeptFile[]): HookFile[] {
  return (hooksOf(client)?.files ?? []).flatMap((one) => {
    const now = one.file()
    const elsewhere = kept.filter(({ file }) => file !== now && basename(file) === basename(now))
    return [one, ...elsewhere.map(({ file }) => one.at(file))]
  })
}

/** The changes that remove the hooks of a client. */
export function undoHooks(client: string): Undo[] {
  const kept = connectionOf(client)?.hooks ?? []
  return filesToUndo(client, kept).flatMap((one) => {
    const own = kept.find(({ file }) => file === one.file())
    const { before, after } = withoutHooks(one, own)
    return before === after ? [] : [{ file: one.file(), before, after, mode: own?.mode }]
  })
}

export function writeUndo({ file, after, mode }: Undo): void {
  if (after === null) removeFile(file)
  else writeText(file, after, { mode })
}
