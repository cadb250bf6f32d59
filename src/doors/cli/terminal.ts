import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { withEscapedControls, withoutControls } from '../../text/unicode.ts'
import { CommandError, EXIT } from './exit-codes.ts'

/** Drops control characters other than our colours, which a vault could send (terminal injection). */
export const print = (text = ''): void =>
  void process.stdout.write(`${text.split(COLOURS).map(cleanBetween).join('')}\n`)
export const printJson = (value: unknown): void => print(withEscapedControls(JSON.stringify(value, null, 2)))

/** Drops control characters: the line may contain a stranger's folder name or a server's text. */
export const warn = (text: string): void => void process.stderr.write(`${withoutControls(text)}\n`)

export function quietPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      // A closed standard error does not hide a failure: the command ends with its own code.
      if (code === 'EPIPE' && stream === process.stderr) return
      if (code === 'EPIPE') process.exit(process.exitCode ?? EXIT.done)
      if (stream === process.stdout) process.stderr.write(`The output cannot be written (${code}).\n`)
      process.exit(EXIT.failed)
    })
}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const

/** The group keeps the colours in the result of `split`, at every second place. */
const COLOURS = new RegExp(`(\u001b\\[(?:0|${Object.values(STYLES).join('|')})m)`)

const cleanBetween = (text: string, index: number): string => (index % 2 === 1 ? text : withoutControls(text))

const hasColours = (): boolean =>
  process.env.FORCE_COLOR
    ? process.env.FORCE_COLOR !== '0'
    : Boolean(process.stdout.isTTY && !process.env.NO_COLOR)

/** Colours a text on terminals; NO_COLOR and FORCE_COLOR override. */
export const paint = (style: keyof typeof STYLES, text: string): string =>
  hasColours() ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text

const BAR_WIDTH = 30

/** Shows a progress bar on a terminal; writes nothing elsewhere. */
export function showProgress(done: number, total: number, words: string, name = ''): void {
  if (!process.stderr.isTTY) return
  const filled = total === 0 ? BAR_WIDTH : Math.round(Math.min(1, done / total) * BAR_WIDTH)
  const bar = `${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}`
  process.stderr.write(`\r${name}[${bar}] ${done} of ${total}${words}`)
}

export const endProgress = (): void => void (process.stderr.isTTY && process.stderr.write('\n'))

export const isInteractive = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY)

const INVISIBLE = /\p{Mark}|\p{Cf}/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with a control character
const ESCAPES = /\u001b\[[0-9;]*m/g
/** Characters that take two columns on a terminal. */
const WIDE =
  /(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\p{Emoji_Presentation}]/gu
const width = (text: string) => {
  const seen = text.replaceAll(ESCAPES, '').replaceAll(INVISIBLE, '')
  return [...seen].length + (seen.match(WIDE)?.length ?? 0)
}

/** Returns text on one line without control characters of the terminal. */
export const plain = (text: string, max = 72): string => {
  const line = withoutControls(text.replaceAll(/\s+/g, ' ')).trim()
  return [...line].length > max ? `${[...line].slice(0, max - 1).join('')}…` : line
}

/** Like `plain`, with line ends kept. */
export const plainLines = withoutControls

const padded = (cell: string, columns = 0): string => cell + ' '.repeat(columns - width(cell))

export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(width(title), ...rows.map((row) => width(row[column] ?? ''))),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => padded(cell, widths[column]))
      .join('  ')
      .trimEnd()
  return [line(head.map((title) => paint('dim', title))), ...rows.map(line)].join('\n')
}

const terminalColumns = (): number =>
  (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY

/** Returns a table; on a narrow terminal, each row becomes several lines, one per non-empty cell. */
export function tableOrBlocks(head: string[], rows: string[][], columns = terminalColumns()): string {
  const wide = table(head, rows)
  if (wide.split('\n').every((line) => width(line) <= columns)) return wide
  const titles = Math.max(...head.map(width))
  const block = (row: string[]) =>
    row.flatMap((cell, at) => (cell ? [`${paint('dim', padded(head[at] ?? '', titles))}  ${cell}`] : []))
  return rows.map((row) => block(row).join('\n')).join('\n\n')
}

/** Asks a question; Ctrl+C and Ctrl+D end the command with a message. */
async function asked(reader: Interface, prompt: string): Promise<string> {
  try {
    return await reader.question(prompt)
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error
    process.stdout.write('\n')
    throw new CommandError('Stopped.')
  } finally {
    reader.close()
  }
}

export async function question(prompt: string): Promise<string> {
  const answer = await asked(createInterface({ input: process.stdin, output: process.stdout }), prompt)
  return answer.trim()
}

export async function secretQuestion(prompt: string): Promise<string> {
  if (!isInteractive())
    throw new CommandError('No terminal to ask for the password: use --password-stdin.', EXIT.usage)
  process.stdout.write(prompt)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const answer = await asked(createInterface({ input: process.stdin, output: silent, terminal: true }), '')
  process.stdout.write('\n')
  return answer
}

/** Errors that a person can fix. Other file system errors keep their stack. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
}

/** Returns why a file cannot be used; undefined for other errors. */
export function fileReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  const reason = REASONS[code]
  // Errors of sockets and of programs to start have the same codes.
  if (reason === undefined || /^(?:spawn|connect|listen)/.test(syscall)) return undefined
  return `${reason} (${code})`
}

function ofFileSystem(error: unknown): CommandError | undefined {
  const reason = fileReason(error)
  if (reason === undefined) return undefined
  const { path, dest, syscall } = error as NodeJS.ErrnoException & { dest?: string }
  if (syscall === 'uv_cwd') return new CommandError('The folder you are in is gone. Go to another one.')
  return new CommandError(`${dest ?? path ?? 'A file'} cannot be used: ${reason}.`)
}

/** Explains a missing home folder: in a container with an arbitrary user id, the system knows none. */
function ofMissingHome(error: unknown): CommandError | undefined {
  const { code, syscall = '' } = (error ?? {}) as NodeJS.ErrnoException
  if (code !== 'ERR_SYSTEM_ERROR' || !['uv_os_homedir', 'uv_os_get_passwd'].includes(syscall))
    return undefined
  return new CommandError('This user has no home folder. Set HOME to a folder of yours.')
}

/** Returns an expected error as a line and an exit code; undefined for a bug, whose stack must be shown. */
export const asCommandError = (error: unknown): CommandError | undefined =>
  error instanceof CommandError ? error : (ofMissingHome(error) ?? ofFileSystem(error))

/** Prints an expected error as one line and returns the exit code; throws any other error again. */
export function reportError(error: unknown): number {
  const known = asCommandError(error)
  if (!known) throw error
  warn(known.message)
  return known.exitCode
}

/** Prints a title and named parts; empty parts are left out. */
export function printParts(
  title: string,
  text: string,
  parts: readonly [name: string, text: string][],
): void {
  print(paint('bold', plain(title, 200)))
  // Only the vault's text is cleaned: `paint` writes control characters of its own.
  print(`\n${plainLines(text)}`)
  for (const [name, words] of parts) if (words) print(`\n${paint('dim', plain(name))}\n${plainLines(words)}`)
}

/** Warns after recording a card, while nobody else can read it. */
export const warnOfSecret = (): void =>
  print(paint('yellow', 'It seems to contain a secret. Take it out before sharing or publishing.'))
