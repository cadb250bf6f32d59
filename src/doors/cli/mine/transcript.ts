import type { Step } from '../../../features/mining/rules/session.ts'
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

const boundOutput = (text: string): string =>
  text.length <= LONGEST_OUTPUT
    ? text
    : `${text.slice(0, LONGEST_OUTPUT / 2)}\n${text.slice(-LONGEST_OUTPUT / 2)}`

export const ran = (command: string, exitCode: number | null, output: string): Step => ({
  kind: 'command',
  command,
  exitCode,
  output: boundOutput(output),
})

export const edited = (file: string, before?: string, after?: string): Step => ({
  kind: 'edit',
  file,
  ...(before === undefined || after === undefined ? {} : { before, after }),
})

export const said = (by: 'person' | 'agent', text: string): Step[] =>
  text.trim() === '' ? [] : [{ kind: 'said', by, text }]
