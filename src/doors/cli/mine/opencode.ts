import { basename, dirname, join } from 'node:path'
import { xdgFolder } from '../../../core/user-folders.ts'
import type { Step } from '../../../features/mining/rules/session.ts'
import { home } from '../clients/client.ts'
import { filesBelow, isJson, type Json, namesIn, readJson, textAt } from './read-bounded.ts'
import { edited, ran, said, type Transcript, type TranscriptReader } from './transcript.ts'

/** `~/.local/share/opencode/storage`: a file for each session, message and part of one, as OpenCode 1 writes them. */
const storage = () =>
  join(xdgFolder(process.env.XDG_DATA_HOME, home('.local', 'share')), 'opencode', 'storage')

const MOST_MESSAGES = 5000
const MOST_PARTS = 500
/** Ids become parts of a path. */
const ID = /^[A-Za-z0-9_-]{1,100}$/

function toolStep(part: Json): Step[] {
  const state = isJson(part.state) ? part.state : {}
  const file = textAt(state.input, 'filePath')
  if (part.tool === 'bash') {
    const command = textAt(state.input, 'command') ?? ''
    const exit = isJson(state.metadata) ? state.metadata.exit : undefined
    const output = textAt(state, 'output') ?? textAt(state.metadata, 'output') ?? ''
    return command === '' || state.status !== 'completed'
      ? []
      : [ran(command, typeof exit === 'number' ? exit : null, output)]
  }
  if (file === undefined || state.status !== 'completed') return []
  if (part.tool === 'edit')
    return [edited(file, textAt(state.input, 'oldString'), textAt(state.input, 'newString'))]
  return part.tool === 'write' ? [edited(file)] : []
}

function stepsOf(from: string, messageId: string, role: unknown): Step[] {
  if (!ID.test(messageId)) return []
  const folder = join(from, 'part', messageId)
  return namesIn(folder)
    .slice(0, MOST_PARTS)
    .flatMap((name) => {
      const part = readJson(join(folder, name))
      if (part?.type === 'tool') return toolStep(part)
      if (part?.type !== 'text' || part.synthetic === true) return []
      return said(role === 'user' ? 'person' : 'agent', textAt(part, 'text') ?? '')
    })
}

/** The names of messages and parts sort by time. */
function read(file: string): Transcript | undefined {
  const session = readJson(file)
  const sessionId = basename(file, '.json')
  if (!session || !ID.test(sessionId)) return undefined
  // storage/session/<project>/<session>.json
  const from = dirname(dirname(dirname(file)))
  const folder = join(from, 'message', sessionId)
  const steps = namesIn(folder)
    .slice(-MOST_MESSAGES)
    .flatMap((name) => stepsOf(from, basename(name, '.json'), readJson(join(folder, name))?.role))
  return { sessionId, folder: textAt(session, 'directory'), steps }
}

export const opencode: TranscriptReader = {
  agent: 'opencode',
  find: () => filesBelow(join(storage(), 'session'), (name) => name.endsWith('.json')),
  read,
}
