import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse, patch, stringify } from '@decimalturn/toml-patch'
import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser'
import { ClientError, EXIT } from '../exit-codes.ts'
import {
  behindLink,
  belowMark,
  KVAULT,
  LENIENT,
  readObject,
  replaceFile,
  withoutMark,
} from '../local-files.ts'
import { type Entry, type McpClient, SERVER_NAME } from './clients.ts'

/** Keeps every other byte: `modify` of jsonc-parser would format the lines around a change. */

function styleOf(text: string): { unit: string; eol: string } {
  return {
    unit: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ',
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

const endOf = ({ offset, length }: Node): number => offset + length

const depthOf = (node: Node): number => {
  let depth = 0
  for (let at: Node | undefined = node; at; at = at.parent) if (at.type !== 'property') depth += 1
  return depth
}

const isOnOneLine = (text: string, { offset, length }: Node): boolean =>
  !text.slice(offset, offset + length).includes('\n')

const COMMA = 5
const LINE_COMMENT = 12
const BLOCK_COMMENT = 13
const LINE_BREAK = 14
const SPACE = 15

/** Returns what follows a property: its comma, if any, and the end of its line. */
function behind(text: string, from: number): { comma: number | undefined; lineEnd: number } {
  const scanner = createScanner(text, false)
  scanner.setPosition(from)
  let [comma, lineEnd, isSameLine]: [number | undefined, number, boolean] = [undefined, from, true]
  for (;;) {
    const kind: number = scanner.scan()
    const isComma = kind === COMMA && comma === undefined
    if (isComma) comma = scanner.getTokenOffset()
    else if (![LINE_COMMENT, BLOCK_COMMENT, LINE_BREAK, SPACE].includes(kind)) return { comma, lineEnd }
    if (kind === LINE_BREAK && comma === undefined) isSameLine = false
    else if (kind === LINE_BREAK) return { comma, lineEnd }
    if (kind !== SPACE && kind !== LINE_BREAK && (isSameLine || isComma))
      lineEnd = scanner.getTokenOffset() + scanner.getTokenLength()
  }
}

function written(text: string, value: unknown, depth: number): string {
  const { unit, eol } = styleOf(text)
  return JSON.stringify(value, null, unit).replaceAll('\n', eol + unit.repeat(depth))
}

/** Returns a property, or a list element if there is no key. */
const named = (key: string | undefined, gap: string, value: string): string =>
  key === undefined ? value : `${JSON.stringify(key)}:${gap}${value}`

/** Inserts into an empty object or list and keeps its comments. */
function intoEmpty(text: string, { offset, length }: Node, content: string): Edit {
  const inner = text.slice(offset + 1, offset + length - 1)
  const kept = inner.trimEnd().length
  return { offset: offset + 1 + kept, length: inner.length - kept, content }
}

function insertion(text: string, parent: Node, key: string | undefined, value: unknown): Edit[] {
  const { unit, eol } = styleOf(text)
  const depth = depthOf(parent)
  const last = parent.children?.at(-1)
  const line = eol + unit.repeat(depth) + named(key, ' ', written(text, value, depth))
  if (!last) return [intoEmpty(text, parent, `${line}${eol}${unit.repeat(depth - 1)}`)]
  const { comma, lineEnd } = behind(text, endOf(last))
  if (isOnOneLine(text, parent)) {
    const compact = named(key, '', JSON.stringify(value))
    const content = comma === undefined ? `,${compact}` : compact
    return [{ offset: comma === undefined ? endOf(last) : comma + 1, length: 0, content }]
  }
  if (comma !== undefined) return [{ offset: lineEnd, length: 0, content: `${line},` }]
  return [
    { offset: endOf(last), length: 0, content: ',' },
    { offset: lineEnd, length: 0, content: line },
  ]
}

/** Returns the text with one more element at the end of the list at `path`. */
function withElement(text: string, tree: Node, path: readonly string[], value: unknown): string {
  const list = findNodeAtLocation(tree, [...path])
  return list ? applyEdits(text, insertion(text, list, undefined, value)) : text
}

/** Returns the text with a value at `path`; missing objects are created. */
function withValue(text: string, tree: Node, path: readonly string[], value: unknown): string {
  const found = findNodeAtLocation(tree, [...path])
  if (found?.parent?.parent) {
    const oneLine = isOnOneLine(text, found.parent.parent)
    const content = oneLine ? JSON.stringify(value) : written(text, value, depthOf(found.parent.parent))
    return applyEdits(text, [{ offset: found.offset, length: found.length, content }])
  }
  let depth = path.length - 1
  while (depth > 0 && !findNodeAtLocation(tree, path.slice(0, depth))) depth -= 1
  const parent = depth === 0 ? tree : findNodeAtLocation(tree, path.slice(0, depth))
  const inner = path.slice(depth + 1).reduceRight<unknown>((below, key) => ({ [key]: below }), value)
  return applyEdits(text, insertion(text, parent ?? tree, path[depth] ?? '', inner))
}

function hasComment(text: string, parent: Node, item: Node): boolean {
  const before = text.slice(parent.offset + 1, item.offset)
  const after = text.slice(endOf(item), endOf(parent) - 1)
  return /\/[/*]/.test(before + after)
}

const emptied = ({ offset, length, type }: Node): Edit => ({
  offset,
  length,
  content: type === 'array' ? '[]' : '{}',
})

/** Removes an item. Without a trailing comma, the last item takes the comma before it. */
function removal(text: string, item: Node, before: Node | undefined): Edit[] {
  const { comma } = behind(text, endOf(item))
  const start = /\r?\n[ \t]*$|[ \t]*$/.exec(text.slice(0, item.offset))?.index ?? item.offset
  const end = comma === undefined ? endOf(item) : comma + 1
  const plain = { offset: start, length: end - start, content: '' }
  const extra = comma === undefined && before ? behind(text, endOf(before)).comma : undefined
  if (extra === undefined) return [plain]
  if (extra < start) return [{ offset: extra, length: 1, content: '' }, plain]
  return [{ offset: extra, length: end - extra, content: '' }]
}

/** Returns the text without the property or element at `path`, its line and one comma. */
function withoutValue(text: string, tree: Node, path: readonly (string | number)[]): string {
  const value = findNodeAtLocation(tree, [...path])
  const item = value?.parent?.type === 'property' ? value.parent : value
  const siblings = item?.parent?.children
  if (!item?.parent || !siblings) return text
  if (siblings.length === 1 && !hasComment(text, item.parent, item))
    return applyEdits(text, [emptied(item.parent)])
  return applyEdits(text, removal(text, item, siblings[siblings.indexOf(item) - 1]))
}

function parsed(text: string, file: string) {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, LENIENT)
  if (errors.length === 0 && (tree === undefined || tree.type === 'object')) return tree
  const fault = errors.length > 0 ? 'cannot be read as JSON' : `contains no object, but: ${tree?.type}`
  throw new ClientError(
    `${file} ${fault}, so it is left alone. Repair it, or add the entry by hand: ${KVAULT} connect --print`,
    EXIT.byHand,
  )
}

/** Throws if a part of the path exists and is no object. */
function checkWay(text: string, client: McpClient, file: string): Node | undefined {
  const tree = parsed(text, file)
  client.path.forEach((key, depth) => {
    const node = tree && findNodeAtLocation(tree, client.path.slice(0, depth + 1))
    if (node && node.type !== 'object')
      throw new ClientError(`${file}: "${key}" is not an object, so it is left alone.`, EXIT.byHand)
  })
  return tree
}

/** Changes only the bytes of our entry; comments, order, numbers and trailing commas stay. */
function withJsonEntry(text: string, client: McpClient, entry: Entry | undefined, file: string): string {
  const path = [...client.path, SERVER_NAME]
  const tree = checkWay(text, client, file)
  if (tree === undefined) return entry === undefined ? text : newFile(path, entry)
  const there = jsonEntry(text, client, file)
  if (isDeepStrictEqual(there, entry)) return text
  return entry === undefined ? withoutValue(text, tree, path) : withValue(text, tree, path, entry)
}

const hasServers = (text: string, client: McpClient, file: string): boolean => {
  const tree = parsed(text, file)
  return tree !== undefined && findNodeAtLocation(tree, [...client.path]) !== undefined
}

/** Removes an empty map of servers without comments. */
function withoutEmptyServers(text: string, client: McpClient, file: string): string {
  const tree = parsed(text, file)
  const servers = tree && findNodeAtLocation(tree, [...client.path])
  const isEmpty =
    servers !== undefined && /^\{\s*\}$/.test(text.slice(servers.offset, servers.offset + servers.length))
  return tree && isEmpty ? withoutValue(text, tree, client.path) : text
}

const newFile = (path: readonly string[], entry: Entry): string => {
  const root = path.reduceRight<unknown>((below, key) => ({ [key]: below }), entry)
  return `${JSON.stringify(root, null, 2)}\n`
}

function jsonEntry(text: string, client: McpClient, file: string): Entry | undefined {
  const tree = parsed(text, file)
  const node = tree && findNodeAtLocation(tree, [...client.path, SERVER_NAME])
  return node?.type === 'object' ? getNodeValue(node) : undefined
}

type Table = Record<string, unknown>

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

function parsedToml(text: string, file: string): Table {
  try {
    return parse(text)
  } catch {
    throw new ClientError(
      `${file} cannot be read as TOML, so it is left alone. Repair it, or add the entry by hand: ${KVAULT} connect --print`,
      EXIT.byHand,
    )
  }
}

function serversOf(root: Table, client: McpClient, file: string): Table | undefined {
  let servers: unknown = root
  for (const key of client.path) {
    servers = isTable(servers) ? servers[key] : undefined
    if (servers !== undefined && !isTable(servers))
      throw new ClientError(`${file}: "${key}" is not a table, so it is left alone.`, EXIT.byHand)
  }
  return isTable(servers) ? servers : undefined
}

/** Returns the document with our entry, as parsed values, for comparison. */
function expected(text: string, client: McpClient, entry: Entry | undefined, file: string): Table {
  const root = parsedToml(text, file)
  let servers = root
  for (const key of client.path) {
    servers[key] ??= {}
    servers = servers[key] as Table
  }
  if (entry === undefined) delete servers[SERVER_NAME]
  else servers[SERVER_NAME] = entry
  return root
}

const eolOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n')

/** Returns our table as TOML: a head, plain values, an inline table for headers. */
function block(client: McpClient, entry: Entry, eol: string): string {
  const head = `[${[...client.path, SERVER_NAME].join('.')}]`
  const lines = Object.entries(entry).map(([key, value]) => {
    if (!isTable(value)) return stringify({ [key]: value }).trim()
    const items = Object.entries(value).map((pair) => stringify(Object.fromEntries([pair])).trim())
    return `${key} = { ${items.join(', ')} }`
  })
  return [head, ...lines, ''].join(eol)
}

/** Treats an empty table as missing: removing the last server may leave its head. */
function withoutEmpty(root: Table, client: McpClient): Table {
  const [key = ''] = client.path
  const servers = root[key]
  if (!isTable(servers) || Object.keys(servers).length > 0) return root
  const { [key]: _empty, ...rest } = root
  return rest
}

/** Copies the library's tables, which have no prototype, into plain objects for comparison. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isTable(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
}

const says = (text: string, wanted: Table, client: McpClient): boolean => {
  try {
    return isDeepStrictEqual(plain(withoutEmpty(parse(text), client)), plain(withoutEmpty(wanted, client)))
  } catch {
    return false
  }
}

/** Removes our table: literally if `block` wrote it, otherwise through the library. */
function withoutTomlEntry(text: string, client: McpClient, file: string): string {
  const current = tomlEntry(text, client, file)
  if (current === undefined) return text
  const wanted = expected(text, client, undefined, file)
  const ours = block(client, current, eolOf(text))
  const at = text.indexOf(ours)
  if (at >= 0) {
    const before = text.slice(0, at)
    const cut = before.endsWith(eolOf(text).repeat(2)) ? before.slice(0, -eolOf(text).length) : before
    const left = cut + text.slice(at + ours.length)
    if (says(left, wanted, client)) return left
  }
  return patch(text, wanted)
}

/** Adds our table at the end, so that no other byte changes; the result is parsed and compared. */
function withTomlEntry(text: string, client: McpClient, entry: Entry | undefined, file: string): string {
  serversOf(parsedToml(text, file), client, file)
  const rest = withoutTomlEntry(text, client, file)
  if (entry === undefined) return rest
  const wanted = expected(rest, client, entry, file)
  const eol = eolOf(text)
  const gap = rest.trim() === '' ? '' : rest.endsWith(eol) ? eol : eol.repeat(2)
  const appended = rest + gap + block(client, entry, eol)
  if (says(appended, wanted, client)) return appended
  const edited = patch(rest, wanted)
  if (says(edited, wanted, client)) return edited
  throw new ClientError(
    `${file} has a form that cannot be edited safely, so it is left alone. Add the entry by hand: ${KVAULT} connect --print`,
    EXIT.byHand,
  )
}

function tomlEntry(text: string, client: McpClient, file: string): Entry | undefined {
  const entry = serversOf(parsedToml(text, file), client, file)?.[SERVER_NAME]
  return isTable(entry) ? entry : undefined
}

/** Returns the client's file with our entry, or with our entry removed if `entry` is undefined. */
export const withEntry = (text: string, client: McpClient, entry: Entry | undefined, file: string): string =>
  belowMark(text, (plain) =>
    client.format === 'json'
      ? withJsonEntry(plain, client, entry, file)
      : withTomlEntry(plain, client, entry, file),
  )

/** Returns the file without our entry. An empty map of servers is removed too if it was not in `original`. */
export function withoutEntry(
  text: string,
  client: McpClient,
  file: string,
  original?: string | null,
): string {
  const left = withEntry(text, client, undefined, file)
  if (original === undefined || client.format !== 'json') return left
  if (hasServers(withoutMark(original ?? ''), client, file)) return left
  return belowMark(left, (plain) => withoutEmptyServers(plain, client, file))
}

export function entryIn(text: string, client: McpClient, file: string): Entry | undefined {
  const plain = withoutMark(text)
  return client.format === 'json' ? jsonEntry(plain, client, file) : tomlEntry(plain, client, file)
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns the key in an entry, wherever the client stores it. */
export function keyIn(entry: Entry): string | undefined {
  const sent = (entry.headers ?? entry.http_headers) as Record<string, unknown> | undefined
  const bearer = /^Bearer (.+)$/.exec(textIn(sent?.Authorization) ?? '')?.[1]
  const variables = entry.env as Record<string, unknown> | undefined
  return bearer ?? textIn(sent?.['X-API-Key']) ?? textIn(variables?.KVAULT_API_KEY)
}

export type Way =
  | { kind: 'http'; url: string; headers: Record<string, string> }
  | { kind: 'stdio'; command: string; args: string[]; env: Record<string, string> }

/** Returns how the client reaches the server by this entry; undefined without address and command. */
export function wayOf(entry: Entry): Way | undefined {
  const url = textIn(entry.url) ?? textIn(entry.httpUrl) ?? textIn(entry.serverUrl)
  if (url !== undefined) {
    const headers = (entry.headers ?? entry.http_headers ?? {}) as Record<string, string>
    return { kind: 'http', url, headers }
  }
  const command = textIn(entry.command)
  if (command === undefined) return undefined
  return {
    kind: 'stdio',
    command,
    args: (entry.args as string[] | undefined) ?? [],
    env: (entry.env as Record<string, string> | undefined) ?? {},
  }
}

/** Returns the two common forms of an entry, for clients that are not in the list. */
export const genericEntries = (http: Entry, stdio: Entry): string =>
  [
    'For a client that speaks HTTP:',
    JSON.stringify({ mcpServers: { [SERVER_NAME]: http } }, null, 2),
    '',
    'For a client that starts a program:',
    JSON.stringify({ mcpServers: { [SERVER_NAME]: stdio } }, null, 2),
  ].join('\n')

const OWNER_ONLY = 0o600
const ANY_BIT_OF_OTHERS = 0o077
const ANY_WRITER = 0o222

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/** Fatal, because the file is written back and replaced characters would be lost. A byte order mark stays. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw new ClientError(`${file} cannot be read (${codeOf(error)}).`, EXIT.byHand)
  }
}

export function readText(file: string): string | null {
  const bytes = bytesOf(file)
  try {
    return bytes && UTF_8.decode(bytes)
  } catch {
    throw new ClientError(`${file} is not UTF-8, so it is left alone.`, EXIT.byHand)
  }
}

const modeOf = (file: string): number | undefined =>
  existsSync(file) ? statSync(file).mode & 0o777 : undefined

/** Refuses a read-only file: somebody wants it unchanged, though replacing it would work. */
function refuseReadOnly(file: string, mode: number | undefined): void {
  if (mode === undefined || (mode & ANY_WRITER) !== 0) return
  throw new ClientError(
    `${file} is read-only (mode ${mode.toString(8)}), so it is left alone. If you want it changed, make it writable first.`,
    EXIT.byHand,
  )
}

type Written = {
  /** The file was readable for others before and is private now. */
  closed: boolean
  /** The file's mode before; undefined for a new file. */
  modeBefore: number | undefined
  /** The topmost folder that was made for the file. */
  madeFolder: string | undefined
}

/** Replaces a file atomically; a file with a key becomes private, otherwise the mode stays. */
export function writeText(
  file: string,
  text: string,
  { holdsKey = false, mode }: { holdsKey?: boolean; mode?: number | undefined } = {},
): Written {
  const target = behindLink(file)
  const modeBefore = modeOf(target)
  refuseReadOnly(file, modeBefore)
  const wanted = holdsKey ? OWNER_ONLY : (mode ?? modeBefore ?? OWNER_ONLY)
  let madeFolder: string | undefined
  try {
    madeFolder = mkdirSync(dirname(target), { recursive: true })
    replaceFile(target, text, wanted)
  } catch (error) {
    throw new ClientError(`${file} cannot be written (${codeOf(error)}).`, EXIT.byHand)
  }
  const isPosix = process.platform !== 'win32'
  const wasOpen = modeBefore !== undefined && (modeBefore & ANY_BIT_OF_OTHERS) !== 0
  return { closed: isPosix && holdsKey && wasOpen, modeBefore, madeFolder }
}

/** Removes a file, and the folders that were made for it if they are empty; a symbolic link to it stays. */
export function removeFile(file: string, madeFolder?: string): void {
  const target = behindLink(file)
  rmSync(target, { force: true })
  if (madeFolder === undefined) return
  const isMade = (folder: string) => `${folder}${sep}`.startsWith(`${madeFolder}${sep}`)
  for (let folder = dirname(target); isMade(folder); folder = dirname(folder))
    try {
      rmdirSync(folder)
    } catch {
      return
    }
}

export type HookFile = {
  file: () => string
  at: (path: string) => HookFile
  withOurs: (text: string | null) => string
  /** Returns the text without ours; null if nothing else is left. */
  withoutOurs: (text: string) => string | null
  hasOurs: (text: string | null) => boolean
}

type Settings = Record<string, unknown> & { hooks?: Record<string, unknown> }

export type HookEntry = { event: string; element: object }

type JsonHooks = {
  file: () => string
  entries: () => HookEntry[]
  /** Whether a command in a list of hooks is ours, also from an earlier version. */
  isOurs: (command: unknown) => boolean
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

const commandsOf = (element: unknown): unknown[] => (isGroup(element) ? element.hooks : [element])

const ourPart = (element: unknown, isOurs: JsonHooks['isOurs']): unknown =>
  isGroup(element) ? { ...element, hooks: element.hooks.filter(isOurs) } : element

/** Returns the path of our first command, or of its group or list if they would become empty. */
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

function withHookEntry(text: string, { event, element }: HookEntry, { file, head }: JsonHooks): string {
  const tree = parseTree(text, [], LENIENT)
  if (!tree) return `${JSON.stringify({ ...head, hooks: { [event]: [element] } }, null, 2)}\n`
  const isThere = settingsOf(text, file()).hooks?.[event] !== undefined
  return isThere
    ? withElement(text, tree, ['hooks', event], element)
    : withValue(text, tree, ['hooks', event], [element])
}

/** Returns a JSON hook file: a map of events, each with a list of commands. */
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
        return entries.reduce((after, entry) => withHookEntry(after, entry, hooks), withoutAll(before, hooks))
      }),
    withoutOurs: (text) => belowMark(text, (before) => withoutAll(before, hooks)),
  }
}
