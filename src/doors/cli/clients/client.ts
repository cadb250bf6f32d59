import { platform } from 'node:os'
import { join } from 'node:path'
import { homeFolder } from '../../../core/user-folders.ts'
import { dotConfig } from '../folders.ts'

/** How a client reaches a vault. Without a key the client signs in by itself, in the browser. */
export type Endpoint = { url: string; apiKey?: string | undefined }

export type Entry = Record<string, unknown>

/** How an MCP client is configured: where its file is and what the entry looks like. */
export type McpClient = {
  name: string
  title: string
  /** The person's file, not a project's. It follows the client's own environment variables. */
  file: () => string
  format: 'json' | 'toml'
  /** Keys that lead to the map of servers. */
  path: readonly string[]
  entry: (endpoint: Endpoint) => Entry
  /**
   * It opens the browser and signs in on its own, so it needs no key. Such files are often synchronised or kept in a
   * repository of settings, where a key would be copied with them.
   */
  signsIn?: true
  /** Its program, as found in PATH. */
  program?: string
  /** A folder that only its installation makes. */
  folder: () => string
  /** What is left to do afterwards. */
  after: string
}

export const SERVER_NAME = 'knowledge-vault'

export const home = (...parts: string[]): string => join(homeFolder(), ...parts)

/** A folder that a variable may move. */
export const folderOf = (variable: string, ...standard: string[]): string =>
  process.env[variable] || home(...standard)

/** Unlike other variables, this one moves the home in which the folder is. */
export const geminiFolder = (): string => join(process.env.GEMINI_CLI_HOME || home(), '.gemini')

/** Where desktop programs keep their settings. */
export function settings(...parts: string[]): string {
  if (platform() === 'darwin') return home('Library', 'Application Support', ...parts)
  if (platform() === 'win32') return join(process.env.APPDATA || home('AppData', 'Roaming'), ...parts)
  return dotConfig(...parts)
}

export const mcpAddress = ({ url }: Endpoint): string => `${url}/mcp`

/** All clients send this header as it is, and those that read it accept a bearer token. */
export const headers = ({ apiKey }: Endpoint): Entry =>
  apiKey === undefined ? {} : { headers: { Authorization: `Bearer ${apiKey}` } }
