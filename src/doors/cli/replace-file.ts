import {
  chmodSync,
  existsSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

const isLink = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

/** The target of a symbolic link is changed; the link itself stays, also one whose target is not there yet. */
export function behindLink(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  return isLink(file) ? resolve(realpathSync(dirname(file)), readlinkSync(file)) : file
}

/** Where nothing could be written there may be nothing to delete either. */
function dropDraft(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The first error says more.
  }
}

/** A container may have the one file from outside: nothing can take its place, so it is written as it stands. */
function moveOver(fresh: string, target: string, text: string): void {
  try {
    renameSync(fresh, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
    writeFileSync(target, text)
    rmSync(fresh)
  }
}

/**
 * Replaces a file atomically: who reads it now gets the old text or the new one, and a full disk leaves the old one. Its
 * folder must be there.
 */
export function replaceFile(target: string, text: string, mode: number): void {
  const fresh = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`)
  try {
    writeFileSync(fresh, text, { mode })
    chmodSync(fresh, mode)
    moveOver(fresh, target, text)
  } catch (error) {
    dropDraft(fresh)
    // The person knows the file, not its draft.
    throw Object.assign(error as Error, { path: target, dest: undefined })
  }
}
