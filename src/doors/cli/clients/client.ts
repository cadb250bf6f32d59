import { homedir, platform } from 'node:os'
import { join } from 'node:path'

/** A vault as one client is to reach it. Without a key the client signs in by itself, in the browser. */
export type Endpoint = { url: string; apiKey?: string | undefined }

export type Entry = Record<string, unknown>

/** How one MCP client is told of a server: where its file lies and what stands in it. */
export type McpClient = {
  name: string
  title: string
  /** The file of the person, not of a project; follows the client's own variables. */
  file: () => string
  format: 'json' | 'toml'
  /** Keys that lead to the map of servers. */
  path: readonly string[]
  entry: (endpoint: Endpoint) => Entry
  /**
   * It opens the browser and signs in on its own, so it needs no key. Such files are often synchronised or kept in a
   * repository of settings, where a key would travel along.
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

export const home = (...parts: string[]): string => join(homedir(), ...parts)

/** A folder that a variable may move. */
export const folderOf = (variable: string, ...standard: string[]): string =>
  process.env[variable] || home(...standard)

/** Where desktop programs keep their settings. */
export function settings(...parts: string[]): string {
  if (platform() === 'darwin') return home('Library', 'Application Support', ...parts)
  if (platform() === 'win32') return join(process.env.APPDATA || home('AppData', 'Roaming'), ...parts)
  return join(process.env.XDG_CONFIG_HOME || home('.config'), ...parts)
}

/** Where programs of the terminal keep theirs, on every system. */
export const dotConfig = (...parts: string[]): string =>
  join(process.env.XDG_CONFIG_HOME || home('.config'), ...parts)

export const mcpAddress = ({ url }: Endpoint): string => `${url}/mcp`

/** All clients send it as it is, and those that look at it know a bearer token when they see one. */
export const headers = ({ apiKey }: Endpoint): Entry =>
  apiKey === undefined ? {} : { headers: { Authorization: `Bearer ${apiKey}` } }
