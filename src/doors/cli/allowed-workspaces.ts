import { join } from 'node:path'
import { accountOf } from './account.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { settingsFolder } from './folders.ts'
import { KVAULT } from './own-copy.ts'
import { type Profile, writePrivate } from './profile.ts'
import type { ProjectHome } from './project-name.ts'
import { settingsIn, unreadableText } from './settings-file.ts'

/**
 * The workspaces that a `.kvault.json` may send cards to. The file comes with a repository, and somebody can be added
 * to a workspace without being asked, so a stranger could collect what others record. Each person allows a workspace
 * once on their machine.
 */
const file = () => join(settingsFolder(), 'workspaces.json')

const nameOf = (profile: Profile): string => `${profile.url} ${accountOf(profile)}`

function allowedFor(profile: Profile): string[] {
  const allowed = settingsIn(file())?.[nameOf(profile)]
  return Array.isArray(allowed) ? allowed.filter((id) => typeof id === 'string') : []
}

export const isAllowed = (profile: Profile, workspaceId: string): boolean =>
  allowedFor(profile).includes(workspaceId.toLowerCase())

export function allow(profile: Profile, workspaceId: string): void {
  const settings = settingsIn(file())
  // What others have allowed there would be lost.
  if (settings === null) throw new CommandError(`${unreadableText(file())}. Repair or delete it first.`)
  const ids = new Set([...allowedFor(profile), workspaceId.toLowerCase()])
  const all = { ...settings, [nameOf(profile)]: [...ids] }
  writePrivate(file(), `${JSON.stringify(all, null, 2)}\n`)
}

/** For callers without a terminal, who are mostly agents: the message says what a person has to run. */
export function requireAllowed(profile: Profile, { id, file }: ProjectHome): void {
  if (isAllowed(profile, id)) return
  throw new CommandError(
    `Nothing was recorded. ${file} sends new cards to the workspace ${id}, which nobody has allowed on this machine. Ask the person to run once: ${KVAULT} allow-workspace ${id}. Or name the workspace of the card yourself.`,
    EXIT.byHand,
  )
}
