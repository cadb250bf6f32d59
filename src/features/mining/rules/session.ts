/**
 * A session of an agent as the rules see it: what was run, changed and said, in order. Captured turns and transcripts of
 * every agent become this one form, so that one set of rules reads them all.
 */

export type CommandStep = {
  kind: 'command'
  command: string
  /** Null where the agent does not say it. */
  exitCode: number | null
  output: string
}

export type EditStep = {
  kind: 'edit'
  file: string
  /** What stood there and what stands there now, where the transcript has it: an edit that is taken back is none. */
  before?: string
  after?: string
  /** Somewhere in its exchange: a captured turn names the files that were changed, and not when. */
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
