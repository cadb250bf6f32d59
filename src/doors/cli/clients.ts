import { homedir, platform } from 'node:os'
import { join } from 'node:path'

export type Endpoint = { url: string; apiKey: string }

/** How one MCP client is told of a server: where its file lies and what stands in it. */
export type McpClient = {
  name: string
  title: string
  file: () => string
  format: 'json' | 'toml'
  /** Keys that lead to the map of servers (JSON), or the table's name (TOML). */
  path: string[]
  entry: (endpoint: Endpoint) => Record<string, unknown>
  /** What is left to do afterwards. */
  after: string
}

export const SERVER_NAME = 'knowledge-vault'

const home = (...parts: string[]) => join(homedir(), ...parts)

/** Where desktop programs keep their settings. */
function settings(...parts: string[]): string {
  if (platform() === 'darwin') return home('Library', 'Application Support', ...parts)
  if (platform() === 'win32') return join(process.env.APPDATA ?? home('AppData', 'Roaming'), ...parts)
  return join(process.env.XDG_CONFIG_HOME ?? home('.config'), ...parts)
}

const headers = ({ apiKey }: Endpoint) => ({ 'X-API-Key': apiKey })
const address = ({ url }: Endpoint) => `${url}/mcp`

export const CLIENTS: readonly McpClient[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    file: () => home('.claude.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: (endpoint) => ({ type: 'http', url: address(endpoint), headers: headers(endpoint) }),
    after: 'Check with: claude mcp list',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    file: () => home('.cursor', 'mcp.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: (endpoint) => ({ url: address(endpoint), headers: headers(endpoint) }),
    after: 'Open Settings → MCP in Cursor and see that it is on.',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    file: () => settings('Code', 'User', 'mcp.json'),
    format: 'json',
    path: ['servers'],
    entry: (endpoint) => ({ type: 'http', url: address(endpoint), headers: headers(endpoint) }),
    after: 'Run "MCP: List Servers" in VS Code and start it.',
  },
  {
    name: 'codex',
    title: 'Codex',
    file: () => home('.codex', 'config.toml'),
    format: 'toml',
    path: ['mcp_servers', SERVER_NAME],
    entry: (endpoint) => ({ url: address(endpoint), http_headers: headers(endpoint) }),
    after: 'Check with: codex mcp list',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    file: () => home('.codeium', 'windsurf', 'mcp_config.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: (endpoint) => ({ serverUrl: address(endpoint), headers: headers(endpoint) }),
    after: 'Press refresh in the Cascade MCP panel.',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    file: () => home('.gemini', 'settings.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: (endpoint) => ({ httpUrl: address(endpoint), headers: headers(endpoint) }),
    after: 'Check with: /mcp inside gemini',
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    file: () => settings('Claude', 'claude_desktop_config.json'),
    format: 'json',
    path: ['mcpServers'],
    // It starts servers by itself and speaks to them by standard input and output.
    entry: ({ url, apiKey }) => ({
      command: 'kvault',
      args: ['mcp'],
      env: { KVAULT_URL: url, KVAULT_API_KEY: apiKey },
    }),
    after: 'Restart Claude Desktop.',
  },
]
