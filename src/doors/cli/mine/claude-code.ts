import { join } from 'node:path'
import type { Step } from '../../../features/mining/rules/session.ts'
import { folderOf } from '../clients/client.ts'
import { filesBelow, isJson, type Json, listAt, readLines, textAt } from './read-bounded.ts'
import { begun, edited, ran, said, type Transcript, type TranscriptReader } from './transcript.ts'

/** `~/.claude/projects/<folder>/<session>.jsonl`, written by Claude Code 2. */
const root = () => join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'projects')

const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,3})\n?/

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content
          .map((part) => (textAt(part, 'type') === 'text' ? (textAt(part, 'text') ?? '') : ''))
          .filter((text) => text !== '')
          .join('\n')
      : ''

/** In the background from the start, or moved there by the person or by a time limit. */
const isInBackground = (input: unknown, details: unknown): boolean =>
  (isJson(input) && input.run_in_background === true) || textAt(details, 'backgroundTaskId') !== undefined

/** A call of a tool becomes a step when its result is there. */
function stepOf(call: Json, result: Json, details: unknown): Step[] {
  const input = call.input
  const hasFailed = result.is_error === true
  const file = textAt(input, 'file_path') ?? textAt(input, 'notebook_path')
  if (call.name === 'Bash') {
    const output = textOf(result.content)
    const code = EXIT_CODE.exec(output)?.[1]
    const command = textAt(input, 'command') ?? ''
    // An error without an exit code means that the client or the person refused the command.
    if (command === '' || (hasFailed && code === undefined)) return []
    if (isInBackground(input, details)) return [begun(command)]
    return [ran(command, code === undefined ? 0 : Number(code), output.replace(EXIT_CODE, ''))]
  }
  if (hasFailed || file === undefined) return []
  if (call.name === 'Edit') return [edited(file, textAt(input, 'old_string'), textAt(input, 'new_string'))]
  return ['Write', 'MultiEdit', 'NotebookEdit'].includes(String(call.name)) ? [edited(file)] : []
}

function read(file: string): Transcript | undefined {
  const steps: Step[] = []
  const calls = new Map<string, Json>()
  let [sessionId, folder]: [string | undefined, string | undefined] = [undefined, undefined]
  for (const line of readLines(file)) {
    if (line.isSidechain === true || line.isMeta === true) continue
    sessionId ??= textAt(line, 'sessionId')
    folder ??= textAt(line, 'cwd')
    const { message } = line
    if (line.type === 'assistant') {
      steps.push(...said('agent', textOf(isJson(message) ? message.content : '')))
      for (const part of listAt(message, 'content'))
        if (isJson(part) && part.type === 'tool_use') calls.set(String(part.id), part)
    }
    if (line.type !== 'user') continue
    steps.push(...said('person', textOf(isJson(message) ? message.content : '')))
    for (const part of listAt(message, 'content')) {
      const call =
        isJson(part) && part.type === 'tool_result' ? calls.get(String(part.tool_use_id)) : undefined
      if (call && isJson(part)) steps.push(...stepOf(call, part, line.toolUseResult))
    }
  }
  return sessionId === undefined ? undefined : { sessionId, folder, steps }
}

export const claudeCode: TranscriptReader = {
  agent: 'claude-code',
  find: () => filesBelow(root(), (name) => name.endsWith('.jsonl')),
  read,
}
