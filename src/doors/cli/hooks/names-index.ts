import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { homeFolder, xdgFolder } from '../../../core/user-folders.ts'
import type { NamesIndex } from '../../../shared/before.ts'

// Read before every tool, so this loads nothing but what Node has loaded anyway.

export type KeptNames = NamesIndex & {
  folder: string
  /** When the vault made it, in ms. */
  at: number
}

const STALE_MS = 14 * 24 * 3_600_000
const MAX_FOLDERS = 30
const MAX_NAME_LENGTH = 150
const MAX_INDEX_BYTES = 2 * 1024 * 1024

/** The settings folder, as the commands find it. */
const settings = (): string =>
  process.env.KVAULT_HOME || `${xdgFolder(process.env.XDG_CONFIG_HOME, `${homeFolder()}/.config`)}/kvault`

const nameOf = (text: string): string => Buffer.from(text).toString('base64url').slice(-MAX_NAME_LENGTH)

export const namesFile = (folder: string): string => `${settings()}/before/${nameOf(folder)}.json`

/** Holds what a session was asked about already, one name in each line. */
export const askedFile = (sessionId: string): string => `${settings()}/before/${nameOf(sessionId)}.asked`

function readKept(folder: string): KeptNames | undefined {
  let text = ''
  try {
    text = readFileSync(namesFile(folder), 'utf8')
  } catch {
    return undefined
  }
  const kept: KeptNames = JSON.parse(text)
  const isWhole = kept.folder === folder && Array.isArray(kept.ids) && typeof kept.files === 'object'
  const isFresh = Math.abs(Date.now() - kept.at) < STALE_MS
  return isWhole && isFresh && text.length <= MAX_INDEX_BYTES ? kept : undefined
}

/** Returns the list of the nearest folder that has one; undefined if it is missing, stale or broken. */
export function findNames(folder: string): KeptNames | undefined {
  try {
    for (let [at, left] = [folder, MAX_FOLDERS]; left > 0; left--) {
      const kept = readKept(at)
      if (kept) return kept
      const above = dirname(at)
      if (above === at) return undefined
      at = above
    }
  } catch {
    // A broken list is as none.
  }
  return undefined
}

/** Returns a file's path inside a folder; as it is if it lies elsewhere. */
export function pathIn(folder: string, file: string): string {
  const [path, root] = [file.replaceAll('\\', '/'), `${folder.replaceAll('\\', '/')}/`]
  return path.startsWith(root) ? path.slice(root.length) : path
}

export function wasAsked(sessionId: string, name: string): boolean {
  try {
    return readFileSync(askedFile(sessionId), 'utf8').split('\n').includes(name.replaceAll('\n', ' '))
  } catch {
    return false
  }
}
