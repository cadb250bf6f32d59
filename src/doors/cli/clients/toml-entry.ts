import { isDeepStrictEqual } from 'node:util'
import { parse, patch, stringify } from '@decimalturn/toml-patch'
import { ClientError, EXIT } from '../exit-codes.ts'
import { KVAULT } from '../own-copy.ts'
import { type Entry, type McpClient, SERVER_NAME } from './client.ts'

type Table = Record<string, unknown>

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

function parsed(text: string, file: string): Table {
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

/** The same document with another entry of ours, as values. */
function expected(text: string, client: McpClient, entry: Entry | undefined, file: string): Table {
  const root = parsed(text, file)
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

/** Our table as people write it: a head, plain values, an inline table for headers. */
function block(client: McpClient, entry: Entry, eol: string): string {
  const head = `[${[...client.path, SERVER_NAME].join('.')}]`
  const lines = Object.entries(entry).map(([key, value]) => {
    if (!isTable(value)) return stringify({ [key]: value }).trim()
    const items = Object.entries(value).map((pair) => stringify(Object.fromEntries([pair])).trim())
    return `${key} = { ${items.join(', ')} }`
  })
  return [head, ...lines, ''].join(eol)
}

/** An empty table counts as missing: removing the last server may leave its head. */
function withoutEmpty(root: Table, client: McpClient): Table {
  const [key = ''] = client.path
  const servers = root[key]
  if (!isTable(servers) || Object.keys(servers).length > 0) return root
  const { [key]: _empty, ...rest } = root
  return rest
}

/** The library's tables have no prototype; these have one, so that they can be compared. */
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

/** Removes our table: literally if `block` wrote it, otherwise by an edit of the library. */
function withoutEntry(text: string, client: McpClient, file: string): string {
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

/**
 * Our table is added at the end, so that no other byte changes. If the servers are one inline table, nothing can be added
 * to it from outside, and the library edits it in place. Either result is parsed again and compared.
 */
export function withTomlEntry(
  text: string,
  client: McpClient,
  entry: Entry | undefined,
  file: string,
): string {
  serversOf(parsed(text, file), client, file)
  const rest = withoutEntry(text, client, file)
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

export function tomlEntry(text: string, client: McpClient, file: string): Entry | undefined {
  const entry = serversOf(parsed(text, file), client, file)?.[SERVER_NAME]
  return isTable(entry) ? entry : undefined
}
