import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { contextText, newIn } from './hook-context.ts'
import { noteHookRun } from './hook-log.ts'
import { forgetOldSessions, readSession, rememberSession } from './hook-sessions.ts'
import { agentsWords, personsWords } from './hook-transcript.ts'
import { findProfile, type Profile } from './profile.ts'
import type { Snapshot } from './project.ts'
import { projectKeyOf } from './project-name.ts'
import { readStdin } from './terminal.ts'
import { callTool } from './vault-client.ts'

/** What Claude Code hands to a hook on standard input. */
type HookInput = {
  session_id?: string
  cwd?: string
  transcript_path?: string
  stop_hook_active?: boolean
  source?: string
  last_assistant_message?: string
}

const DEFAULT_BUDGET = 6000
const LEAST_BUDGET = 1000
const MOST_BUDGET = 200_000
const MOST_PER_EVENT = 20_000
const MAX_VERBATIM = 4000
/** A person waits for their session to begin; memory that is late is worth less than that. */
const GIVE_UP_MS = 1500

const patienceMs = (): number => {
  const given = Number(process.env.KVAULT_HOOK_WAIT_MS)
  return Number.isInteger(given) && given > 0 ? given : GIVE_UP_MS
}

/** Older clients write the agent's last words a moment after they say that it has stopped. */
const TRANSCRIPT_LOOKS = 5
const TRANSCRIPT_PAUSE_MS = 200

/** Sessions that go on: their conversation has what they were given at first. */
const GOES_ON = new Set(['resume', 'compact', 'fork'])

const budget = (): number => {
  const given = Number(process.env.KVAULT_HOOK_CHARS)
  const asked = Number.isInteger(given) && given > 0 ? given : DEFAULT_BUDGET
  return Math.min(Math.max(asked, LEAST_BUDGET), MOST_BUDGET)
}

async function sessionStart(profile: Profile, input: HookInput): Promise<void> {
  const { session_id: sessionId } = input
  const room = budget()
  const snapshot = await callTool<Snapshot>(
    profile,
    'get_project_context',
    {
      project_key: projectKeyOf(input.cwd ?? process.cwd()),
      limit_events: 20,
      max_chars_per_event: Math.min(room, MOST_PER_EVENT),
      max_total_chars: room,
    },
    patienceMs(),
  )
  const { since } = readSession(sessionId)
  const goesOn = since !== undefined && GOES_ON.has(input.source ?? '')
  const shown = goesOn ? newIn(snapshot, { since, sessionId }) : snapshot
  const additionalContext = contextText(shown, room, sessionId)
  rememberSession(sessionId, { since: snapshot.generated_at })
  forgetOldSessions()
  if (additionalContext)
    process.stdout.write(
      JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }),
    )
}

/** The interface's rule for long messages: the beginning verbatim, and what was left out said. */
const verbatim = (text: string) =>
  text.length <= MAX_VERBATIM
    ? text
    : `${text.slice(0, MAX_VERBATIM).toWellFormed()}\n[… ${text.length - MAX_VERBATIM} more characters]`

/** The client hands the agent's last words over; where an older one does not, the transcript has them, soon. */
async function lastWords(input: HookInput, transcript: () => string): Promise<string | undefined> {
  const given = input.last_assistant_message?.trim()
  if (given) return given
  for (let look = 1; look < TRANSCRIPT_LOOKS; look++) {
    const words = agentsWords(transcript())
    if (words) return words
    await sleep(TRANSCRIPT_PAUSE_MS)
  }
  return agentsWords(transcript())
}

async function stop(profile: Profile, input: HookInput): Promise<void> {
  const { transcript_path: path, session_id: sessionId } = input
  if (input.stop_hook_active || !path) return
  const transcript = () => readFileSync(path, 'utf8')
  const said = personsWords(transcript())
  // The agent also works on after a notification; what the person said before is kept already.
  if (!said || readSession(sessionId).stored === said.id) return
  const report = await lastWords(input, transcript)
  if (!report) return
  await callTool(profile, 'append_context_turn', {
    project_key: projectKeyOf(input.cwd ?? process.cwd()),
    user_message: verbatim(said.text),
    agent_report: verbatim(report),
    client: 'claude-code-plugin',
    ...(sessionId ? { session_id: sessionId } : {}),
  })
  rememberSession(sessionId, { stored: said.id })
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
