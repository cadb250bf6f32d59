import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ClientError, EXIT } from '../exit-codes.ts'
import { behindLink, replaceFile } from '../replace-file.ts'

const OWNER_ONLY = 0o600
const ANY_BIT_OF_OTHERS = 0o077
const ANY_WRITER = 0o222

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/** Strict, because a file is written back: what is replaced while it is read would be lost. A byte order mark stays. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw new ClientError(`${file} cannot be read (${codeOf(error)}).`, EXIT.byHand)
  }
}

export function readText(file: string): string | null {
  const bytes = bytesOf(file)
  try {
    return bytes && UTF_8.decode(bytes)
  } catch {
    throw new ClientError(`${file} is not UTF-8, so it is left alone.`, EXIT.byHand)
  }
}

const modeOf = (file: string): number | undefined =>
  existsSync(file) ? statSync(file).mode & 0o777 : undefined

/** A new file could take its place in spite of that, but somebody, or a program that writes it, wants it to stay as it is. */
function refuseReadOnly(file: string, mode: number | undefined): void {
  if (mode === undefined || (mode & ANY_WRITER) !== 0) return
  throw new ClientError(
    `${file} is read-only (mode ${mode.toString(8)}), so it is left alone. If you want it changed, make it writable first.`,
    EXIT.byHand,
  )
}

export type Written = {
  /** Others could read the file before and no longer can. */
  closed: boolean
  /** Its mode before; undefined for a file that is new. */
  modeBefore: number | undefined
}

/**
 * Replaces the file atomically, so that a client that reads it now sees the old text or the new one. Its mode
 * stays; with a key in it, only its owner can read it.
 */
export function writeText(
  file: string,
  text: string,
  { holdsKey = false, mode }: { holdsKey?: boolean; mode?: number | undefined } = {},
): Written {
  const target = behindLink(file)
  const modeBefore = modeOf(target)
  refuseReadOnly(file, modeBefore)
  const wanted = holdsKey ? OWNER_ONLY : (mode ?? modeBefore ?? OWNER_ONLY)
  try {
    mkdirSync(dirname(target), { recursive: true })
    replaceFile(target, text, wanted)
  } catch (error) {
    throw new ClientError(`${file} cannot be written (${codeOf(error)}).`, EXIT.byHand)
  }
  const isPosix = process.platform !== 'win32'
  const wasOpen = modeBefore !== undefined && (modeBefore & ANY_BIT_OF_OTHERS) !== 0
  return { closed: isPosix && holdsKey && wasOpen, modeBefore }
}

/** A symbolic link stays, since it was there before the file. */
export const removeFile = (file: string): void => rmSync(behindLink(file), { force: true })
