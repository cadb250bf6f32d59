import { CommandError } from './exit-codes.ts'
import { warn } from './terminal.ts'

/** What a person can mend themselves. Any other error of the file system keeps its stack. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
}

/** Why a file cannot be used, in words; undefined for an error of another kind. */
export function fileReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  const reason = REASONS[code]
  // A program that cannot be started and a socket have the same codes, but are no files.
  if (reason === undefined || /^(?:spawn|connect|listen)/.test(syscall)) return undefined
  return `${reason} (${code})`
}

function ofFileSystem(error: unknown): CommandError | undefined {
  const reason = fileReason(error)
  if (reason === undefined) return undefined
  const { path, dest, syscall } = error as NodeJS.ErrnoException & { dest?: string }
  if (syscall === 'uv_cwd') return new CommandError('The folder you are in is gone. Go to another one.')
  return new CommandError(`${dest ?? path ?? 'A file'} cannot be used: ${reason}.`)
}

/** In a container with any user id, the system knows no home of the user. */
function ofMissingHome(error: unknown): CommandError | undefined {
  const { code, syscall = '' } = (error ?? {}) as NodeJS.ErrnoException
  if (code !== 'ERR_SYSTEM_ERROR' || !['uv_os_homedir', 'uv_os_get_passwd'].includes(syscall))
    return undefined
  return new CommandError('This user has no home folder. Set HOME to a folder of yours.')
}

/** The error as a line and an exit code; undefined for a fault of this program, whose stack has to be seen. */
export const asCommandError = (error: unknown): CommandError | undefined =>
  error instanceof CommandError ? error : (ofMissingHome(error) ?? ofFileSystem(error))

/** Writes an expected error as one line and returns the exit code. Any other is thrown again. */
export function reportError(error: unknown): number {
  const known = asCommandError(error)
  if (!known) throw error
  warn(known.message)
  return known.exitCode
}
