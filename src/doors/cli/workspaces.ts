import { join } from 'node:path'
import { accountOf } from './account.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { KVAULT, settingsFolder, settingsIn, unreadableText } from './local-files.ts'
import { type Profile, type ProfileOptions, requireProfile, writePrivate } from './profile.ts'
import type { ProjectHome } from './project-name.ts'
import { plain, print, printJson, tableOrBlocks } from './terminal.ts'
import { callTool, withUserId } from './vault-client.ts'

export type Workspace = {
  workspace_id: string
  name: string
  type: string
  visibility: string
  role: string
  member_count: number
}

export type WorkspacesOptions = ProfileOptions & { json?: boolean }

const LISTED = { items: [{ workspace_id: '', name: '' }] }

const askForWorkspaces = (profile: Profile) =>
  callTool<{ items: Workspace[]; total: number }>(profile, 'list_workspaces', {}, LISTED)

export const listWorkspaces = async (profile: Profile): Promise<Workspace[]> =>
  (await askForWorkspaces(profile)).items

/** Returns the private teams where the person may write. */
export const teamsToShareWith = (all: readonly Workspace[]): Workspace[] =>
  all.filter(
    ({ type, visibility, role }) => type !== 'personal' && visibility === 'private' && role !== 'viewer',
  )

export async function workspaces(options: WorkspacesOptions): Promise<number> {
  const found = await askForWorkspaces(requireProfile(options))
  if (options.json) printJson(found)
  else {
    const rows = found.items.map(({ workspace_id, name, type, visibility, role, member_count }) => [
      workspace_id,
      plain(name, 44),
      type === 'personal' ? 'personal' : 'team',
      type === 'personal' ? '' : visibility,
      role,
      String(member_count),
    ])
    print(tableOrBlocks(['workspace', 'name', 'kind', 'visibility', 'your role', 'members'], rows))
  }
  return EXIT.done
}

/** A stranger's `.kvault.json` could collect what others record, so each person must allow a workspace. */
const file = () => join(settingsFolder(), 'workspaces.json')

const nameOf = (profile: Profile): string => `${profile.url} ${accountOf(profile)}`

function allowedFor(profile: Profile): string[] {
  const allowed = settingsIn(file())?.[nameOf(profile)]
  return Array.isArray(allowed) ? allowed.filter((id) => typeof id === 'string') : []
}

/** Decided per account: a permission holds for all keys of the person. */
export async function isAllowed(given: Profile, workspaceId: string): Promise<boolean> {
  const isIn = (profile: Profile) => allowedFor(profile).includes(workspaceId.toLowerCase())
  return isIn(given) || isIn(await withUserId(given))
}

export async function allow(given: Profile, workspaceId: string): Promise<void> {
  const profile = await withUserId(given)
  const settings = settingsIn(file())
  // Writing an unreadable file would lose the permissions in it.
  if (settings === null) throw new CommandError(`${unreadableText(file())}. Repair or delete it first.`)
  const ids = new Set([...allowedFor(profile), workspaceId.toLowerCase()])
  const all = { ...settings, [nameOf(profile)]: [...ids] }
  writePrivate(file(), `${JSON.stringify(all, null, 2)}\n`)
}

export async function requireAllowed(profile: Profile, { id, file }: ProjectHome): Promise<void> {
  if (await isAllowed(profile, id)) return
  throw new CommandError(
    `Nothing was recorded. ${file} sends new cards to the workspace ${id}, which nobody has allowed on this machine. Ask the person to run once: ${KVAULT} allow-workspace ${id}. Or name the workspace of the card yourself.`,
    EXIT.byHand,
  )
}
