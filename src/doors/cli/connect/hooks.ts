import { basename, join } from 'node:path'
import { parse } from 'jsonc-parser'
import { ClientError, EXIT } from '../exit-codes.ts'
import { dotConfig, KVAULT, keepOwnCopy, ownCommand, ownHookBefore } from '../local-files.ts'
import {
  type Connection,
  connectionOf,
  digestOf,
  hasOwnProfile,
  type KeptFile,
  type KeyMaker,
  saveConnection,
  saveOwnProfile,
} from '../sign-in.ts'
import { print } from '../terminal.ts'
import { type HookFile, jsonHooks, readText, removeFile, writeText } from './client-settings.ts'
import { folderOf, geminiFolder, home, type McpClient } from './clients.ts'
import { HOOK_PLANS, hooksObject, MARK, opencodePlugin, RULES } from './hook-plans.ts'

const BEGIN = '<!-- knowledge-vault: begin -->'
const END = '<!-- knowledge-vault: end -->'

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

function without(text: string, file: string): string {
  const from = text.indexOf(BEGIN)
  if (from < 0) return text
  const to = text.indexOf(END, from)
  const next = text.indexOf(BEGIN, from + BEGIN.length)
  // Without an end mark, nothing shows where the person's own rules begin.
  if (to < 0 || (next >= 0 && next < to))
    throw new ClientError(
      `${file} has "${BEGIN}" without its end, so it is left alone. Delete that line, or write "${END}" where the block ends.`,
      EXIT.byHand,
    )
  const eol = eolOf(text)
  const before = text.slice(0, from)
  const after = text.slice(to + END.length)
  // The block was added with an empty line before it and a line end after it.
  const cut = before.endsWith(eol + eol) ? before.slice(0, -eol.length) : before
  return cut + (after.startsWith(eol) ? after.slice(eol.length) : after)
}

/** A block between two marks, at the end of the person's own text. */
export function markedBlock(file: () => string, block: () => string): HookFile {
  return {
    file,
    at: (path) => markedBlock(() => path, block),
    hasOurs: (text) => text?.includes(BEGIN) ?? false,
    withOurs: (text) => {
      const rest = without(text ?? '', file())
      const eol = eolOf(rest)
      const gap = rest === '' ? '' : rest.endsWith(eol) ? eol : eol + eol
      const lines = [BEGIN, ...block().trim().split('\n'), END, '']
      return rest + gap + lines.join(eol)
    },
    withoutOurs: (text) => {
      const rest = without(text, file())
      return rest.trim() === '' ? null : rest
    },
  }
}

/** A file that is entirely ours: the agent reads every file of its folder. */
function ownFile(file: () => string, content: () => string, mark: string): HookFile {
  const checked = (text: string | null): string | null => {
    if (text !== null && !text.includes(mark))
      throw new ClientError(`${file()} was not written by kvault, so it is left alone.`, EXIT.byHand)
    return text
  }
  return {
    file,
    at: (path) => ownFile(() => path, content, mark),
    hasOurs: (text) => text?.includes(mark) ?? false,
    withOurs: (text) => {
      checked(text)
      return content()
    },
    withoutOurs: (text) => (text.includes(mark) ? null : text),
  }
}

/** Characters that shells interpret also between double quotes. */
const READ_BY_SHELLS = /["$`\\]/g

/** Quotes a part of a command line as one word: for shells, and on Windows also for cmd and PowerShell. */
export function shellWord(part: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[\w@%+=:,./-]+$/.test(part)) return part
  return `"${platform === 'win32' ? part : part.replace(READ_BY_SHELLS, '\\$&')}"`
}

/** A client's hook files, and instructions for the person afterwards. */
type ClientHooks = { files: readonly HookFile[]; after?: string }

const commandFor =
  (client: string) =>
  (event: string): string => {
    const { command, args } =
      event === 'PreToolUse' ? ownHookBefore(client, event) : ownCommand('hook', client, event)
    return [command, ...args].map((part) => shellWord(part)).join(' ')
  }

/** Whether a command is ours, also in the earlier form `kvault hook session-start`. */
const isOursFor =
  (client: string) =>
  (command: unknown): boolean => {
    const text = JSON.stringify(command) ?? ''
    const isFormer = client === 'claude-code' && / hook (?:session-start|stop)"/.test(text)
    return text.includes('kvault') && (isFormer || text.includes(` hook ${client} `))
  }

const inJson = (client: string, file: () => string, head?: object): HookFile =>
  jsonHooks({
    file,
    entries: () => HOOK_PLANS[client]?.entries(commandFor(client)) ?? [],
    isOurs: isOursFor(client),
    ...(head ? { head } : {}),
  })

const copilotHooks = (): string => {
  const hooks = hooksObject(HOOK_PLANS.copilot?.entries(commandFor('copilot')) ?? [])
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`
}

const opencodeFolder = (): string => process.env.OPENCODE_CONFIG_DIR || dotConfig('opencode')

const windsurfFolder = (...parts: string[]): string => home('.codeium', 'windsurf', ...parts)

const ownOpencodePlugin = (): string => {
  const { command, args } = ownCommand()
  return opencodePlugin([command, ...args])
}

const CLIENT_HOOKS: Record<string, ClientHooks> = {
  'claude-code': {
    files: [inJson('claude-code', () => join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'settings.json'))],
  },
  codex: {
    files: [inJson('codex', () => join(folderOf('CODEX_HOME', '.codex'), 'hooks.json'))],
    after: 'Codex runs hooks only after you have looked at them: start codex and open /hooks.',
  },
  gemini: {
    files: [inJson('gemini', () => join(geminiFolder(), 'settings.json'))],
  },
  opencode: {
    files: [ownFile(() => join(opencodeFolder(), 'plugins', 'knowledge-vault.js'), ownOpencodePlugin, MARK)],
  },
  cursor: { files: [inJson('cursor', () => home('.cursor', 'hooks.json'), { version: 1 })] },
  copilot: {
    files: [
      ownFile(
        () => join(folderOf('COPILOT_HOME', '.copilot'), 'hooks', 'knowledge-vault.json'),
        copilotHooks,
        ' hook copilot ',
      ),
    ],
  },
  windsurf: {
    files: [
      inJson('windsurf', () => windsurfFolder('hooks.json')),
      markedBlock(
        () => windsurfFolder('memories', 'global_rules.md'),
        () => RULES,
      ),
    ],
    after: 'Its hooks keep each exchange; a rule tells Cascade when to ask the vault.',
  },
}

export const hooksOf = (client: string): ClientHooks | undefined => CLIENT_HOOKS[client]

/** Whether Claude Code has our plugin: with both plugin and hooks, every exchange would be stored twice. */
function hasPlugin(client: string): boolean {
  if (client !== 'claude-code') return false
  const settings = readText(join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'settings.json')) ?? ''
  const { enabledPlugins } = parse(settings, [], { allowTrailingComma: true }) ?? {}
  return Object.entries(enabledPlugins ?? {}).some(
    ([name, on]) => on === true && /^(?:vault|knowledge-vault)@/.test(name),
  )
}

/** Whether a client has our hooks; undefined for a client without hooks. */
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

/** Writes one file and returns the data to undo it, with the text from before the first change. */
function write({ file, before, after }: Change, earlier: KeptFile | undefined): KeptFile {
  const { modeBefore, madeFolder = earlier?.madeFolder } = writeText(file, after)
  const isUntouched = earlier !== undefined && before !== null && earlier.digest === digestOf(before)
  const kept = isUntouched ? earlier : { before, ...(modeBefore === undefined ? {} : { mode: modeBefore }) }
  return { ...kept, ...(madeFolder ? { madeFolder } : {}), file, digest: digestOf(after) }
}

/** Returns a connection for an entry that the person wrote: `disconnect` then removes only the hooks. */
function madeByHand(client: McpClient, url: string): Connection {
  const file = client.file()
  const before = readText(file)
  return { client: client.name, url, file, before, digest: digestOf(before ?? '') }
}

/** A change of one client's hooks; `renewsKey`: they are there without a key for this vault; `makesKey`: they get one. */
export type HooksPlan = {
  changes: readonly { file: string; before: string | null; after: string }[]
  renewsKey: boolean
  makesKey: boolean
}

export const NO_HOOKS: HooksPlan = { changes: [], renewsKey: false, makesKey: false }

export async function planHooks(client: McpClient, url: string): Promise<HooksPlan> {
  const hooks = hooksOf(client.name)
  if (!hooks) return NO_HOOKS
  const changes = hasPlugin(client.name) ? [] : changesFor(hooks.files)
  const makesKey = !(await hasOwnProfile(url))
  return { changes, renewsKey: changes.length === 0 && makesKey, makesKey }
}

/** Adds the hooks of a client, which the person agreed to. Hooks use this command's key, not the entry's. */
export async function connectHooks(
  client: McpClient,
  url: string,
  maker: KeyMaker,
  plan: HooksPlan,
): Promise<void> {
  const hooks = hooksOf(client.name)
  if (!hooks) return
  if (hasPlugin(client.name)) print(`${client.title} already has the hooks of the plugin.`)
  if (plan.renewsKey) return saveOwnProfile(url, maker)
  if (plan.changes.length === 0) return
  await saveOwnProfile(url, maker)
  keepOwnCopy()
  const connection = connectionOf(client.name) ?? madeByHand(client, url)
  const earlier = connection.hooks ?? []
  // Reads the files again: the agent may have written them during the question.
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

/** Returns the file from before; if it has changed since, the current file without our hooks. */
function withoutHooks(
  one: HookFile,
  kept: KeptFile | undefined,
): { before: string | null; after: string | null } {
  const before = readText(one.file())
  if (before === null) return { before, after: null }
  if (kept?.file === one.file() && kept.digest === digestOf(before)) return { before, after: kept.before }
  return { before, after: one.hasOurs(before) ? one.withoutOurs(before) : before }
}

export type Undo = {
  file: string
  before: string | null
  after: string | null
  mode: number | undefined
  madeFolder?: string | undefined
}

/** Returns the client's current hook files and the recorded ones. */
function filesToUndo(client: string, kept: readonly KeptFile[]): HookFile[] {
  return (hooksOf(client)?.files ?? []).flatMap((one) => {
    const now = one.file()
    const elsewhere = kept.filter(({ file }) => file !== now && basename(file) === basename(now))
    return [one, ...elsewhere.map(({ file }) => one.at(file))]
  })
}

export function undoHooks(client: string): Undo[] {
  const kept = connectionOf(client)?.hooks ?? []
  return filesToUndo(client, kept).flatMap((one) => {
    const own = kept.find(({ file }) => file === one.file())
    const { before, after } = withoutHooks(one, own)
    if (before === after) return []
    return [{ file: one.file(), before, after, mode: own?.mode, madeFolder: own?.madeFolder }]
  })
}

export function writeUndo({ file, after, mode, madeFolder }: Undo): void {
  if (after === null) removeFile(file, madeFolder)
  else writeText(file, after, { mode })
}
