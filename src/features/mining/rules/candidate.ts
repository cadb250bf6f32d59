import { commandText } from '../../../text/command-text.ts'
import { failureSignature } from '../../../text/failure.ts'
import type { Pair } from './pairs.ts'
import type { Session } from './session.ts'

/** A pair, cut to its limits: a draft is made of it, and nothing else leaves the person's machine. */
export type Candidate = {
  command: string
  exit_code: number | null
  /** The telling lines of the failure, and the last lines of the success. */
  failure: string
  success: string
  attempts: number
  files: string[]
  commands: string[]
  report: string
  environment: Record<string, string>
}

export const LIMITS = {
  command: 1000,
  failure: 4000,
  success: 2000,
  report: 8000,
  file: 300,
  files: 30,
  commands: 20,
  environment: 20,
  attempts: 1000,
} as const

const SUCCESS_LINES = 12

/** The end of an output: the last lines of a program say how it ended. */
const lastLines = (output: string): string =>
  output
    .slice(-LIMITS.success)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-SUCCESS_LINES)
    .join('\n')
    .toWellFormed()

const RUNTIMES = new Set(
  'node npm pnpm yarn bun deno python go rust java ruby php dotnet typescript docker'.split(' '),
)

/** The part of a lock file that matters: what the error or its fix mentions, and the runtimes. */
function fittingEnvironment(pair: Pair, environment: Session['environment']): Record<string, string> {
  const text = [...pair.lines, pair.failure.command, ...pair.changes.commands, pair.report]
    .join('\n')
    .toLowerCase()
  const isMeant = (name: string) => RUNTIMES.has(name) || text.includes(name.toLowerCase())
  return Object.fromEntries(
    Object.entries(environment)
      .filter(([name]) => name.length > 1 && isMeant(name))
      .slice(0, LIMITS.environment),
  )
}

const cut = (text: string, length: number) => text.slice(0, length).toWellFormed()

export const candidateFrom = (pair: Pair, environment: Session['environment']): Candidate => ({
  command: cut(pair.failure.command, LIMITS.command),
  exit_code: pair.failure.exitCode,
  failure: cut(pair.lines.join('\n'), LIMITS.failure),
  success: lastLines(pair.success.output),
  attempts: Math.min(pair.attempts, LIMITS.attempts),
  files: pair.changes.files.slice(0, LIMITS.files).map((file) => cut(file, LIMITS.file)),
  commands: pair.changes.commands.slice(0, LIMITS.commands).map((line) => cut(line, LIMITS.command)),
  report: cut(pair.report, LIMITS.report),
  environment: fittingEnvironment(pair, environment),
})

/** The error of a candidate: the vault makes one draft of each. Empty if its text names none. */
export const signatureOf = ({ failure }: Candidate): string =>
  failureSignature(commandText({ exitCode: 1, output: failure }))

/**
 * How useful a candidate is, to choose three of a day: an error that has a name, a fix that was
 * hard to find, and a fix outside of the code at hand can help others.
 */
export function worthOf({ failure, attempts, commands, files, environment }: Candidate): number {
  const isNamed = /\b[A-Z]\w{1,60}(?:Error|Exception)\b|\b(?:E[A-Z]{4,20}|ERR_\w{3,60}|TS\d{4,5})\b/.test(
    failure,
  )
  const hasSettings = files.some((file) => /\.(?:json|ya?ml|toml|lock|cfg|conf|ini|env)$/.test(file))
  return (
    Number(isNamed) +
    Math.min(attempts, 4) / 2 +
    2 * Number(commands.length > 0) +
    Number(hasSettings) +
    Number(Object.keys(environment).length > 0) -
    Number(files.length > 8)
  )
}
