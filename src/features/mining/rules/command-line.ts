import { withoutEnd } from '../../../text/without-end.ts'

/** The command that a line runs, without its surroundings: two spellings of the same command have the same key. */

const LONGEST_COMMAND = 2000
/** Only the first commands of a line are read. */
const MOST_PARTS = 30

/** Programs that only run another one. */
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
/** Commands that show a part of the output and hide the exit code of the command before them. */
const VIEWER = /^(?:tail|head|cat|tee|less|more|sort|uniq|wc|cut|sed|awk|grep|egrep|rg|jq|column)(?:\s|$)/
const TOLERATED = /\|\|\s*(?:true|:|exit 0|echo\b[^|&;]{0,200})\s*;?\s*$/
/** Nobody looks for the outcome of these: where they come first, the exit code is still that of the command behind them. */
const ASIDE = /^(?:echo|printf|ls|pwd|sleep|mkdir|rm)(?:\s|$)/
const STOPS_AT_ERRORS = /(?:^|[\n;&]) *set -\w{0,10}e/
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

type Part = { text: string; before: '' | '&&' | '||' | '|' | ';' }

/** Cuts where one command ends and the next begins, outside of quotes. */
export function partsOf(line: string): Part[] {
  const parts: Part[] = []
  let [text, quote, before]: [string, string, Part['before']] = ['', '', '']
  const close = (next: Part['before']) => {
    if (text.trim() !== '') parts.push({ text: text.trim(), before })
    text = ''
    before = next
  }
  const command = line.slice(0, LONGEST_COMMAND).replaceAll(/\\\r?\n/g, ' ')
  for (let i = 0; i < command.length && parts.length < MOST_PARTS; i++) {
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
    } else if (sign === ';' || (sign === '\n' && text.trim() !== '')) close(';')
    else if (sign === '|') close('|')
    else text += sign
  }
  if (parts.length < MOST_PARTS) close('')
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

export type CommandLine = {
  /** The same for every spelling of the command. */
  key: string
  /** The parts that have all succeeded if the whole line has. */
  parts: readonly string[]
  /** The folder, if the line names one. */
  folder: string | null
  /** The exit code belongs to another command: a viewer at the end of the pipe, an `echo $?`, the next after a `;` or a line end. */
  isMasked: boolean
  /** The line ignores a failure: `|| true`. */
  isTolerated: boolean
}

export function readCommand(line: string): CommandLine {
  const all = partsOf(line)
  const read = line.slice(0, LONGEST_COMMAND)
  const isPipeSafe = /pipefail/.test(read)
  const isStopping = STOPS_AT_ERRORS.test(read)
  let isMasked = false
  let folder: string | null = null
  const parts: string[] = []
  for (const [at, { text, before }] of all.entries()) {
    const entered = FOLDER.exec(text)?.[1]
    if (entered !== undefined) folder = withoutEnd(entered, '/')
    if (before === '||') continue
    if (before === '|') {
      if (VIEWER.test(text)) isMasked ||= !isPipeSafe
      else parts.push(`| ${plainPart(text)}`)
    } else if (ASKS_EXIT_CODE.test(text)) isMasked = true
    else if (!isSetting(text)) {
      parts.push(plainPart(text))
      isMasked ||= !isStopping && all[at + 1]?.before === ';' && !ASIDE.test(text) && !VIEWER.test(text)
    }
  }
  const named = parts.filter((part) => part !== '')
  return {
    key: named.join(' && '),
    parts: named,
    folder,
    isMasked,
    isTolerated: TOLERATED.test(read),
  }
}
