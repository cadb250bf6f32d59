import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { CommandError, EXIT } from './exit-codes.ts'

export const print = (text = ''): void => void process.stdout.write(`${text}\n`)
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

type Style = Parameters<typeof styleText>[0]

/** Colours on a terminal only; `styleText` also honours NO_COLOR and FORCE_COLOR. */
export const paint = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout, validateStream: true })

export const isInteractive = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY)

const VISIBLE = /\p{Mark}|\p{Cf}/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with a control character
const ESCAPES = /\u001b\[[0-9;]*m/g
const width = (text: string) => [...text.replaceAll(ESCAPES, '').replaceAll(VISIBLE, '')].length

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach a terminal from somebody's card
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Text from the vault on one line, without anything that could command the terminal. */
export const plain = (text: string, max = 72): string => {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(CONTROL, '').trim()
  return [...line].length > max ? `${[...line].slice(0, max - 1).join('')}…` : line
}

/** As `plain`, keeping its lines. */
export const plainLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replaceAll(CONTROL, ''))
    .join('\n')

export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(width(title), ...rows.map((row) => width(row[column] ?? ''))),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)))
      .join('  ')
      .trimEnd()
  return [line(head.map((title) => paint('dim', title))), ...rows.map(line)].join('\n')
}

export async function question(prompt: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await reader.question(prompt)
  reader.close()
  return answer.trim()
}

/** Asks without showing what is typed. */
export async function secretQuestion(prompt: string): Promise<string> {
  if (!isInteractive())
    throw new CommandError('No terminal to ask for the password: use --password-stdin.', EXIT.usage)
  process.stdout.write(prompt)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true })
  const answer = await reader.question('')
  reader.close()
  process.stdout.write('\n')
  return answer
}

export async function readStdin(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
  return text
}
