import type { Moment } from '../../hooks/occasion.ts'
import type { HookEntry } from './json-hooks.ts'

/**
 * Which events of an agent start a hook, and how its files say so. The plugins in plugins/ and what `kvault connect` writes
 * are both made from here; `commandFor` is the only difference between them.
 */
export type CommandFor = (event: string) => string

export type HookPlan = {
  /** The moments that work in this agent. For the others it has no event, or none that can inject text. */
  moments: readonly Moment[]
  entries: (commandFor: CommandFor) => HookEntry[]
}

const ALL: readonly Moment[] = ['start', 'prompt', 'failure', 'compact', 'capture']

/** The hook ends by itself after 0.8 seconds. This limit is for a machine that is too busy to start it. */
const SECONDS = 5
const SECONDS_AT_END = 15

type Options = { matcher?: string; timeout?: number; isAsync?: boolean }

const given = (name: string, value: unknown): object => (value === undefined ? {} : { [name]: value })

/** Claude Code's form, which Codex and Gemini CLI read too. */
const grouped =
  (commandFor: CommandFor, more: object = {}, seconds = 1) =>
  (event: string, { matcher, timeout = SECONDS, isAsync }: Options = {}): HookEntry => ({
    event,
    element: {
      ...given('matcher', matcher),
      hooks: [
        {
          ...more,
          type: 'command',
          command: commandFor(event),
          timeout: timeout * seconds,
          ...given('async', isAsync),
        },
      ],
    },
  })

const SHELLS = 'Bash|PowerShell'

const claudeCode: HookPlan = {
  moments: ALL,
  entries: (commandFor) => {
    const at = grouped(commandFor)
    return [
      at('SessionStart'),
      at('UserPromptSubmit'),
      at('PostToolUse', { matcher: SHELLS }),
      at('PostToolUse', { matcher: 'Edit|MultiEdit|Write|NotebookEdit', isAsync: true }),
      at('PostToolUseFailure', { matcher: SHELLS }),
      at('PreCompact'),
      // Not async: `claude -p` ends right after it, and ends its background programs too.
      at('Stop', { timeout: SECONDS_AT_END }),
      at('SessionEnd'),
    ]
  },
}

const codex: HookPlan = {
  moments: ALL,
  entries: (commandFor) => {
    const at = grouped(commandFor)
    return [
      at('SessionStart'),
      at('UserPromptSubmit'),
      at('PostToolUse', { matcher: 'Bash|apply_patch' }),
      at('PreCompact'),
      at('Stop', { timeout: SECONDS_AT_END }),
    ]
  },
}

const gemini: HookPlan = {
  moments: ['start', 'prompt', 'failure', 'capture'],
  entries: (commandFor) => {
    const at = grouped(commandFor, { name: 'knowledge-vault' }, 1000)
    return [
      at('SessionStart'),
      at('BeforeAgent'),
      at('AfterTool', { matcher: 'run_shell_command|write_file|replace' }),
      at('AfterAgent', { timeout: SECONDS_AT_END }),
      at('SessionEnd'),
    ]
  },
}

const cursor: HookPlan = {
  moments: ['start', 'failure', 'capture'],
  entries: (commandFor) => {
    const at = (event: string, matcher?: string): HookEntry => ({
      event,
      element: { command: commandFor(event), ...given('matcher', matcher), timeout: SECONDS_AT_END },
    })
    return [
      at('sessionStart'),
      at('beforeSubmitPrompt'),
      at('postToolUse', 'Shell'),
      at('postToolUseFailure', 'Shell'),
      at('afterFileEdit'),
      at('afterAgentResponse'),
      at('stop'),
      at('sessionEnd'),
    ]
  },
}

const copilot: HookPlan = {
  moments: ['start', 'failure', 'capture'],
  entries: (commandFor) =>
    [
      'sessionStart',
      'userPromptSubmitted',
      'postToolUse',
      'postToolUseFailure',
      'agentStop',
      'sessionEnd',
    ].map((event) => ({
      event,
      element: {
        type: 'command',
        bash: commandFor(event),
        // Without `&`, PowerShell reads a quoted path as a string.
        powershell: `& ${commandFor(event)}`,
        timeoutSec: SECONDS_AT_END,
      },
    })),
}

const windsurf: HookPlan = {
  moments: ['capture'],
  entries: (commandFor) =>
    ['pre_user_prompt', 'post_run_command', 'post_write_code', 'post_cascade_response'].map((event) => ({
      event,
      element: { command: commandFor(event), show_output: false },
    })),
}

/** It has no list of hooks: a plugin of ours calls the same command. */
const opencode: HookPlan = { moments: ALL, entries: () => [] }

export const HOOK_PLANS: Record<string, HookPlan> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  opencode,
  cursor,
  copilot,
  windsurf,
}

/** All entries as one object: what a file of hooks holds. */
export function hooksObject(entries: readonly HookEntry[]): Record<string, object[]> {
  const hooks: Record<string, object[]> = {}
  for (const { event, element } of entries) hooks[event] = [...(hooks[event] ?? []), element]
  return hooks
}
