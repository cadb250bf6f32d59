import { readFileSync, statSync } from 'node:fs'
import { type JsonObject, readObject } from './jsonc.ts'

const LARGEST_FILE = 64 * 1024

/** For a person: what is wrong with such a file. */
export const unreadableText = (file: string): string =>
  `${file} cannot be read as a JSON object of at most ${LARGEST_FILE / 1024} KB`

/** What a small file that people edit says; undefined where there is none, null where it cannot be read. */
export function settingsIn(file: string): JsonObject | undefined | null {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    if (!found?.isFile()) return undefined
    if (found.size > LARGEST_FILE) return null
    const settings = readObject(readFileSync(file, 'utf8'))
    return typeof settings === 'object' ? settings : null
  } catch {
    return null
  }
}
