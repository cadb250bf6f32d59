import { readFileSync, statSync } from 'node:fs'
import { CommandError, EXIT } from './exit-codes.ts'
import { withoutMark } from './jsonc.ts'
import { fileReason } from './known-errors.ts'
import { readStdin } from './terminal.ts'

const wrong = (file: string, error: unknown): unknown => {
  const reason = fileReason(error)
  return reason === undefined ? error : new CommandError(`${file} cannot be read: ${reason}.`, EXIT.usage)
}

/** The text of a file that the person named; `-` is standard input. */
export async function readGiven(file: string): Promise<string> {
  if (file === '-') return withoutMark(await readStdin())
  try {
    return withoutMark(readFileSync(file, 'utf8'))
  } catch (error) {
    throw wrong(file, error)
  }
}

/** How messages name such a file. */
export const nameOfGiven = (file: string): string => (file === '-' ? 'Standard input' : file)

/** The object that a given text holds; `name` and `more` are for the refusal. */
export function objectIn(text: string, name: string, more = ''): Record<string, unknown> {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw new CommandError(`${name} is not JSON.${more}`, EXIT.usage)
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new CommandError(`${name} has to be a JSON object, such as {"title": "…"}.${more}`, EXIT.usage)
  return given as Record<string, unknown>
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
