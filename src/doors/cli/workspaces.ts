import { EXIT } from './exit-codes.ts'
import { type ProfileOptions, requireProfile } from './profile.ts'
import { plain, print, printJson, tableOrBlocks } from './terminal.ts'
import { callTool } from './vault-client.ts'

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
