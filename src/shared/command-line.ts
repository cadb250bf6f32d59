import { withoutEnd } from '../text/unicode.ts'

/** Normalises command lines: two spellings of the same command have the same key. */

const MAX_COMMAND_LENGTH = 2000
const MAX_PARTS = 30

const RUNNERS = [
  'npx --yes',
  'npx -y',
  'npx',
  'bunx',
  'pnpm exec',
  'pnpm dlx',
  'yarn exec',
  'uv run',
  'poetry run',
  'pipenv run',
  'bundle exec',
  'time',
  'env',
  'command',
]
const TIMEOUT = /^timeout(?: -\S{1,20})? \d{1,6}[smh]? /
const ASSIGNMENT = /^[A-Za-z_]\w{0,100}=(?:"[^"]{0,500}"|'[^']{0,500}'|[^\s"']{0,500})\s+/
const REDIRECTION = /\s{0,20}(?:\d|&)?>{1,2}\s{0,20}(?:&\d|\/dev\/\w{1,20}|[^\s&|;<>]{1,200})/g
const LOUDNESS = /\s--(?:verbose|silent|quiet|no-color|color(?:=\w{1,10})?|no-progress)(?=\s|$)/g
/** Commands that show part of the output and hide the exit code of the command before them. */
const VIEWER = /^(?:tail|head|cat|tee|less|more|sort|uniq|wc|cut|sed|awk|grep|egrep|rg|jq|column)(?:\s|$)/
const TOLERATED = /\|\|\s*(?:true|:|exit 0|echo\b[^|&;]{0,200})\s*;?\s*$/
/** Helper commands: when one of these comes first, the exit code is still that of the command behind it. */
const ASIDE = /^(?:echo|printf|ls|pwd|sleep|mkdir|rm|test|\[)(?:\s|$)/
const STOPS_AT_ERRORS = /(?:^|[\n;&]) *set -\w{0,10}e/
/** A shell that reads its commands from a pipe returns the exit code of the last command. */
const PIPED_SHELL = /^(?:ba|da|fi|k|z)?sh(?:\s|$)/
/** In `bash -lc "npm test | tail"` the quotes hold commands. */
const NESTED_SHELL = /\b(?:ba|da|fi|k|z)?sh(?:\s+-\S+){0,5}\s+-\w{0,5}c\s+(["'])([\s\S]*)\1/
const COMMENT_LINE = /^[ \t]*#.*$/gm
const ASKS_EXIT_CODE = /^echo\b.{0,200}\$\{?(?:\?|PIPESTATUS)/

/** `npm t` and `npm run test` are `npm test`; a module that Python runs is the program of that name. */
const SYNONYMS: readonly [RegExp, string][] = [
  [/^(npm|pnpm|yarn|bun) (?:run |run-script )?(?:test|t)(?=\s|$)/, '$1 test'],
  [/^(npm|pnpm|yarn|bun) run(?:-script)? /, '$1 run '],
  [/^(npm|pnpm|bun) i(?=\s|$)/, '$1 install'],
  [/^(?:python3?|py) -m /, ''],
  [/^pip3(?=\s|$)/, 'pip'],
  [/^python3(?:\.\d{1,2})?(?=\s|$)/, 'python'],
  [/^(?:\.\/)(?=\w)/, ''],
  [/^docker-compose(?=\s|$)/, 'docker compose'],
]

const isQuote = (sign: string) => sign === '"' || sign === "'" || sign === '`'

type Joint = '' | '&&' | '||' | '|' | ';' | '&'
type Part = { text: string; before: Joint; after: Joint }

/** `&` alone starts the next command at once; `2>&1`, `&>log` and PowerShell's `&` before a name do not. */
const isBackground = (command: string, at: number, text: string): boolean =>
  command[at] === '&' && command[at + 1] !== '>' && text !== '' && !/[<>]$/.test(text)

/** Splits a line into its commands, outside of quotes. */
export function partsOf(line: string): Part[] {
  const parts: Part[] = []
  let [text, quote, before]: [string, string, Joint] = ['', '', '']
  const close = (next: Joint) => {
    if (text.trim() !== '') parts.push({ text: text.trim(), before, after: next })
    text = ''
    before = next
  }
  const command = line
    .slice(0, MAX_COMMAND_LENGTH)
    .replace(COMMENT_LINE, '')
    .replaceAll(/\\\r?\n/g, ' ')
  for (let i = 0; i < command.length && parts.length < MAX_PARTS; i++) {
    const sign = command[i] as string
    const two = command.slice(i, i + 2)
    if (quote !== '') {
      if (sign === quote) quote = ''
      text += sign
    } else if (isQuote(sign)) {
      quote = sign
      text += sign
    } else if (two === '&&' || two === '||') {
      close(two)
      i++
    } else if (sign === ';' || (sign === '\n' && text !== '')) close(';')
    else if (sign === '|') close('|')
    else if (isBackground(command, i, text)) close('&')
    // Skips leading blanks, so that a long row of blanks is not trimmed again for each one.
    else if (text !== '' || sign.trim() !== '') text += sign
  }
  if (parts.length < MAX_PARTS) close('')
  return parts
}

function plainPart(text: string): string {
  let plain = text.replaceAll(/\s+/g, ' ').trim()
  for (let before = ''; before !== plain; ) {
    before = plain
    plain = plain.replace(ASSIGNMENT, '').replace(TIMEOUT, '')
    for (const runner of RUNNERS) if (plain.startsWith(`${runner} `)) plain = plain.slice(runner.length + 1)
  }
  plain = plain.replaceAll(REDIRECTION, '').replaceAll(LOUDNESS, '').trim()
  for (const [pattern, name] of SYNONYMS) plain = plain.replace(pattern, name)
  return plain
}

const FOLDER = /^(?:cd|pushd) +["']?([^\s"']{1,300})/
const isSetting = (part: string) => /^#|^(?:cd|pushd|popd|set|export|source|\.)(?:\s|$)/.test(part)

type CommandLine = {
  key: string
  /** The parts that have all succeeded if the whole line succeeded. */
  parts: readonly string[]
  folder: string | null
  /** Another command sets the exit code: the end of the pipe, `echo $?`, or one after `;`, `&`, `||`. */
  isMasked: boolean
  isTolerated: boolean
}

/** Returns true if a part may fail in a line that ends with exit code 0. `a && b` succeeds only if both do. */
function hidesFailure({ text, before, after }: Part, next: Part | undefined, line: string): boolean {
  const nested = NESTED_SHELL.exec(text)?.[2]
  if (text.startsWith('! ') || (nested !== undefined && hidesExitCode(nested))) return true
  const isAside =
    before !== '|' && (isSetting(text) || [ASIDE, VIEWER].some((harmless) => harmless.test(text)))
  if (after === '&') return !isAside
  if (next?.before === '|')
    return (
      !line.includes('pipefail') && !(isAside && ![VIEWER, PIPED_SHELL].some((end) => end.test(next.text)))
    )
  if (isAside || next === undefined) return false
  return next.before === '||' || (next.before === ';' && !STOPS_AT_ERRORS.test(line))
}

/** A truncated line counts as hidden, because its end is unknown. */
function isHidden(line: string, all: readonly Part[]): boolean {
  if (line.length > MAX_COMMAND_LENGTH || all.length >= MAX_PARTS) return true
  return all.some((part, at) => ASKS_EXIT_CODE.test(part.text) || hidesFailure(part, all[at + 1], line))
}

export const hidesExitCode = (line: string): boolean => isHidden(line, partsOf(line))

export function readCommand(line: string): CommandLine {
  const all = partsOf(line)
  const read = line.slice(0, MAX_COMMAND_LENGTH)
  let folder: string | null = null
  const parts: string[] = []
  for (const { text, before } of all) {
    const entered = FOLDER.exec(text)?.[1]
    if (entered !== undefined) folder = withoutEnd(entered, '/')
    if (before === '||') continue
    if (before === '|') {
      if (!VIEWER.test(text)) parts.push(`| ${plainPart(text)}`)
    } else if (!ASKS_EXIT_CODE.test(text) && !isSetting(text)) parts.push(plainPart(text))
  }
  const named = parts.filter((part) => part !== '')
  return {
    key: named.join(' && '),
    parts: named,
    folder,
    isMasked: isHidden(line, all),
    isTolerated: TOLERATED.test(read),
  }
}

/** Variables that only change what a program prints. */
const LOUDNESS_VARIABLE =
  /^(?:CI|TERM|COLUMNS|SEED|(?:FORCE|NO|CLICOLOR)_?COLOR|.*(?:DEBUG|LOG|VERBOSE|TRACE|BACKTRACE|UNBUFFERED).*)=/

const assignmentsOf = (line: string): string[] =>
  partsOf(line).flatMap(({ text }) => {
    const found: string[] = []
    let rest = text.replace(/^env /, '')
    for (let one = ASSIGNMENT.exec(rest); one; one = ASSIGNMENT.exec(rest)) {
      found.push(one[0].trim())
      rest = rest.slice(one[0].length)
    }
    return found.filter((assignment) => !LOUDNESS_VARIABLE.test(assignment))
  })

/** Returns what the second line runs or sets that the first did not: `rm -rf dist && npm ci` after `npm ci`. */
export function addedCommands(first: string, second: string): string[] {
  const known = new Set([...readCommand(first).parts, ...assignmentsOf(first)])
  const added = partsOf(second)
    .filter(({ text, before }) => before !== '|' && readCommand(text).parts.every((part) => !known.has(part)))
    .map(({ text }) => text)
  const set = assignmentsOf(second).filter((assignment) => !known.has(assignment))
  return [...added, ...set.map((assignment) => `export ${assignment}`)]
}

/** Returns the commands of a line as a person names them: without folders, settings, filters and redirections. */
export function namedCommands(line: string): string[] {
  return partsOf(line)
    .filter(({ text, before }) => before !== '|' && before !== '||' && !isSetting(text) && !ASIDE.test(text))
    .map(({ text }) => {
      let named = text.replaceAll(/\s+/g, ' ')
      for (let before = ''; before !== named; ) {
        before = named
        named = named.replace(ASSIGNMENT, '').replace(TIMEOUT, '')
      }
      return named.replaceAll(REDIRECTION, '').replaceAll(LOUDNESS, '').trim()
    })
    .filter((named) => named !== '')
}
