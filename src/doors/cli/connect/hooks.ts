import { join } from 'node:path'
import { applyEdits, modify, parse } from 'jsonc-parser'
import { folderOf } from '../clients/client.ts'
import { readText, writeText } from '../clients/files.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { keepOwnCopy, ownCommand } from '../own-copy.ts'

/** The client whose hooks we know. */
export const HOOKED_CLIENT = 'claude-code'

const EVENTS = { SessionStart: 'session-start', Stop: 'stop' } as const
const TIMEOUT_S = 10
const STYLE = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } }

type Group = { hooks?: { command?: string }[] }
type Settings = { hooks?: Record<string, Group[]>; enabledPlugins?: Record<string, boolean> }

const settingsFile = () => join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'settings.json')

const commandLine = (event: string): string => {
  const { command, args } = ownCommand('hook', event)
  return [command, ...args].map((part) => (/\s/.test(part) ? `"${part}"` : part)).join(' ')
}

function settingsOf(text: string): Settings {
  const errors: unknown[] = []
  const parsed = parse(text, errors as never[], { allowTrailingComma: true, allowEmptyContent: true })
  if (errors.length > 0)
    throw new CommandError(`${settingsFile()} cannot be read as JSON, so it is left alone.`, EXIT.byHand)
  return parsed ?? {}
}

const isOurs = (commands: readonly string[]) => (group: Group) =>
  (group.hooks ?? []).some(({ command }) => command !== undefined && commands.includes(command))

/** The plugin brings the same hooks; both together would keep every turn twice. */
const hasPlugin = ({ enabledPlugins = {} }: Settings): boolean =>
  Object.entries(enabledPlugins).some(([name, on]) => on && name.startsWith('knowledge-vault@'))

export const hooksAreThere = (): boolean => {
  const settings = settingsOf(readText(settingsFile()) ?? '')
  const ours = Object.values(EVENTS).map(commandLine)
  return (
    hasPlugin(settings) ||
    Object.values(settings.hooks ?? {})
      .flat()
      .some(isOurs(ours))
  )
}

/** Adds the hooks beside those that are there, and says which commands they are. */
export function addHooks(): string[] {
  keepOwnCopy()
  let text = readText(settingsFile()) ?? ''
  const commands = Object.entries(EVENTS).map(([name, event]) => {
    const command = commandLine(event)
    const group = { hooks: [{ type: 'command', command, timeout: TIMEOUT_S }] }
    const there = settingsOf(text).hooks?.[name]
    const edits = there
      ? modify(text, ['hooks', name, there.length], group, { ...STYLE, isArrayInsertion: true })
      : modify(text, ['hooks', name], [group], STYLE)
    text = applyEdits(text, edits)
    return command
  })
  writeText(settingsFile(), text)
  return commands
}

export function removeHooks(commands: readonly string[]): void {
  const before = readText(settingsFile())
  if (before === null) return
  let text = before
  for (const name of Object.keys(EVENTS)) {
    const groups = settingsOf(text).hooks?.[name]
    const at = groups?.findIndex(isOurs(commands)) ?? -1
    if (at < 0) continue
    const path = groups?.length === 1 ? ['hooks', name] : ['hooks', name, at]
    text = applyEdits(text, modify(text, path, undefined, STYLE))
  }
  const left = settingsOf(text).hooks
  if (left && Object.keys(left).length === 0)
    text = applyEdits(text, modify(text, ['hooks'], undefined, STYLE))
  if (text !== before) writeText(settingsFile(), text)
}
