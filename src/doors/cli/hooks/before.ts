import { readFileSync } from 'node:fs'
import { type Deed, idsBefore } from '../../../shared/before.ts'
import { findNames, pathIn, wasAsked } from './names-index.ts'

// The hook before a tool: a program of its own, since it starts before every change and every command. It reads one file,
// and starts the ordinary hook only if that file names what the agent is about to touch.

const SHELLS = ['Bash', 'PowerShell']
const EDITORS = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit']
const TIMEOUT_MS = 4000

type Payload = {
  tool_name?: unknown
  tool_input?: { command?: unknown; file_path?: unknown; notebook_path?: unknown }
  cwd?: unknown
  session_id?: unknown
  cursor_version?: unknown
}

function deedOf({ tool_name, tool_input }: Payload, folder: string): Deed | undefined {
  const file = tool_input?.file_path ?? tool_input?.notebook_path
  if (EDITORS.includes(String(tool_name)) && typeof file === 'string') return { file: pathIn(folder, file) }
  const command = tool_input?.command
  return SHELLS.includes(String(tool_name)) && typeof command === 'string' ? { command } : undefined
}

function isNamed(text: string): boolean {
  const payload = JSON.parse(text.replace(/^\uFEFF/, '') || '{}') as Payload
  const { cwd, session_id } = payload
  if (typeof cwd !== 'string' || payload.cursor_version !== undefined) return false
  const names = findNames(cwd)
  const deed = names && deedOf(payload, names.folder)
  if (!deed || idsBefore(names, deed).length === 0) return false
  return typeof session_id !== 'string' || !wasAsked(session_id, 'file' in deed ? deed.file : deed.command)
}

/** Asks by the ordinary hook, with the same input. */
async function ask(text: string): Promise<void> {
  // Loaded only here: nearly always there is nothing to ask.
  const { spawnSync } = await import('node:child_process')
  const [, program = '', ...args] = process.argv
  const hook = program.replace(/hook-before(\.m?js)$/, 'hook$1')
  const { stdout } = spawnSync(process.execPath, [hook, ...args], {
    input: text,
    env: { ...process.env, KVAULT_HOOK_NAMED: '1' },
    timeout: TIMEOUT_MS,
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  })
  if (stdout?.length) process.stdout.write(stdout)
}

try {
  const text = readFileSync(0, 'utf8')
  if (isNamed(text)) await ask(text)
} catch {
  // Silence: a hook never stops the agent.
}
