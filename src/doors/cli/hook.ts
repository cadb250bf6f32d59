import { readFileSync } from 'node:fs'
import { noteHookRun } from './hook-log.ts'
import { findProfile, type Profile } from './profile.ts'
import { projectKeyOf, type Snapshot } from './project.ts'
import { readStdin } from './terminal.ts'
import { callTool } from './vault-client.ts'

/** What Claude Code hands to a hook on standard input. */
type HookInput = { session_id?: string; cwd?: string; transcript_path?: string; stop_hook_active?: boolean }

const DEFAULT_BUDGET = 6000
const MAX_VERBATIM = 4000

const budget = (): number => {
  const given = Number(process.env.KVAULT_HOOK_CHARS)
  return Number.isInteger(given) && given > 0 ? given : DEFAULT_BUDGET
}

/** Sections in the order of their worth, cut where the budget ends. */
export function contextText(snapshot: Snapshot, preferences: Snapshot, budgetChars: number): string {
  const recent = snapshot.recent_events.map((event) => `- ${event.created_at.slice(0, 16)} ${event.content}`)
  const sections: [string, string | undefined][] = [
    ['Your preferences', preferences.user_preferences?.content],
    ['Project preferences', snapshot.project_preferences?.content],
    ['Project facts', snapshot.facts?.content],
    ['Current focus', snapshot.summary?.content],
    ['Recent work, newest first', recent.join('\n') || undefined],
  ]
  const text = sections
    .flatMap(([title, content]) => (content ? [`## ${title}\n${content}`] : []))
    .join('\n\n')
  if (!text) return ''
  const whole = `# Memory of ${snapshot.project_key} (Knowledge Vault)\n\n${text}`
  return whole.length <= budgetChars ? whole : `${whole.slice(0, budgetChars - 2).toWellFormed()}…`
}

async function sessionStart(profile: Profile, input: HookInput): Promise<void> {
  const project_key = projectKeyOf(input.cwd ?? process.cwd())
  const [snapshot, preferences] = await Promise.all([
    callTool<Snapshot>(profile, 'get_project_context', {
      project_key,
      limit_events: 10,
      max_chars_per_event: 800,
    }),
    callTool<Snapshot>(profile, 'get_project_context', {
      project_key: '__user__/preferences',
      limit_events: 1,
    }),
  ])
  const additionalContext = contextText(snapshot, preferences, budget())
  if (additionalContext)
    process.stdout.write(
      JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }),
    )
}

type TranscriptLine = { type?: string; isMeta?: boolean; message?: { content?: unknown } }

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((part) => (part?.type === 'text' && typeof part.text === 'string' ? [part.text] : []))
    .join('\n')
}

/** The last thing the person said, and the last thing the agent answered to it. */
export function lastTurn(transcript: string): { user: string; agent: string } | undefined {
  const lines = transcript.split('\n').flatMap((line): TranscriptLine[] => {
    try {
      return line ? [JSON.parse(line)] : []
    } catch {
      return []
    }
  })
  const said = (type: string) => (line: TranscriptLine) =>
    line.type === type && !line.isMeta && textOf(line.message?.content).trim() !== ''
  const start = lines.findLastIndex(said('user'))
  const end = lines.findLastIndex(said('assistant'))
  if (start < 0 || end < start) return undefined
  return {
    user: textOf(lines[start]?.message?.content).trim(),
    agent: textOf(lines[end]?.message?.content).trim(),
  }
}

/** The interface's rule for long messages: the beginning verbatim, and what was left out said. */
const verbatim = (text: string) =>
  text.length <= MAX_VERBATIM
    ? text
    : `${text.slice(0, MAX_VERBATIM).toWellFormed()}\n[… ${text.length - MAX_VERBATIM} more characters]`

async function stop(profile: Profile, input: HookInput): Promise<void> {
  if (input.stop_hook_active || !input.transcript_path) return
  const turn = lastTurn(readFileSync(input.transcript_path, 'utf8'))
  if (!turn) return
  await callTool(profile, 'append_context_turn', {
    project_key: projectKeyOf(input.cwd ?? process.cwd()),
    user_message: verbatim(turn.user),
    agent_report: verbatim(turn.agent),
    client: 'claude-code-plugin',
    ...(input.session_id ? { session_id: input.session_id } : {}),
  })
}

/**
 * Capture hooks for Claude Code. Whatever goes wrong, the agent's work goes on: a vault that is away costs a line on
 * standard error, never a failed session.
 */
export async function hook(event: string): Promise<number> {
  if (/^(off|0|false)$/i.test(process.env.KVAULT_HOOKS ?? '')) return 0
  const { url, apiKey } = findProfile()
  if (!apiKey) return 0
  try {
    const input: HookInput = JSON.parse((await readStdin()) || '{}')
    if (event === 'session-start') await sessionStart({ url, apiKey }, input)
    else if (event === 'stop') await stop({ url, apiKey }, input)
    noteHookRun(event)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    noteHookRun(event, reason)
    process.stderr.write(`kvault: memory was not reached (${reason})\n`)
  }
  return 0
}
