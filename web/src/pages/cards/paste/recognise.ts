/** The kind of a pasted text, recognised by its lines. */
export type Recognised = { what: string; language: string }

const MOST_LINES = 200

const linesMatching = (lines: readonly string[], pattern: RegExp) =>
  lines.filter((line) => pattern.test(line)).length

/** A frame of a stack trace, in the forms of the languages that print them. */
const FRAMES: readonly RegExp[] = [
  /^\s+at (?:async )?[\w.$<>[\] ]{1,200}\(.{1,300}\)$/,
  /^\s+at .{1,300}:\d+:\d+\)?$/,
  /^\s*File ".{1,300}", line \d+/,
  /^\s+from .{1,300}:\d+:in /,
  /^\s*#\d+ +(?:0x[0-9a-f]+ in )?[\w:~<>]+ ?\(/,
  /^\t.{1,300}\.go:\d+(?: \+0x[0-9a-f]+)?$/,
  /^\s+at .{1,300} in .{1,300}:line \d+$/,
  /^\s+\d+: (?:0x[0-9a-f]+ - )?[\w:<>{}]+$/,
]
const TRACE_HEADS =
  /^(?:Traceback \(most recent call last\):|Caused by: |Exception in thread "|goroutine \d+ \[|thread '.{1,100}' panicked at |panic: |[\w.]+(?:Error|Exception): )/

const TIMESTAMP =
  /^\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\d\d\/\w{3}\/\d{4}[: ]\d\d|\w{3} [ \d]\d \d\d:\d\d:\d\d)/
const LEVEL = /^\W{0,3}(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|LOG)\b/
const PROMPT = /^(?:\$ |❯ |PS [A-Z]:\\|>>> |[\w.-]{1,40}@[\w.-]{1,60}[: ].{0,100}[$#] |C:\\.{0,100}>)/
const OUTPUT =
  /^(?:npm (?:ERR!|error|warn) |error(?:\[E\d+\])?: |error TS\d+: |\S{1,200}\(\d+,\d+\): error |\S{1,200}:\d+:\d+: (?:error|warning): |fatal: |make(?:\[\d+\])?: \*\*\* |FAILED |E {3})/
const DIFF = /^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|--- a\/)/
const MARKDOWN = /^(?: {0,3}```| {0,3}#{1,6} |\s{0,6}[-*+] |\s{0,6}\d{1,3}[.)] |\|.*\|$|> )/

function isJson(text: string): boolean {
  const start = text.trimStart().charAt(0)
  if (start !== '{' && start !== '[') return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Recognises what would lose its shape as running text: a stack trace, a log, a diff, the output of a command, JSON.
 * Prose and Markdown are left alone, and so is a single line, which has no shape to lose.
 */
export function recognise(text: string): Recognised | null {
  const lines = text
    .split('\n', MOST_LINES)
    .map((line) => line.trimEnd())
    .filter(Boolean)
  if (lines.length < 2 || text.includes('```')) return null
  if (linesMatching(lines, DIFF) > 0 && linesMatching(lines, /^[+-]/) > 0)
    return { what: 'a diff', language: 'diff' }
  const frames = lines.filter((line) => FRAMES.some((frame) => frame.test(line))).length
  if (frames >= 2 || (frames === 1 && linesMatching(lines, TRACE_HEADS) > 0))
    return { what: 'a stack trace', language: 'text' }
  const logged = linesMatching(lines, TIMESTAMP) + linesMatching(lines, LEVEL)
  if (logged * 2 >= lines.length && logged >= 2) return { what: 'a log', language: 'log' }
  if (PROMPT.test(lines[0] ?? '')) return { what: 'the output of a command', language: 'console' }
  if (linesMatching(lines, OUTPUT) > 0 && linesMatching(lines, MARKDOWN) === 0)
    return { what: 'the output of a command', language: 'text' }
  return isJson(text) ? { what: 'JSON', language: 'json' } : null
}

/** The text as a fenced block. A text that has a fence of its own is not recognised, so three back ticks are enough. */
export function fenced(text: string, language: string, before: string, after: string): string {
  const open = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  const close = after === '' || after.startsWith('\n') ? '\n' : '\n\n'
  return `${open}\`\`\`${language}\n${text.replace(/^\n+/, '').trimEnd()}\n\`\`\`${close}`
}
