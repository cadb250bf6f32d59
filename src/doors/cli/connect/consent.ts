import { createTwoFilesPatch } from 'diff'
import { isLoopback } from '../../../core/own-addresses.ts'
import { redact } from '../../../redaction/redact.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { savedProfile } from '../profile.ts'
import { isInteractive, paint, print, question, warn } from '../terminal.ts'

export type ConsentOptions = { dryRun?: boolean; yes?: boolean }

export const HIDDEN_KEY = '<API_KEY>'

/** Shows a diff without any keys, so that none reach terminals and logs. */
export function showChange(
  file: string,
  before: string | null,
  after: string | null,
  secrets: readonly (string | undefined)[] = [],
): void {
  const hide = (text: string) =>
    redact(
      secrets.reduce<string>(
        (shown, secret) => (secret ? shown.replaceAll(secret, HIDDEN_KEY) : shown),
        text,
      ),
    ).text
  const patch = createTwoFilesPatch('', '', hide(before ?? ''), hide(after ?? ''), '', '', { context: 2 })
  // The library escapes umlauts in names, so we write the head ourselves.
  const [changes = ''] = /^@@[\s\S]*/m.exec(patch) ?? []
  for (const line of [`--- ${file}`, `+++ ${file}`, ...changes.split('\n')]) {
    if (line.startsWith('+')) print(paint('green', line))
    else if (line.startsWith('-')) print(paint('red', line))
    else print(line)
  }
}

export function requireTerminal(): void {
  if (!isInteractive())
    throw new CommandError('Nothing was changed: no terminal to ask on. Repeat with --yes.', EXIT.byHand)
}

export async function agreed(text: string, { yes, dryRun }: ConsentOptions): Promise<boolean> {
  if (dryRun) return false
  if (yes) return true
  requireTerminal()
  return /^y(es)?$/i.test(await question(`${text} [y/N] `))
}

/** Data that an attacker on an unencrypted connection could read and change (part of a message). */
export const IN_CLEAR = 'your key, your prompts, the output of failing commands, and this program itself'

export const isPlainElsewhere = (url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname)
}

export async function requireEncryption(
  url: string,
  { http, yes, dryRun }: ConsentOptions & { http?: boolean },
): Promise<void> {
  if (!isPlainElsewhere(url) || savedProfile()?.url === url) return
  const text = `${url} is another machine and not https: ${IN_CLEAR} travel there in clear.`
  if (http || dryRun) return warn(text)
  if (yes || !isInteractive())
    throw new CommandError(`${text} Use its https address, or add --http if you mean it.`, EXIT.usage)
  print(text)
  if (!/^y(es)?$/i.test(await question('Go on? [y/N] ')))
    throw new CommandError('Nothing was changed.', EXIT.byHand)
}
