import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import type { CommandRun } from './occasion.ts'
import { outputToRedact, startToRedact } from './safe-cuts.ts'
import { sessionFile, sessionsFolder } from './sessions.ts'

/** What happened in a session since the last exchange was captured, one line each. It stays on this machine. */
export type Entry = { prompt: string } | { reply: string } | { run: CommandRun } | { files: string[] }

const MOST_BYTES = 2 * 1024 * 1024
const LONGEST_OUTPUT = 8000
const LONGEST_COMMAND = 2000
const LONGEST_ID = 200
const LONGEST_WORDS = 20_000
const MOST_FILES = 100
const LONGEST_FILE_NAME = 1000

/** Redaction takes too long to load here; it comes with the capture. */
function shortened(entry: Entry): Entry {
  if ('prompt' in entry) return { prompt: startToRedact(entry.prompt, LONGEST_WORDS) }
  if ('reply' in entry) return { reply: startToRedact(entry.reply, LONGEST_WORDS) }
  if ('files' in entry)
    return { files: entry.files.filter((name) => name.length <= LONGEST_FILE_NAME).slice(0, MOST_FILES) }
  const { command, exitCode, output, id } = entry.run
  return {
    run: {
      command: startToRedact(command, LONGEST_COMMAND),
      exitCode,
      output: outputToRedact(output, LONGEST_OUTPUT),
      ...(id === undefined ? {} : { id: id.slice(0, LONGEST_ID) }),
    },
  }
}

/**
 * A line is appended in one write, so that the lines of concurrent hooks do not mix. It begins with a line end: of one
 * that a full disk has cut, nothing else is lost.
 */
export function note(sessionId: string | undefined, entry: Entry): void {
  if (!sessionId) return
  try {
    const file = sessionFile(sessionId, '.jsonl')
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (size > MOST_BYTES) return
    if (size === 0) mkdirSync(sessionsFolder(), { recursive: true, mode: 0o700 })
    appendFileSync(file, `\n${JSON.stringify(shortened(entry))}\n`, { mode: 0o600 })
  } catch {
    // If the home folder is read-only, nothing is remembered.
  }
}

const parsed = (line: string): Entry[] => {
  try {
    return line ? [JSON.parse(line)] : []
  } catch {
    return []
  }
}

export function readJournal(sessionId: string | undefined): Entry[] {
  if (!sessionId) return []
  try {
    return readFileSync(sessionFile(sessionId, '.jsonl'), 'utf8').split('\n').flatMap(parsed)
  } catch {
    return []
  }
}

/** Takes all entries. Of two programs at once, only one gets them. */
export function takeJournal(sessionId: string | undefined): Entry[] {
  if (!sessionId) return []
  const taken = sessionFile(sessionId, `.${process.pid}.taken`)
  try {
    renameSync(sessionFile(sessionId, '.jsonl'), taken)
    return readFileSync(taken, 'utf8').split('\n').flatMap(parsed)
  } catch {
    return []
  } finally {
    rmSync(taken, { force: true })
  }
}
