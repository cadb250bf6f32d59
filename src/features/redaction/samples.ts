import { randomInt } from 'node:crypto'

/** For tests: no text in this repository looks like a secret, so samples are made when they are needed. */
export function randomFrom(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
