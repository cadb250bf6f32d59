import type { HookAgent } from '../occasion.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import { windsurf } from './windsurf.ts'

export const HOOK_AGENTS: readonly HookAgent[] = [
  claudeCode,
  codex,
  gemini,
  opencode,
  cursor,
  copilot,
  windsurf,
]

export const findHookAgent = (name: string): HookAgent | undefined =>
  HOOK_AGENTS.find((agent) => agent.name === name)
