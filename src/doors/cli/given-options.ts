import { CommandError, EXIT } from './exit-codes.ts'
import { KVAULT } from './own-copy.ts'
import { plain } from './terminal.ts'
import { isUuid } from './uuid.ts'

const wrong = (message: string) => new CommandError(message, EXIT.usage)

/** An option that is a whole number from 1 to `most`; undefined if it is not given. */
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

/** An id that is empty, as of a variable of the shell that is not set, would ask the vault for something else. */
export function requireId(what: 'card' | 'draft' | 'workspace', given: string): void {
  if (!isUuid(given)) throw wrong(`"${plain(given)}" is not the id of a ${what}.`)
}
