import { existsSync } from 'node:fs'
import { platform } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Command } from 'commander'
import { homeFolder } from '../../../core/user-folders.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { dotConfig, KVAULT, ownCommand } from '../local-files.ts'

/** How a client reaches a vault. Without a key, the client signs in through the browser. */
type Endpoint = { url: string; apiKey?: string | undefined; allTools?: boolean | undefined }

export type Entry = Record<string, unknown>

/** The configuration of an MCP client: its file and the form of an entry. */
export type McpClient = {
  name: string
  title: string
  /** The user's configuration file, at the place given by the client's environment variables. */
  file: () => string
  format: 'json' | 'toml'
  path: readonly string[]
  entry: (endpoint: Endpoint) => Entry
  /** The client needs no key: its file may be synchronised, and a key would be copied with it. */
  signsIn?: true
  /** The client's program in PATH. */
  program?: string
  /** A folder that only the client's installation creates. */
  folder: () => string
  after: string
}

export const SERVER_NAME = 'knowledge-vault'

export const home = (...parts: string[]): string => join(homeFolder(), ...parts)

/** Returns a folder that an environment variable may move. */
export const folderOf = (variable: string, ...standard: string[]): string =>
  process.env[variable] || home(...standard)

/** GEMINI_CLI_HOME moves the home folder that contains `.gemini`. */
export const geminiFolder = (): string => join(process.env.GEMINI_CLI_HOME || home(), '.gemini')

function settings(...parts: string[]): string {
  if (platform() === 'darwin') return home('Library', 'Application Support', ...parts)
  if (platform() === 'win32') return join(process.env.APPDATA || home('AppData', 'Roaming'), ...parts)
  return dotConfig(...parts)
}

/** The core tools unless the person wants all: each listed tool costs a model tokens in every session. */
const mcpAddress = ({ url, allTools }: Endpoint): string => `${url}/mcp${allTools ? '' : '?profile=core'}`

/** Returns the headers of an entry. All clients send them unchanged. */
const headers = ({ apiKey }: Endpoint): Entry =>
  apiKey === undefined ? {} : { headers: { Authorization: `Bearer ${apiKey}` } }

const typed = (endpoint: Endpoint) => ({ type: 'http', url: mcpAddress(endpoint), ...headers(endpoint) })
const plain = (endpoint: Endpoint) => ({ url: mcpAddress(endpoint), ...headers(endpoint) })

const claudeFolder = () => folderOf('CLAUDE_CONFIG_DIR', '.claude')
const codexFolder = () => folderOf('CODEX_HOME', '.codex')
const qwenFolder = () => folderOf('QWEN_HOME', '.qwen')
const copilotFolder = () => folderOf('COPILOT_HOME', '.copilot')
const clineFolder = () => folderOf('CLINE_DIR', '.cline')
const continueFolder = () => folderOf('CONTINUE_GLOBAL_DIR', '.continue')
const zedFolder = () => (platform() === 'win32' ? settings('Zed') : dotConfig('zed'))

function opencodeFile(): string {
  if (process.env.OPENCODE_CONFIG) return process.env.OPENCODE_CONFIG
  const folder = process.env.OPENCODE_CONFIG_DIR || dotConfig('opencode')
  const withComments = join(folder, 'opencode.jsonc')
  return existsSync(withComments) ? withComments : join(folder, 'opencode.json')
}

/** Entry forms as each client documents or writes them. */
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
    // Claude Desktop starts servers itself, without a shell's PATH, and uses standard input and output.
    entry: ({ url, apiKey, allTools }) => ({
      ...ownCommand('mcp', ...(allTools ? [] : ['--core'])),
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
    // A separate file: Continue reads every file of this folder.
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

const ENDINGS = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : ['']

const isInPath = (program: string): boolean =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && ENDINGS.some((ending) => existsSync(join(folder, program + ending))))

const isInstalled = (client: McpClient): boolean =>
  existsSync(client.folder()) || (client.program !== undefined && isInPath(client.program))

export const installedClients = (): McpClient[] => CLIENTS.filter(isInstalled)

export function findClient(name: string): McpClient {
  const client = CLIENTS.find((candidate) => candidate.name === name)
  if (client) return client
  const names = CLIENTS.map((candidate) => candidate.name).join(', ')
  throw new CommandError(
    `Unknown client "${name}". Known: ${names}. For any other: ${KVAULT} connect --print`,
    EXIT.usage,
  )
}

const clientNames = CLIENTS.map((client) => client.name).join(' ')

const SCRIPTS: Record<string, (commands: string) => string> = {
  bash: (commands) => `_kvault() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${commands}" -- "$word"))
  elif [[ "\${COMP_WORDS[1]}" =~ ^(connect|disconnect)$ ]]; then COMPREPLY=($(compgen -W "${clientNames}" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -F _kvault kvault`,
  zsh: (commands) => `#compdef kvault
_kvault() {
  if (( CURRENT == 2 )); then compadd ${commands}
  elif [[ \${words[2]} == (connect|disconnect) ]]; then compadd ${clientNames}
  else _files; fi
}
compdef _kvault kvault`,
  fish: (commands) => `complete -c kvault -f -n __fish_use_subcommand -a "${commands}"
complete -c kvault -f -n "__fish_seen_subcommand_from connect disconnect" -a "${clientNames}"`,
}

export function completionScript(shell: string, program: Command): string {
  const script = SCRIPTS[shell]
  if (!script)
    throw new CommandError(
      `No completion for "${shell}". Known: ${Object.keys(SCRIPTS).join(', ')}.`,
      EXIT.usage,
    )
  const shown = program.createHelp().visibleCommands(program)
  return script(shown.map((command) => command.name()).join(' '))
}
