import { cleanJson, cleanText, Findings } from '../redaction/redact.ts'
import { commandText } from '../text/command-output.ts'
import { failureSignature } from '../text/failure.ts'
import { type Pair, type Recovery, readSession } from './recoveries.ts'
import type { Session } from './session.ts'

/** A failure and its fix, cut to its limits. Nothing else leaves the person's machine. */
export type Candidate = {
  command: string
  exit_code: number | null
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

/** Returns the relevant part of the lock file: runtimes, and packages that the error or its fix mentions. */
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

const candidateFrom = (pair: Pair, environment: Session['environment']): Candidate => ({
  command: cut(pair.failure.command, LIMITS.command),
  exit_code: pair.failure.exitCode,
  failure: cut(pair.printed.join('\n'), LIMITS.failure),
  success: lastLines(pair.success.output),
  attempts: Math.min(pair.attempts, LIMITS.attempts),
  files: pair.changes.files.slice(0, LIMITS.files).map((file) => cut(file, LIMITS.file)),
  commands: pair.changes.commands.slice(0, LIMITS.commands).map((line) => cut(line, LIMITS.command)),
  report: cut(pair.report, LIMITS.report),
  environment: fittingEnvironment(pair, environment),
})

export const signatureOf = ({ failure }: Candidate): string =>
  failureSignature(commandText({ exitCode: 1, output: failure }))

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

export const evidencesOf = ({ command, failure, success, attempts, exit_code }: Candidate) => [
  { kind: 'error', content: `$ ${command}\n${failure}`, meta: { exit_code, attempts } },
  ...(success === ''
    ? []
    : [{ kind: 'output', content: `$ ${command}\n${success}`, meta: { exit_code: 0 } }]),
]

type Mined = {
  candidates: Candidate[]
  recoveries: Recovery[]
  /** The error of each candidate, as its recovery names it. */
  signatures: ReadonlyMap<Candidate, string>
}

export function mine(session: Session): Mined {
  const { pairs, recoveries } = readSession(session)
  const bySignature = new Map(pairs.map((pair) => [pair.signature, pair]))
  const signatures = new Map(
    [...bySignature.values()].map((pair) => [candidateFrom(pair, session.environment), pair.signature]),
  )
  const candidates = [...signatures.keys()].toSorted((a, b) => worthOf(b) - worthOf(a))
  return { candidates, recoveries, signatures }
}

/** Replaces secrets in a candidate again, because the client may have older rules. */
export function cleanCandidate(candidate: Candidate): Candidate {
  const findings = new Findings()
  const text = (given: string) => cleanText(given, findings)
  return {
    ...candidate,
    command: text(candidate.command),
    failure: text(candidate.failure),
    success: text(candidate.success),
    report: text(candidate.report),
    files: candidate.files.map(text),
    commands: candidate.commands.map(text),
    environment: cleanJson(candidate.environment, findings),
  }
}
