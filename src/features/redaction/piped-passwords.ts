import { isPlaceholder } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

/** Commands that read a password from their input: `echo … | sudo -S`, `chpasswd <<< …`. */
const SUDO = /(?:-[A-Za-z]{1,6}[ \t]{1,4}){0,3}(?:-[A-Za-z]{0,5}S|--stdin)(?![\w-])/y
export const READERS: readonly { keyword: string; rest?: RegExp; isAfterName?: true }[] = [
  { keyword: 'sudo ', rest: SUDO },
  { keyword: 'chpasswd', isAfterName: true },
  { keyword: '--password-stdin' },
  { keyword: 'passwd --stdin' },
  { keyword: '--passphrase-fd 0' },
]
export const HERE_STRING = '<<<'

const LONGEST_COMMAND = 300
const ECHOED =
  /(?:^|[\s;&(`])(?:echo|printf)[ \t]{1,4}(?:-[A-Za-z]{1,3}[ \t]{1,4}){0,2}(?:["']?%s(?:\\n)?["']?[ \t]{1,4})?(?:"([^"]{4,200})"|'([^']{4,200})'|([^\s"'|]{4,200}))[ \t]{0,4}$/
const GIVEN = /[ \t]{0,4}(?:"([^"\n]{4,200})"|'([^'\n]{4,200})'|([^\s"'`;|&<>()]{4,200}))/y

/** The command line before a place, without former lines. */
function lineBefore(text: string, at: number): { line: string; start: number } {
  const from = Math.max(0, at - LONGEST_COMMAND)
  const line = text.slice(from, at)
  const cut = line.lastIndexOf('\n') + 1
  return { line: line.slice(cut), start: from + cut }
}

const groupOf = (found: RegExpExecArray | null): string | undefined =>
  found?.slice(1).find((group) => group !== undefined)

/** `root:…`: the name before the password stays. */
function spanOf(start: number, given: string, isAfterName: boolean): Span | undefined {
  const from = isAfterName ? given.indexOf(':') + 1 : 0
  const password = given.slice(from)
  if ((isAfterName && from === 0) || password.length < 4 || isPlaceholder(password)) return undefined
  return { start: start + from, end: start + given.length, kind: 'password', rank: RANK.assigned }
}

/** From the end of a command that reads a password: what was echoed into it. */
export function pipedPassword(text: string, end: number, reader: (typeof READERS)[number]): Span | undefined {
  if (reader.rest) {
    reader.rest.lastIndex = end
    if (!reader.rest.test(text)) return undefined
  }
  const { line, start } = lineBefore(text, end - reader.keyword.length)
  const bar = line.lastIndexOf('|')
  if (bar === -1) return undefined
  const found = ECHOED.exec(line.slice(0, bar))
  const given = groupOf(found)
  if (!found || given === undefined) return undefined
  return spanOf(start + found.index + found[0].lastIndexOf(given), given, reader.isAfterName === true)
}

const READS_PASSWORD =
  /sudo[ \t]{1,4}(?:-[\w-]{1,10}[ \t]{1,4}){0,3}(?:-[A-Za-z]{0,5}S|--stdin)\b|chpasswd|--password-stdin|passwd --stdin/

/** From the end of `<<<`: what a command is given as its input. */
export function hereString(text: string, end: number): Span | undefined {
  const command = READS_PASSWORD.exec(lineBefore(text, end).line)?.[0]
  if (command === undefined) return undefined
  GIVEN.lastIndex = end
  const found = GIVEN.exec(text)
  const given = groupOf(found)
  if (!found || given === undefined) return undefined
  return spanOf(end + found[0].lastIndexOf(given), given, command === 'chpasswd')
}
