import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files of other programs may be anything: too large ones are skipped, broken ones are read as far as possible. */
const LARGEST_FILE = 64 * 1024 * 1024
const LONGEST_LINE = 4 * 1024 * 1024
const MOST_FILES = 20_000
const MOST_DEPTH = 6

export type Json = Record<string, unknown>

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textAt = (value: unknown, name: string): string | undefined => {
  const found = isJson(value) ? value[name] : undefined
  return typeof found === 'string' ? found : undefined
}

export const listAt = (value: unknown, name: string): unknown[] => {
  const found = isJson(value) ? value[name] : undefined
  return Array.isArray(found) ? found : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Empty if the file is missing, too large, or no file. */
export function readText(file: string): string {
  try {
    const found = lstatSync(file)
    return found.isFile() && found.size <= LARGEST_FILE ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}

export function readJson(file: string): Json | undefined {
  const value = parsed(readText(file))
  return isJson(value) ? value : undefined
}

/** The objects of a file with one on each line; other lines are skipped. */
export const readLines = (file: string): Json[] =>
  readText(file)
    .split('\n')
    .flatMap((line) => {
      const value = line === '' || line.length > LONGEST_LINE ? undefined : parsed(line)
      return isJson(value) ? [value] : []
    })

export const jsonIn = (text: unknown): unknown =>
  typeof text === 'string' && text.length <= LONGEST_LINE ? parsed(text) : undefined

/** The names in a folder, sorted; none if there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

export type Stamped = { file: string; stamp: string; changedMs: number }

/** A file as it is now; nothing for a link, which may lead anywhere. */
function stampOf(file: string): Stamped | undefined {
  try {
    const found = lstatSync(file)
    if (!found.isFile()) return undefined
    return { file, stamp: `${found.size}:${Math.floor(found.mtimeMs)}`, changedMs: found.mtimeMs }
  } catch {
    return undefined
  }
}

/** The files below a folder whose name fits. */
export function filesBelow(folder: string, fits: (name: string) => boolean, depth = 0): Stamped[] {
  const found: Stamped[] = []
  let entries: { name: string; isDirectory: () => boolean }[] = []
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return found
  }
  for (const entry of entries) {
    if (found.length >= MOST_FILES) break
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth < MOST_DEPTH) found.push(...filesBelow(path, fits, depth + 1))
    } else if (fits(entry.name)) {
      const stamped = stampOf(path)
      if (stamped) found.push(stamped)
    }
  }
  return found
}
