import { cleanJson, cleanText, Findings } from '../redaction/redact.ts'
import { commandText } from '../text/command-output.ts'
import { failureSignature } from '../text/failure.ts'
import { type CardContent, FIRST_TEXTS } from './card-fields.ts'
import { readCommand } from './command-line.ts'
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
  failure: cut(pair.lines.join('\n'), LIMITS.failure),
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

/** The text of a card, made from a candidate without a model. A person reviews and edits it first. */
type DraftCard = Pick<CardContent, (typeof DRAFTED_FIELDS)[number]>

export const DRAFTED_TEXTS = ['title', ...FIRST_TEXTS] as const
export const DRAFTED_FIELDS = [...DRAFTED_TEXTS, 'environment', 'steps', 'tags'] as const

const MAX_TITLE_LENGTH = 120
const MAX_FIX_LENGTH = 900
const MAX_SENTENCES = 5

const STRONGEST =
  /\b[A-Z]\w{1,60}(?:Error|Exception)\b|\b(?:E[A-Z]{4,20}|ERR_\w{3,60}|TS\d{4,5}|error\[E\d{4}\])|\bfatal\b|\bpanic/
const WEAK = /^(?:npm (?:ERR!|error)|make:|error Command failed|Error: Process completed)/i

function titleOf(lines: readonly string[], command: string): string {
  const line =
    lines.find((line) => STRONGEST.test(line) && !WEAK.test(line)) ??
    lines.find((line) => !WEAK.test(line)) ??
    lines[0] ??
    `${command} fails`
  const plain = line.replaceAll(/\s+/g, ' ').trim()
  return plain.length <= MAX_TITLE_LENGTH ? plain : `${plain.slice(0, MAX_TITLE_LENGTH - 1).toWellFormed()}…`
}

const CURE =
  /\b(?:fix(?:ed|es)?|solved|resolved|chang(?:ed|ing)|add(?:ed|ing)|remov(?:ed|ing)|replac(?:ed|ing)|set(?:ting)?|updat(?:ed|ing)|upgrad(?:ed|ing)|downgrad(?:ed|ing)|install(?:ed|ing)?|pinn(?:ed|ing)|renam(?:ed|ing)|mov(?:ed|ing)|instead|enabl(?:ed|ing)|disabl(?:ed|ing)|now (?:passes|works|succeeds)|needed|requires?|must)\b/i
const CAUSE =
  /\b(?:because|caused by|root cause|the (?:cause|reason|problem|issue) (?:is|was)|due to|turned out|since the)\b/i

const sentencesOf = (report: string): string[] =>
  report
    .split(/\n+|(?<=[.!?])\s+(?=[\p{Lu}`])/u)
    .map((sentence) =>
      sentence
        .replace(/^[\s>*#-]{1,20}/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((sentence) => sentence.length > 10 && sentence.length < 500)

function namesOfChange({ files, commands }: Candidate): string {
  const shown = (names: readonly string[], most: number) =>
    names.length <= most
      ? names.join(', ')
      : `${names.slice(0, most).join(', ')} and ${names.length - most} more`
  return [
    ...(files.length > 0 ? [`Changed: ${shown(files, 8)}.`] : []),
    ...(commands.length > 0
      ? [
          `Ran: ${shown(
            commands.map((command) => `\`${command}\``),
            5,
          )}.`,
        ]
      : []),
  ].join(' ')
}

function fixOf(candidate: Candidate): string {
  const sentences = sentencesOf(candidate.report)
  const cures = sentences.filter((sentence) => CURE.test(sentence))
  const chosen = new Set((cures.length > 0 ? cures : sentences).slice(-MAX_SENTENCES))
  const said = [...chosen].join(' ').slice(0, MAX_FIX_LENGTH).toWellFormed()
  return [said, namesOfChange(candidate)].filter((part) => part !== '').join('\n\n')
}

const causeOf = ({ report }: Candidate): string | null =>
  sentencesOf(report).findLast((sentence) => CAUSE.test(sentence)) ?? null

function stepsOf({ files, commands, command }: Candidate): DraftCard['steps'] {
  const actions = [
    ...files.map((file) => ({ action: `Change ${file}`, result: '' })),
    ...commands.map((line) => ({ action: `Run \`${line}\``, result: '' })),
    { action: `Run \`${command}\``, result: 'It succeeds.' },
  ]
  return actions.map((step, at) => ({ order: at + 1, ...step }))
}

const TOOL = /^[a-z][a-z0-9_.+-]{1,30}$/

function tagsOf(command: string): string[] {
  const [program = '', order = ''] = (readCommand(command).parts.at(-1) ?? '').split(' ')
  const isPackageManager = /^(?:npm|pnpm|yarn|bun|pip|cargo|go|docker|git)$/.test(program)
  return [program, ...(isPackageManager ? [`${program}-${order}`] : [])].filter((tag) => TOOL.test(tag))
}

export function draftCard(candidate: Candidate): DraftCard {
  const lines = candidate.failure.split('\n').filter((line) => line.trim() !== '')
  const code = candidate.exit_code ? ` with exit code ${candidate.exit_code}` : ''
  return {
    title: titleOf(lines, candidate.command),
    symptom: `\`${candidate.command}\` fails${code}:\n\n${lines.join('\n')}`,
    fix_summary: fixOf(candidate),
    root_cause: causeOf(candidate),
    environment: candidate.environment,
    steps: stepsOf(candidate),
    tags: tagsOf(candidate.command),
  }
}

export const evidencesOf = ({ command, failure, success, attempts, exit_code }: Candidate) => [
  { kind: 'error', content: `$ ${command}\n${failure}`, meta: { exit_code, attempts } },
  ...(success === ''
    ? []
    : [{ kind: 'output', content: `$ ${command}\n${success}`, meta: { exit_code: 0 } }]),
]

type Mined = { candidates: Candidate[]; recoveries: Recovery[] }

export function mine(session: Session): Mined {
  const { pairs, recoveries } = readSession(session)
  const bySignature = new Map(pairs.map((pair) => [pair.signature, pair]))
  const candidates = [...bySignature.values()].map((pair) => candidateFrom(pair, session.environment))
  return { candidates: candidates.toSorted((a, b) => worthOf(b) - worthOf(a)), recoveries }
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
