import { belowMark, withoutMark } from '../jsonc.ts'
import { type Entry, type McpClient, SERVER_NAME } from './client.ts'
import { hasServers, jsonEntry, withJsonEntry, withoutEmptyServers } from './json-entry.ts'
import { tomlEntry, withTomlEntry } from './toml-entry.ts'

/** The client's file with our entry in it, or, without an entry, with ours taken out. Nothing else is touched. */
export const withEntry = (text: string, client: McpClient, entry: Entry | undefined, file: string): string =>
  belowMark(text, (plain) =>
    client.format === 'json'
      ? withJsonEntry(plain, client, entry, file)
      : withTomlEntry(plain, client, entry, file),
  )

/**
 * The file without our entry. `original` is its text from before the entry: a map of servers that it did not have goes with
 * our entry, if nothing else is in it.
 */
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

/** Our entry in the file; undefined if there is none. */
export function entryIn(text: string, client: McpClient, file: string): Entry | undefined {
  const plain = withoutMark(text)
  return client.format === 'json' ? jsonEntry(plain, client, file) : tomlEntry(plain, client, file)
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The key in an entry, wherever the client puts it. */
export function keyIn(entry: Entry): string | undefined {
  const sent = (entry.headers ?? entry.http_headers) as Record<string, unknown> | undefined
  const bearer = /^Bearer (.+)$/.exec(textIn(sent?.Authorization) ?? '')?.[1]
  const variables = entry.env as Record<string, unknown> | undefined
  return bearer ?? textIn(sent?.['X-API-Key']) ?? textIn(variables?.KVAULT_API_KEY)
}

export type Way =
  | { kind: 'http'; url: string; headers: Record<string, string> }
  | { kind: 'stdio'; command: string; args: string[]; env: Record<string, string> }

/** How the client reaches the server by this entry; undefined for an entry with neither address nor command. */
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

/** For the clients that are not in the list: most read one of these two. */
export const genericEntries = (http: Entry, stdio: Entry): string =>
  [
    'For a client that speaks HTTP:',
    JSON.stringify({ mcpServers: { [SERVER_NAME]: http } }, null, 2),
    '',
    'For a client that starts a program:',
    JSON.stringify({ mcpServers: { [SERVER_NAME]: stdio } }, null, 2),
  ].join('\n')
