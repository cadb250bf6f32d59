import { existsSync } from 'node:fs'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'
import { dotConfig } from '../folders.ts'
import { ownCommand } from '../own-copy.ts'
import {
  type Endpoint,
  folderOf,
  geminiFolder,
  headers,
  home,
  type McpClient,
  mcpAddress,
  settings,
} from './client.ts'

const typed = (endpoint: Endpoint) => ({ type: 'http', url: mcpAddress(endpoint), ...headers(endpoint) })
const plain = (endpoint: Endpoint) => ({ url: mcpAddress(endpoint), ...headers(endpoint) })

const claudeFolder = () => folderOf('CLAUDE_CONFIG_DIR', '.claude')
const codexFolder = () => folderOf('CODEX_HOME', '.codex')
const qwenFolder = () => folderOf('QWEN_HOME', '.qwen')
const copilotFolder = () => folderOf('COPILOT_HOME', '.copilot')
const clineFolder = () => folderOf('CLINE_DIR', '.cline')
const continueFolder = () => folderOf('CONTINUE_GLOBAL_DIR', '.continue')
const zedFolder = () => (platform() === 'win32' ? settings('Zed') : dotConfig('zed'))

/** opencode reads both names; an existing file with comments is kept. */
function opencodeFile(): string {
  if (process.env.OPENCODE_CONFIG) return process.env.OPENCODE_CONFIG
  const folder = process.env.OPENCODE_CONFIG_DIR || dotConfig('opencode')
  const withComments = join(folder, 'opencode.jsonc')
  return existsSync(withComments) ? withComments : join(folder, 'opencode.json')
}

/** The forms are those that each client documents, or writes itself by its own command. */
export const CLIENTS: readonly McpClient[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    file: () => (process.env.CLAUDE_CONFIG_DIR ? join(claudeFolder(), '.claude.json') : home('.claude.json')),
    format: 'json',
    path: ['mcpServers'],
    entry: typed,
    program: 'claude',
    folder: claudeFolder,
    after: 'Check with: claude mcp list',
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    file: () => settings('Claude', 'claude_desktop_config.json'),
    format: 'json',
    path: ['mcpServers'],
    // It starts servers itself, without the PATH of a shell, and talks to them by standard input and output.
    entry: ({ url, apiKey }) => ({
      ...ownCommand('mcp'),
      env: { KVAULT_URL: url, ...(apiKey === undefined ? {} : { KVAULT_API_KEY: apiKey }) },
    }),
    folder: () => settings('Claude'),
    after: 'Restart Claude Desktop.',
  },
  {
    name: 'codex',
    title: 'Codex',
    file: () => join(codexFolder(), 'config.toml'),
    format: 'toml',
    path: ['mcp_servers'],
    entry: (endpoint) => {
      const { headers: http_headers } = headers(endpoint)
      return { url: mcpAddress(endpoint), ...(http_headers ? { http_headers } : {}) }
    },
    program: 'codex',
    folder: codexFolder,
    after: 'Check with: codex mcp list',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    file: () => join(geminiFolder(), 'settings.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: (endpoint) => ({ url: mcpAddress(endpoint), type: 'http', ...headers(endpoint) }),
    program: 'gemini',
    folder: geminiFolder,
    after: 'Check with: gemini mcp list',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    file: () => home('.cursor', 'mcp.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: plain,
    signsIn: true,
    program: 'cursor',
    folder: () => home('.cursor'),
    after: 'Open Settings → MCP in Cursor and see that it is on.',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    file: () => settings('Code', 'User', 'mcp.json'),
    format: 'json',
    path: ['servers'],
    entry: typed,
    signsIn: true,
    program: 'code',
    folder: () => settings('Code', 'User'),
    after: 'Run "MCP: List Servers" in VS Code and start it.',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    file: () => home('.codeium', 'windsurf', 'mcp_config.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: (endpoint) => ({ serverUrl: mcpAddress(endpoint), ...headers(endpoint) }),
    program: 'windsurf',
    folder: () => home('.codeium', 'windsurf'),
    after: 'Press refresh in the Cascade MCP panel.',
  },
  {
    name: 'opencode',
    title: 'opencode',
    file: opencodeFile,
    format: 'json',
    path: ['mcp'],
    entry: (endpoint) => ({
      type: 'remote',
      url: mcpAddress(endpoint),
      enabled: true,
      ...headers(endpoint),
    }),
    program: 'opencode',
    folder: () => dirname(opencodeFile()),
    after: 'Check with: opencode mcp list',
  },
  {
    name: 'copilot',
    title: 'Copilot CLI',
    file: () => join(copilotFolder(), 'mcp-config.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: (endpoint) => ({ ...typed(endpoint), tools: ['*'] }),
    program: 'copilot',
    folder: copilotFolder,
    after: 'Check with: copilot mcp list',
  },
  {
    name: 'cline',
    title: 'Cline',
    file: () =>
      process.env.CLINE_MCP_SETTINGS_PATH ||
      join(clineFolder(), 'data', 'settings', 'cline_mcp_settings.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: (endpoint) => ({ ...plain(endpoint), type: 'streamableHttp', disabled: false }),
    program: 'cline',
    folder: clineFolder,
    after: 'Check with: cline mcp',
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    file: () => join(qwenFolder(), 'settings.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: (endpoint) => ({ httpUrl: mcpAddress(endpoint), ...headers(endpoint) }),
    program: 'qwen',
    folder: qwenFolder,
    after: 'Check with: qwen mcp list',
  },
  {
    name: 'amp',
    title: 'Amp',
    file: () => process.env.AMP_SETTINGS_FILE || dotConfig('amp', 'settings.json'),
    format: 'json',
    path: ['amp.mcpServers'],
    entry: plain,
    program: 'amp',
    folder: () => dotConfig('amp'),
    after: 'Check with: amp mcp list',
  },
  {
    name: 'continue',
    title: 'Continue',
    // A file of our own: Continue reads every file of this folder.
    file: () => join(continueFolder(), 'mcpServers', 'knowledge-vault.json'),
    format: 'json',
    path: ['mcpServers'],
    entry: typed,
    folder: continueFolder,
    after: 'Reload the window of your editor.',
  },
  {
    name: 'zed',
    title: 'Zed',
    file: () => join(zedFolder(), 'settings.json'),
    format: 'json',
    path: ['context_servers'],
    entry: plain,
    signsIn: true,
    program: 'zed',
    folder: zedFolder,
    after: 'Open the agent panel of Zed and see that its light is green.',
  },
]
