import type { Happening, HookAgent, Payload } from '../occasion.ts'
import { exitCodeOf, outputOf, textOf } from './payload.ts'

const INJECTED = new Set(['session.created', 'chat.message', 'tool.execute.after', 'session.compacting'])
const EDITORS = new Set(['edit', 'write', 'patch', 'multiedit'])

/** Our plugin in plugins/opencode writes these payloads, from what opencode passes to its plugins. */
function used(payload: Payload): Happening | undefined {
  const args = (payload.args ?? {}) as Payload
  const command = textOf(args.command)
  const file = textOf(args.filePath)
  if (EDITORS.has(String(payload.tool)) && file) return { kind: 'edit', files: [file] }
  if (payload.tool !== 'bash' || !command) return undefined
  return {
    kind: 'command',
    run: { command, exitCode: exitCodeOf(payload), output: outputOf(payload.output) },
  }
}

function happening(event: string, payload: Payload): Happening | undefined {
  const prompt = textOf(payload.prompt)
  if (event === 'session.created')
    return { kind: 'start', after: payload.resumed === true ? 'pause' : 'nothing' }
  if (event === 'chat.message') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'tool.execute.after') return used(payload)
  if (event === 'session.compacting') return { kind: 'compact' }
  return event === 'session.idle' ? { kind: 'stop', words: { reply: textOf(payload.reply) } } : undefined
}

export const opencode: HookAgent = {
  name: 'opencode',
  read: (event, payload) => {
    const found = happening(event, payload)
    return found && { ...found, sessionId: textOf(payload.sessionID), folder: textOf(payload.directory) }
  },
  inject: (event, text) =>
    INJECTED.has(event) ? { output: JSON.stringify({ text }), exitCode: 0 } : undefined,
}
