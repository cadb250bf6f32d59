import { parseTree } from 'jsonc-parser'
import { withElement, withoutValue, withValue } from '../../clients/json-edit.ts'
import { ClientError, EXIT } from '../../exit-codes.ts'
import { belowMark, LENIENT, readObject, withoutMark } from '../../jsonc.ts'
import type { HookFile } from './hook-file.ts'

type Settings = Record<string, unknown> & { hooks?: Record<string, unknown> }

/** One element more in the list of an event. */
export type HookEntry = { event: string; element: object }

export type JsonHooks = {
  file: () => string
  entries: () => HookEntry[]
  /** Whether one command in a list of hooks is ours, even from an earlier version. */
  isOurs: (command: unknown) => boolean
  /** What a new file has besides the hooks. */
  head?: object
}

function settingsOf(text: string, file: string): Settings {
  const parsed = readObject(text)
  if (parsed === 'not JSON')
    throw new ClientError(`${file} cannot be read as JSON, so it is left alone.`, EXIT.byHand)
  if (parsed === 'no object')
    throw new ClientError(`${file} contains no object, so it is left alone.`, EXIT.byHand)
  const { hooks } = parsed as Settings
  const hasLists =
    typeof hooks === 'object' && !Array.isArray(hooks) && Object.values(hooks ?? [null]).every(Array.isArray)
  if (hooks !== undefined && !hasLists)
    throw new ClientError(`${file}: "hooks" has an unknown form, so it is left alone.`, EXIT.byHand)
  return parsed as Settings
}

const listOf = (settings: Settings, event: string): unknown[] => (settings.hooks?.[event] ?? []) as unknown[]

const without = (text: string, path: (string | number)[]): string => {
  const tree = parseTree(text, [], LENIENT)
  return tree ? withoutValue(text, tree, path) : text
}

const isGroup = (element: unknown): element is { hooks: unknown[] } =>
  typeof element === 'object' && element !== null && 'hooks' in element && Array.isArray(element.hooks)

/** An element is a command or, in Claude Code's form, a group of them, to which the person may have added their own. */
const commandsOf = (element: unknown): unknown[] => (isGroup(element) ? element.hooks : [element])

const ourPart = (element: unknown, isOurs: JsonHooks['isOurs']): unknown =>
  isGroup(element) ? { ...element, hooks: element.hooks.filter(isOurs) } : element

/** Where the first command of ours is. What would be empty without it goes with it: its group, and the list of its event. */
function pathOfOurs(list: readonly unknown[], event: string, isOurs: JsonHooks['isOurs']) {
  const at = list.findIndex((element) => commandsOf(element).some(isOurs))
  if (at < 0) return undefined
  const commands = commandsOf(list[at])
  if (commands.length > 1) return ['hooks', event, at, 'hooks', commands.findIndex(isOurs)]
  return list.length === 1 ? ['hooks', event] : ['hooks', event, at]
}

function withoutOursIn(text: string, event: string, hooks: JsonHooks): string {
  const path = pathOfOurs(listOf(settingsOf(text, hooks.file()), event), event, hooks.isOurs)
  return path ? withoutOursIn(without(text, path), event, hooks) : text
}

function withoutAll(text: string, hooks: JsonHooks): string {
  let left = text
  for (const event of Object.keys(settingsOf(text, hooks.file()).hooks ?? {}))
    left = withoutOursIn(left, event, hooks)
  const { hooks: rest } = settingsOf(left, hooks.file())
  return left !== text && rest !== undefined && Object.keys(rest).length === 0
    ? without(left, ['hooks'])
    : left
}

function withEntry(text: string, { event, element }: HookEntry, { file, head }: JsonHooks): string {
  const tree = parseTree(text, [], LENIENT)
  if (!tree) return `${JSON.stringify({ ...head, hooks: { [event]: [element] } }, null, 2)}\n`
  const isThere = settingsOf(text, file()).hooks?.[event] !== undefined
  return isThere
    ? withElement(text, tree, ['hooks', event], element)
    : withValue(text, tree, ['hooks', event], [element])
}

/** Hooks in a JSON file: a map of events, each a list in which ours are among others. */
export function jsonHooks(hooks: JsonHooks): HookFile {
  const oursIn = (text: string): unknown[] =>
    Object.values(settingsOf(text, hooks.file()).hooks ?? {})
      .flatMap((list) => list as unknown[])
      .filter((element) => commandsOf(element).some(hooks.isOurs))
      .map((element) => ourPart(element, hooks.isOurs))
  return {
    file: hooks.file,
    at: (path) => jsonHooks({ ...hooks, file: () => path }),
    hasOurs: (text) => oursIn(withoutMark(text ?? '')).length > 0,
    withOurs: (text) =>
      belowMark(text ?? '', (before) => {
        const entries = hooks.entries()
        const wanted = JSON.stringify(entries.map(({ element }) => element))
        if (JSON.stringify(oursIn(before)) === wanted) return before
        return entries.reduce((after, entry) => withEntry(after, entry, hooks), withoutAll(before, hooks))
      }),
    withoutOurs: (text) => belowMark(text, (before) => withoutAll(before, hooks)),
  }
}
