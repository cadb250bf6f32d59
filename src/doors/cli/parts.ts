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
