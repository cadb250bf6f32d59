import { lstatSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const OWNER_ONLY = { mode: 0o700 }

/** The first part of the path that is not there. */
function firstMissing(path: string): string | undefined {
  let missing: string | undefined
  for (
    let part = resolve(path);
    lstatSync(part, { throwIfNoEntry: false }) === undefined;
    part = dirname(part)
  )
    missing = part
  return missing
}

/**
 * Makes a folder, and those above it, for this user alone. The first one is made by itself: where the system makes none, as
 * below /proc, it says that the path does not exist, and Node then tries to make the parents without end.
 */
export function makeFolder(path: string): void {
  const missing = firstMissing(path)
  try {
    if (missing !== undefined) mkdirSync(missing, OWNER_ONLY)
  } catch (error) {
    // Another process has made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  mkdirSync(path, { recursive: true, ...OWNER_ONLY })
}
