import { join } from 'node:path'
import { parse, parseTree } from 'jsonc-parser'
import { folderOf } from '../clients/client.ts'
import { readText, writeText } from '../clients/files.ts'
import { withElement, withoutValue, withValue } from '../clients/json-edit.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { keepOwnCopy, ownCommand } from '../own-copy.ts'

/** The client whose hooks we know. */
export const HOOKED_CLIENT = 'claude-code'

const EVENTS = { SessionStart: 'session-start', Stop: 'stop' } as const
const TIMEOUT_S = 10
const LENIENT = { allowTrailingComma: true, allowEmptyContent: true }

type Group = { hooks?: { command?: string }[] }
type Settings = { hooks?: Record<string, Group[]>; enabledPlugins?: Record<string, boolean> }

const settingsFile = () => join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'settings.json')

const commandLine = (event: string): string => {
  const { command, args } = ownCommand('hook', event)
  return [command, ...args].map((part) => (/\s/.test(part) ? `"${part}"` : part)).join(' ')
}

function settingsOf(text: string): Settings {
  const errors: unknown[] = []
  const parsed = parse(text, errors as never[], LENIENT)
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

/** One group more for an event, beside those that are there. */
function withGroup(text: string, name: string, group: object): string {
  const tree = parseTree(text, [], LENIENT)
  const there = settingsOf(text).hooks?.[name]
  if (!tree) return `${JSON.stringify({ hooks: { [name]: [group] } }, null, 2)}\n`
  if (!there) return withValue(text, tree, ['hooks', name], [group])
  return withElement(text, tree, ['hooks', name], group)
}

/** Adds the hooks, and says which commands they are. */
export function addHooks(): string[] {
  keepOwnCopy()
  let text = readText(settingsFile()) ?? ''
  const commands = Object.entries(EVENTS).map(([name, event]) => {
    const command = commandLine(event)
    text = withGroup(text, name, { hooks: [{ type: 'command', command, timeout: TIMEOUT_S }] })
    return command
  })
  writeText(settingsFile(), text)
  return commands
}

const without = (text: string, path: (string | number)[]): string => {
  const tree = parseTree(text, [], LENIENT)
  return tree ? withoutValue(text, tree, path) : text
}

function withoutGroup(text: string, name: string, commands: readonly string[]): string {
  const groups = settingsOf(text).hooks?.[name] ?? []
  const at = groups.findIndex(isOurs(commands))
  if (at < 0) return text
  if (groups.length === 1) return without(text, ['hooks', name])
  return without(text, ['hooks', name, at])
}

export function removeHooks(commands: readonly string[]): void {
  const before = readText(settingsFile())
  if (before === null) return
  let text = before
  for (const name of Object.keys(EVENTS)) text = withoutGroup(text, name, commands)
  if (Object.keys(settingsOf(text).hooks ?? { any: [] }).length === 0) text = without(text, ['hooks'])
  if (text !== before) writeText(settingsFile(), text)
}
