import type { Step } from '../../../features/mining/rules/session.ts'
import { sanitise } from '../../../features/redaction/redact.ts'
import { outputToRedact, startToRedact } from '../hooks/safe-cuts.ts'
import type { Stamped } from './read-bounded.ts'

/** A session, read from the files of its agent. */
export type Transcript = {
  sessionId: string
  /** The folder of the session; undefined if the agent does not write it. */
  folder: string | undefined
  steps: Step[]
}

export type TranscriptReader = {
  agent: string
  /** The files that sessions are in, each with the time of its last change. */
  find: () => Stamped[]
  read: (file: string) => Transcript | undefined
}

/** Only the two ends of a longer output are read. */
const LONGEST_OUTPUT = 40_000
/** Only the beginning of longer words, commands and names is read. */
const LONGEST_TEXT = 20_000

/** Without secrets. The rules cut texts, and half of a secret is not recognised, so this comes before them. */
const clean = (text: string): string => sanitise(text).text

const cleanStart = (text: string): string => clean(startToRedact(text, LONGEST_TEXT))

export const ran = (command: string, exitCode: number | null, output: string): Step => ({
  kind: 'command',
  command: cleanStart(command),
  exitCode,
  output: clean(outputToRedact(output, LONGEST_OUTPUT)),
})

/** A command that runs on when its agent goes on: how it ends is unknown, whatever it has printed so far. */
export const begun = (command: string): Step => ran(command, null, '')

export const deleted = (file: string): Step => ({ kind: 'edit', file: cleanStart(file), isDeletion: true })

export const edited = (file: string, before?: string, after?: string): Step => ({
  kind: 'edit',
  file: cleanStart(file),
  ...(before === undefined || after === undefined ? {} : { before, after }),
})

export const said = (by: 'person' | 'agent', text: string): Step[] =>
  text.trim() === '' ? [] : [{ kind: 'said', by, text: cleanStart(text) }]
