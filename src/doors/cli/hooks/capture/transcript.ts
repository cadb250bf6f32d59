import { CODEX_OUTPUTS, codexResult } from '../agents/codex-result.ts'

/** A line of the transcript that Claude Code writes of a session. */
type Line = {
  type?: string
  uuid?: string
  isMeta?: boolean
  isSidechain?: boolean
  isCompactSummary?: boolean
  isVisibleInTranscriptOnly?: boolean
  origin?: { kind?: string }
  message?: { content?: unknown }
}

export type Said = { text: string; id: string }

/** Blocks that the client puts into messages. The person has not written them. */
const INSERTED = /<(system-reminder|ide_[a-z_]+)>[\s\S]*?<\/\1>/g
const SUMMARY = /^This session is being continued from a previous conversation/
const INTERRUPTION = /^\[Request interrupted by user[^\]]*\]$/
const NOTICE = /^<(?:task-notification|teammate-message|cross-session-message|local-command-caveat)[\s>]/
const COMMAND =
  /^<(?:command-(?:name|message|args|contents)|local-command-std(?:out|err)|bash-(?:input|stdout|stderr))>/

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((part) => (part?.type === 'text' && typeof part.text === 'string' ? [part.text] : []))
    .join('\n')
}

const parsed = (transcript: string): Line[] =>
  transcript.split('\n').flatMap((line): Line[] => {
    try {
      return line ? [JSON.parse(line)] : []
    } catch {
      return []
    }
  })

const ofAgentItself = (line: Line) =>
  line.isMeta || line.isSidechain || line.isCompactSummary || line.isVisibleInTranscriptOnly

/** What a line contains: words of the person, a command, or something else, which is skipped. */
function wordsIn(line: Line): { words: string } | 'command' | 'other' {
  if (line.type !== 'user' || ofAgentItself(line)) return 'other'
  if (line.origin?.kind !== undefined && line.origin.kind !== 'human') return 'other'
  const words = textOf(line.message?.content).replaceAll(INSERTED, '').trim()
  if (words === '' || SUMMARY.test(words) || INTERRUPTION.test(words) || NOTICE.test(words)) return 'other'
  return COMMAND.test(words) ? 'command' : { words }
}

/** The last message of the person; undefined if the last one was a command of the client. */
export function personsWords(transcript: string): Said | undefined {
  const lines = parsed(transcript)
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] as Line
    const found = wordsIn(line)
    if (found === 'command') return undefined
    if (found !== 'other') return { text: found.words, id: line.uuid ?? `line ${at}` }
  }
  return undefined
}

/** The last words of the agent after the person's message. */
export function agentsWords(transcript: string): string | undefined {
  const lines = parsed(transcript)
  const start = lines.findLastIndex((line) => typeof wordsIn(line) === 'object')
  const said = lines
    .slice(start + 1)
    .filter((line) => line.type === 'assistant' && !ofAgentItself(line))
    .map((line) => textOf(line.message?.content).trim())
    .filter((text) => text !== '')
  return said.at(-1)
}

/** The last message of the agent in the events that Copilot CLI writes of a session. */
export function lastMessage(events: string): string | undefined {
  const lines = parsed(events) as { type?: string; data?: { content?: unknown } }[]
  return lines
    .filter(({ type }) => type === 'assistant.message')
    .map(({ data }) => textOf(data?.content).trim())
    .findLast((text) => text !== '')
}

type CodexLine = { payload?: { type?: string; call_id?: string; output?: unknown } }

/** Exit codes by the names of the calls, from the session that Codex writes. */
export function exitCodes(session: string): Map<string, number> {
  const codes = new Map<string, number>()
  for (const { payload } of parsed(session) as CodexLine[]) {
    if (!CODEX_OUTPUTS.has(payload?.type) || !payload?.call_id) continue
    const { exitCode } = codexResult(payload.output)
    if (exitCode !== null) codes.set(payload.call_id, exitCode)
  }
  return codes
}
