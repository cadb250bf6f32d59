import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { CommandRun } from './occasion.ts'
import { outputToRedact, startToRedact } from './safe-cuts.ts'
import { sessionFile, withSessionLock } from './sessions.ts'

/** What happened in a session since the last exchange was captured, one line each. It stays on this machine. */
export type Entry = { prompt: string } | { reply: string } | { run: CommandRun } | { files: string[] }

/** What was done is noted up to here. What was said is noted beyond, since nothing is captured without it. */
const MOST_BYTES = 2 * 1024 * 1024
/** So much is left only by words to which no answer came for long: the journal begins again with the next. */
const MOST_BYTES_WITH_WORDS = 2 * MOST_BYTES
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
 * that a full disk has cut, nothing else is lost. Under the lock, because a file that is taken while it is open for the
 * line takes the line with it, unread.
 */
function append(file: string, entry: Entry): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const isWords = 'prompt' in entry || 'reply' in entry
  if (size > MOST_BYTES && !isWords) return
  const line = `\n${JSON.stringify(shortened(entry))}\n`
  writeFileSync(file, line, { mode: 0o600, flag: size > MOST_BYTES_WITH_WORDS ? 'w' : 'a' })
}

export function note(sessionId: string | undefined, entry: Entry): void {
  if (!sessionId) return
  try {
    withSessionLock(sessionId, () => append(sessionFile(sessionId, '.jsonl'), entry))
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

const entriesIn = (file: string): Entry[] => readFileSync(file, 'utf8').split('\n').flatMap(parsed)

export function readJournal(sessionId: string | undefined): Entry[] {
  if (!sessionId) return []
  try {
    return entriesIn(sessionFile(sessionId, '.jsonl'))
  } catch {
    return []
  }
}

function move(sessionId: string, taken: string): Entry[] {
  try {
    withSessionLock(sessionId, () => renameSync(sessionFile(sessionId, '.jsonl'), taken))
    return entriesIn(taken)
  } catch {
    return []
  }
}

/** Lines that came in meanwhile are the later ones. Where there is no room to join both, those stay. */
function giveBack(sessionId: string, taken: string): void {
  const journal = sessionFile(sessionId, '.jsonl')
  try {
    withSessionLock(sessionId, () => {
      if (existsSync(journal)) appendFileSync(taken, readFileSync(journal))
      renameSync(taken, journal)
    })
  } catch {
    // There was no journal, or no room.
  }
}

/**
 * Takes all entries for one use. Of two programs at once, only one gets them. If the use fails, as on a full disk, they
 * are in the journal again, for the next exchange.
 */
export function takeJournal<T>(sessionId: string | undefined, use: (entries: Entry[]) => T): T {
  if (!sessionId) return use([])
  const taken = sessionFile(sessionId, `.${process.pid}.taken`)
  const entries = move(sessionId, taken)
  try {
    return use(entries)
  } catch (error) {
    giveBack(sessionId, taken)
    throw error
  } finally {
    rmSync(taken, { force: true })
  }
}
