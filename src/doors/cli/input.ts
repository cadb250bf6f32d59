import { createReadStream, statSync } from 'node:fs'
import { CommandError, EXIT } from './exit-codes.ts'
import { isUuid, KVAULT, withoutMark } from './local-files.ts'
import { fileReason, plain } from './terminal.ts'

const wrong = (message: string) => new CommandError(message, EXIT.usage)

/** Parses an option as a whole number from 1 to `most`; undefined if absent. */
export function wholeNumber(option: string, given: string | undefined, most: number): number | undefined {
  if (given === undefined) return undefined
  if (!/^\d+$/.test(given) || Number(given) < 1 || Number(given) > most)
    throw wrong(`${option} is a number from 1 to ${most}, not "${given}".`)
  return Number(given)
}

export function requireOneOf(option: string, given: string | undefined, known: readonly string[]): void {
  if (given !== undefined && !known.includes(given))
    throw wrong(`${option} is one of ${known.join(', ')}, not "${given}".`)
}

export function requireWorkspaceId(given: string | undefined): void {
  if (given !== undefined && !isUuid(given))
    throw wrong(`--workspace is the id of a workspace, not "${given}". ${KVAULT} workspaces lists them.`)
}

/** Refuses an invalid id: an empty one, from an unset shell variable, would change the requested address. */
export function requireId(what: 'card' | 'draft' | 'event' | 'workspace', given: string): void {
  if (!isUuid(given))
    throw wrong(`"${plain(given)}" is not the id of ${what === 'event' ? 'an' : 'a'} ${what}.`)
}

const refuseFile = (file: string, error: unknown): unknown => {
  const reason = fileReason(error)
  return reason === undefined ? error : new CommandError(`${file} cannot be read: ${reason}.`, EXIT.usage)
}

export async function readGiven(file: string, longest = Number.POSITIVE_INFINITY): Promise<string> {
  let text = ''
  try {
    const stream = file === '-' ? process.stdin : createReadStream(file)
    for await (const chunk of stream.setEncoding('utf8')) {
      text += chunk
      if (withoutMark(text).length > longest) break
    }
  } catch (error) {
    throw refuseFile(nameOfGiven(file), error)
  }
  return withoutMark(text)
}

export const nameOfGiven = (file: string): string => (file === '-' ? 'Standard input' : file)

/** Parses a text as a JSON object; `name` and `more` are for the error message. */
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

export function requireFile(file: string): void {
  try {
    if (statSync(file).isDirectory())
      throw new CommandError(`${file} cannot be read: it is a folder.`, EXIT.usage)
  } catch (error) {
    throw refuseFile(file, error)
  }
}
