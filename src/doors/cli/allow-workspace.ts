import { allow, isAllowed, requireAllowed } from './allowed-workspaces.ts'
import { agreed, type ConsentOptions } from './connect/consent.ts'
import { CommandError, EXIT, Refusal } from './exit-codes.ts'
import { requireId } from './given-options.ts'
import { KVAULT } from './own-copy.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import { type ProjectHome, withFileOfHome } from './project-name.ts'
import { isInteractive, plain, print } from './terminal.ts'
import { ask } from './vault-client.ts'

type Workspace = { name: string; type: string; member_count: number }

/** A name alone says little, since everybody may call a workspace "Personal". A narrow key may not read more than that. */
async function described({ url, apiKey }: Profile, id: string): Promise<string> {
  const reply = await ask(url, `/api/v1/workspaces/${id}`, {
    headers: { 'x-api-key': apiKey },
    shape: { name: '', type: '', member_count: 0 },
  })
  if (reply.status === 404)
    throw new Refusal(
      `The vault has no workspace ${id} that you can see. Yours: ${KVAULT} workspaces`,
      EXIT.failed,
      'not_found',
    )
  if (reply.status !== 200) return `the workspace ${id}`
  const { name, type, member_count } = reply.body as Workspace
  const members = member_count === 1 ? '1 member' : `${member_count} members`
  return `the ${plain(type)} workspace "${plain(name, 60)}" with ${members} (${id})`
}

/** `kvault allow-workspace`: lets the `.kvault.json` of projects name this workspace for new cards. */
export async function allowWorkspace(id: string, options: ProfileOptions & ConsentOptions): Promise<number> {
  requireId('workspace', id)
  const profile = requireProfile(options)
  const workspace = await described(profile, id)
  if (!(await agreed(`May projects send the cards you record to ${workspace}?`, options))) {
    print('Nothing changed.')
    return EXIT.byHand
  }
  await allow(profile, id)
  print(`Allowed on this machine: ${workspace}.`)
  return EXIT.done
}

type Agree = (text: string) => Promise<boolean>

/** Asks the person the first time that a project names this workspace; refuses where nobody can be asked. */
export async function confirmHome(
  profile: Profile,
  home: ProjectHome,
  agree: Agree | undefined = isInteractive() ? (text) => agreed(text, {}) : undefined,
): Promise<void> {
  if (!agree) return requireAllowed(profile, home)
  if (await isAllowed(profile, home.id)) return
  const workspace = await described(profile, home.id).catch((error) => {
    throw withFileOfHome(error, home)
  })
  if (!(await agree(`${plain(home.file, 200)} sends new cards to ${workspace}. Allow that on this machine?`)))
    throw new CommandError('Nothing was recorded. Name a workspace with --workspace.', EXIT.byHand)
  await allow(profile, home.id)
}
