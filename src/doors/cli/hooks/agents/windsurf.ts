import type { Happening, HookAgent, Payload } from '../occasion.ts'
import { partOf, textOf } from './payload.ts'

function happening(event: string, info: Payload): Happening | undefined {
  const [prompt, file, reply] = [info.user_prompt, info.file_path, info.response].map(textOf)
  const command = textOf(info.command_line)
  if (event === 'pre_user_prompt') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'post_run_command')
    return command ? { kind: 'command', run: { command, exitCode: null, output: '' } } : undefined
  if (event === 'post_write_code') return file ? { kind: 'edit', files: [file] } : undefined
  return event === 'post_cascade_response' ? { kind: 'stop', words: { reply } } : undefined
}

/** Windsurf's hooks cannot inject text. They capture, and a text of rules tells the agent to recall. */
export const windsurf: HookAgent = {
  name: 'windsurf',
  read: (event, payload) => {
    const info = partOf(payload.tool_info)
    const found = happening(event, info)
    return found && { ...found, sessionId: textOf(payload.trajectory_id), folder: textOf(info.cwd) }
  },
  inject: () => undefined,
}
