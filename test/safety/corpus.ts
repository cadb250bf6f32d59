import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One text that should not reach an agent unmarked. */
export type Attack = { group: string; text: string }

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const MIXED = `${LETTERS}${LETTERS.toUpperCase()}0123456789`

const draw = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
const word = (length: number): string => draw(LETTERS, length)

/** Secrets and personal data are drawn at run time: none stands in the repository. */
const DRAWN: Record<string, () => string> = {
  MAIL: () => `${word(5)}.${word(7)}@${word(9)}.${['com', 'org', 'io'][randomInt(3)]}`,
  PHONE: () =>
    `+${randomInt(30, 99)} ${randomInt(150, 179)} ${randomInt(1000, 9999)} ${randomInt(1000, 9999)}`,
  USER: () => `${word(4)}${word(4)}`,
  PASSWORD: () => `${draw(MIXED, 9)}#${draw(MIXED, 6)}9z`,
  AWS: () => ['AK', 'IA', draw('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)].join(''),
  GHP: () => ['gh', 'p_', draw(MIXED, 36)].join(''),
  SECRET40: () => draw(MIXED, 40),
  KEYBODY: () => `AAAAC3Nza${draw(MIXED, 59)}`,
  KEYBLOCK: () => [draw(MIXED, 64), draw(MIXED, 64), draw(MIXED, 64)].join('\n'),
}

/** A line of a file: escapes as in JavaScript, and names in double braces for what is drawn. */
function written(line: string): string {
  return line
    .replaceAll(/\{\{([A-Z0-9]+)\}\}/g, (whole, name: string) => DRAWN[name]?.() ?? whole)
    .replaceAll(
      /\\(?:u\{([0-9a-f]+)\}|u([0-9a-f]{4})|(n)|(\\)|("))/g,
      (_, long, short, newline, backslash) => {
        if (newline) return '\n'
        if (backslash) return '\\'
        return long || short ? String.fromCodePoint(Number.parseInt(long ?? short, 16)) : '"'
      },
    )
}

/** One half of the corpus: rules are built with `build`; `held` is only measured. */
export function readAttacks(half: 'build' | 'held'): Attack[] {
  const folder = join(import.meta.dirname, half)
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .toSorted()
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({ group: file.slice(0, -'.txt'.length), text: written(line) })),
    )
}

/** What good cards say: commands and sentences that are near to danger. */
export const readOrdinary = (): string[] =>
  readFileSync(join(import.meta.dirname, 'ordinary', 'commands.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map(written)
