import { paint, plain, plainLines, print } from './terminal.ts'

/** A text with a title and its parts, each below its name; those without words are left out. */
export function printParts(
  title: string,
  text: string,
  parts: readonly [name: string, text: string][],
): void {
  print(paint('bold', plain(title, 200)))
  // Only the texts of the vault: `paint` writes control characters of its own.
  print(`\n${plainLines(text)}`)
  for (const [name, words] of parts) if (words) print(`\n${paint('dim', plain(name))}\n${plainLines(words)}`)
}

/** After a card was recorded: nobody else reads it yet. */
export const warnOfSecret = (): void =>
  print(paint('yellow', 'It seems to contain a secret. Take it out before sharing or publishing.'))
