import { join } from 'node:path'
import { accountOf } from './account.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { KVAULT, settingsFolder, settingsIn, unreadableText } from './local-files.ts'
import { type Profile, type ProfileOptions, requireProfile, writePrivate } from './profile.ts'
import type { ProjectHome } from './project-name.ts'
import { plain, print, printJson, tableOrBlocks } from './terminal.ts'
import { callTool, withUserId } from './vault-client.ts'

type Workspace = {
  workspace_id: string
  name: string
  type: string
  visibility: string
  role: string
  member_count: number
}

export type WorkspacesOptions = ProfileOptions & { json?: boolean }

/** `kvault workspaces`: those that the person is in, whose ids other commands take. */
export async function workspaces(options: WorkspacesOptions): Promise<number> {
  const found = await callTool<{ items: Workspace[]; total: number }>(
    requireProfile(options),
    'list_workspaces',
    {},
    { items: [{ workspace_id: '', name: '' }] },
  )
  if (options.json) printJson(found)
  else {
    const rows = found.items.map(({ workspace_id, name, type, visibility, role, member_count }) => [
      workspace_id,
      plain(name, 44),
      type === 'personal' ? 'personal' : visibility,
      role,
      String(member_count),
    ])
    print(tableOrBlocks(['workspace', 'name', 'kind', 'your role', 'members'], rows))
  }
  return EXIT.done
}

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

/** By the account: what was allowed with one key of a person holds for their others. */
export async function isAllowed(given: Profile, workspaceId: string): Promise<boolean> {
  const isIn = (profile: Profile) => allowedFor(profile).includes(workspaceId.toLowerCase())
  return isIn(given) || isIn(await withUserId(given))
}

export async function allow(given: Profile, workspaceId: string): Promise<void> {
  const profile = await withUserId(given)
  const settings = settingsIn(file())
  // What others have allowed there would be lost.
  if (settings === null) throw new CommandError(`${unreadableText(file())}. Repair or delete it first.`)
  const ids = new Set([...allowedFor(profile), workspaceId.toLowerCase()])
  const all = { ...settings, [nameOf(profile)]: [...ids] }
  writePrivate(file(), `${JSON.stringify(all, null, 2)}\n`)
}

/** For callers without a terminal, who are mostly agents: the message says what a person has to run. */
export async function requireAllowed(profile: Profile, { id, file }: ProjectHome): Promise<void> {
  if (await isAllowed(profile, id)) return
  throw new CommandError(
    `Nothing was recorded. ${file} sends new cards to the workspace ${id}, which nobody has allowed on this machine. Ask the person to run once: ${KVAULT} allow-workspace ${id}. Or name the workspace of the card yourself.`,
    EXIT.byHand,
  )
}
