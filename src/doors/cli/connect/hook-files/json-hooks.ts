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
  /** Whether an element in a list of hooks is ours, even from an earlier version. */
  isOurs: (element: unknown) => boolean
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

function withoutElement(text: string, event: string, { isOurs, file }: JsonHooks): string {
  const list = listOf(settingsOf(text, file()), event)
  const at = list.findIndex(isOurs)
  if (at < 0) return text
  const left = list.length === 1 ? without(text, ['hooks', event]) : without(text, ['hooks', event, at])
  return withoutElement(left, event, { isOurs, file, entries: () => [] })
}

function withoutAll(text: string, hooks: JsonHooks): string {
  let left = text
  for (const event of Object.keys(settingsOf(text, hooks.file()).hooks ?? {}))
    left = withoutElement(left, event, hooks)
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

/** Hooks in a JSON file: a map of events, each a list in which ours is one element among others. */
export function jsonHooks(hooks: JsonHooks): HookFile {
  const oursIn = (text: string): unknown[] =>
    Object.values(settingsOf(text, hooks.file()).hooks ?? {})
      .flatMap((list) => list as unknown[])
      .filter(hooks.isOurs)
  return {
    file: hooks.file,
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
