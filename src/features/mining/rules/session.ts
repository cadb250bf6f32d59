/**
 * A session of an agent as the rules see it: what was executed, changed and said, in order. Captured turns and transcripts of
 * every agent are converted to this form, so that one set of rules reads them all.
 */

export type CommandStep = {
  kind: 'command'
  command: string
  /** Null if the agent does not record it. */
  exitCode: number | null
  output: string
}

export type EditStep = {
  kind: 'edit'
  file: string
  /** The text before and after, if the transcript has it. A reverted edit does not count. */
  before?: string
  after?: string
  /** The whole file was deleted. */
  isDeletion?: true
  /** At an unknown time in its exchange: a captured turn names the changed files, but not when. */
  isAnytime?: true
}

export type SaidStep = { kind: 'said'; by: 'person' | 'agent'; text: string }

export type Step = CommandStep | EditStep | SaidStep

export type Session = {
  steps: readonly Step[]
  /** Names and versions, from lock files. */
  environment: Readonly<Record<string, string>>
}

const LONGEST_NAME = 300

/** The last part of a path, whichever system wrote it. */
export const baseName = (path: string): string =>
  path.slice(-LONGEST_NAME).split(/[/\\]/).at(-1)?.toLowerCase() ?? ''
