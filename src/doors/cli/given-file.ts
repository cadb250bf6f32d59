import { readFileSync, statSync } from 'node:fs'
import { CommandError, EXIT } from './exit-codes.ts'
import { fileReason } from './known-errors.ts'
import { readStdin } from './terminal.ts'

const wrong = (file: string, error: unknown): unknown => {
  const reason = fileReason(error)
  return reason === undefined ? error : new CommandError(`${file} cannot be read: ${reason}.`, EXIT.usage)
}

/** The text of a file that the person named; `-` is standard input. */
export async function readGiven(file: string): Promise<string> {
  if (file === '-') return readStdin()
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw wrong(file, error)
  }
}

/** Refuses what is no file, before anything is done with it. */
export function requireFile(file: string): void {
  try {
    if (statSync(file).isDirectory())
      throw new CommandError(`${file} cannot be read: it is a folder.`, EXIT.usage)
  } catch (error) {
    throw wrong(file, error)
  }
}
