import type { Candidate } from './candidate.ts'
import { readCommand } from './command-line.ts'

/** The text of a card, made from a candidate without a model. A person reads and edits it first. */
export type DraftCard = {
  title: string
  symptom: string
  fix_summary: string
  root_cause: string | null
  environment: Record<string, string>
  steps: { order: number; action: string; result: string }[]
  tags: string[]
}

const LONGEST_TITLE = 120
const LONGEST_FIX = 900
const MOST_SENTENCES = 5

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
  return plain.length <= LONGEST_TITLE ? plain : `${plain.slice(0, LONGEST_TITLE - 1).toWellFormed()}…`
}

const CURE =
  /\b(?:fix(?:ed|es)?|solved|resolved|chang(?:ed|ing)|add(?:ed|ing)|remov(?:ed|ing)|replac(?:ed|ing)|set(?:ting)?|updat(?:ed|ing)|upgrad(?:ed|ing)|downgrad(?:ed|ing)|install(?:ed|ing)?|pinn(?:ed|ing)|renam(?:ed|ing)|mov(?:ed|ing)|instead|enabl(?:ed|ing)|disabl(?:ed|ing)|now (?:passes|works|succeeds)|needed|requires?|must)\b/i
const CAUSE =
  /\b(?:because|caused by|root cause|the (?:cause|reason|problem|issue) (?:is|was)|due to|turned out|since the)\b/i

/** Sentences and list items, without leading Markdown. */
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

/** The sentences that speak of a cure; if none does, as in another language, the end of the report. */
function fixOf(candidate: Candidate): string {
  const sentences = sentencesOf(candidate.report)
  const cures = sentences.filter((sentence) => CURE.test(sentence))
  const chosen = new Set((cures.length > 0 ? cures : sentences).slice(-MOST_SENTENCES))
  const said = [...chosen].join(' ').slice(0, LONGEST_FIX).toWellFormed()
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

/** The program that failed: people search by it. */
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

/** The two outputs, as evidence of the card. */
export const evidencesOf = ({ command, failure, success, attempts, exit_code }: Candidate) => [
  { kind: 'error', content: `$ ${command}\n${failure}`, meta: { exit_code, attempts } },
  ...(success === ''
    ? []
    : [{ kind: 'output', content: `$ ${command}\n${success}`, meta: { exit_code: 0 } }]),
]
