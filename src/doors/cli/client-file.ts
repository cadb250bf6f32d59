import { type McpClient, SERVER_NAME } from './clients.ts'
import { CommandError, EXIT } from './exit-codes.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseSettings(text: string, file: string): Json {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Comments or a half-edited file: told below.
  }
  throw new CommandError(
    `${file} is not plain JSON (it may have comments), so it is left alone. Add the entry by hand; see it with --print.`,
    EXIT.byHand,
  )
}

const indentOf = (text: string) => /\n([ \t]+)"/.exec(text)?.[1] ?? '  '

function withJsonEntry(text: string, client: McpClient, entry: Json | undefined, file: string): string {
  const root = parseSettings(text, file)
  let servers = root
  for (const key of client.path) {
    if (servers[key] === undefined && entry) servers[key] = {}
    const next = servers[key]
    if (next === undefined) return text
    if (!isObject(next))
      throw new CommandError(`${file}: "${key}" is not an object, so it is left alone.`, EXIT.byHand)
    servers = next
  }
  if (entry) servers[SERVER_NAME] = entry
  else delete servers[SERVER_NAME]
  return `${JSON.stringify(root, null, indentOf(text))}\n`
}

const tomlString = (value: unknown) => JSON.stringify(String(value))

function tomlBlock(table: string, entry: Json): string {
  const lines = Object.entries(entry).map(([key, value]) =>
    isObject(value)
      ? `${key} = { ${Object.entries(value)
          .map(([name, item]) => `${tomlString(name)} = ${tomlString(item)}`)
          .join(', ')} }`
      : `${key} = ${tomlString(value)}`,
  )
  return [`[${table}]`, ...lines, ''].join('\n')
}

/** Takes one table out of a TOML file: from its head to the next head. */
function withoutTomlTable(text: string, table: string): string {
  const kept: string[] = []
  let inside = false
  for (const line of text.split('\n')) {
    const head = /^\s*\[+([^\]]+)\]+/.exec(line)?.[1]?.trim()
    if (head !== undefined) inside = head === table || head.startsWith(`${table}.`)
    if (!inside) kept.push(line)
  }
  return kept.join('\n')
}

function withTomlEntry(text: string, client: McpClient, entry: Json | undefined): string {
  const table = client.path.join('.')
  const rest = withoutTomlTable(text, table)
  if (!entry) return rest
  const before = rest.trimEnd()
  return `${before}${before ? '\n\n' : ''}${tomlBlock(table, entry)}`
}

/** The client's file with our entry in it, or, without an entry, with ours taken out. Nothing else is touched. */
export function withEntry(text: string, client: McpClient, entry: Json | undefined, file: string): string {
  return client.format === 'json'
    ? withJsonEntry(text, client, entry, file)
    : withTomlEntry(text, client, entry)
}

/** What stands in the file for us, as text to search in; undefined if nothing does. */
export function entryIn(text: string, client: McpClient, file: string): string | undefined {
  const without = withEntry(text, client, undefined, file)
  if (client.format === 'toml') return text.includes(`[${client.path.join('.')}]`) ? text : undefined
  const root = parseSettings(text, file)
  const servers = client.path.reduce<unknown>(
    (value, key) => (isObject(value) ? value[key] : undefined),
    root,
  )
  const entry = isObject(servers) ? servers[SERVER_NAME] : undefined
  return entry === undefined || without === text ? undefined : JSON.stringify(entry)
}
