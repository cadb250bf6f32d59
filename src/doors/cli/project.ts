import { agreed, type ConsentOptions } from './connect/consent.ts'
import { CommandError, EXIT, Refusal } from './exit-codes.ts'
import {
  adviceOnce,
  allowProject,
  declineProject,
  findProject,
  isDeclined,
  type NamedProject,
  namedIn,
} from './hooks/project-permission.ts'
import { requireId, wholeNumber } from './input.ts'
import { KVAULT } from './local-files.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import {
  keepingAdvice,
  PROJECT_FILE,
  type ProjectHome,
  readProjectFiles,
  remoteKey,
  withFileOfHome,
} from './project-name.ts'
import { isInteractive, paint, plain, plainLines, print, printJson, table, warn } from './terminal.ts'
import { ask, callTool } from './vault-client.ts'
import { allow, isAllowed, requireAllowed } from './workspaces.ts'

const questionFor = ({ key, folder }: NamedProject): string =>
  `${plain(folder, 200)} names itself the project "${plain(key, 200)}". May agents there read the memory of that project, and add to it?`

/** `kvault allow-project`: allows the `.kvault.json` of this folder to name its project. */
export async function allowProjectHere(options: ConsentOptions): Promise<number> {
  const here = process.cwd()
  const named = namedIn(readProjectFiles(here))
  if (!named) throw new CommandError(`No ${PROJECT_FILE} here or above names a project.`, EXIT.usage)
  const remote = remoteKey(here)
  if (remote) {
    print(`Nothing to allow: this checkout goes by its remote, ${plain(remote, 200)}.`)
    return EXIT.done
  }
  if (!(await agreed(questionFor(named), options))) {
    print('Nothing changed.')
    return EXIT.byHand
  }
  allowProject(named)
  print(`Allowed in ${plain(named.folder, 200)}: "${plain(named.key, 200)}".`)
  return EXIT.done
}

type Agree = (text: string) => Promise<boolean>

export async function projectHere(
  options: ProfileOptions & { json?: boolean },
  agree: Agree | undefined = isInteractive() && !options.json ? (text) => agreed(text, {}) : undefined,
): Promise<{ key: string; profile: Profile }> {
  const folder = process.cwd()
  const profile = requireProfile(options)
  const { key, withheld } = await findProject(folder, profile)
  if (!withheld) return { key, profile }
  if (agree && !isDeclined(withheld)) {
    if (await agree(questionFor(withheld))) {
      allowProject(withheld)
      return { key: withheld.key, profile }
    }
    declineProject(withheld)
  }
  const advice = adviceOnce(withheld)
  if (advice) warn(advice)
  return { key, profile }
}

/** Returns the project of a folder without asking the person. */
export async function projectKeyOf(
  folder: string,
  profile: Partial<Profile> & { url: string },
): Promise<string> {
  const { key, withheld } = await findProject(folder, profile)
  const advice = withheld && adviceOnce(withheld)
  if (advice) warn(`${withheld.folder}: ${advice}`)
  return key
}

export type SnapshotEvent = {
  raw_id: string
  event_type: string
  content: string
  created_at: string
  title: string | null
  session_id: string | null
}
export type Snapshot = {
  project_key: string
  summary: SnapshotEvent | null
  facts: SnapshotEvent | null
  project_preferences: SnapshotEvent | null
  user_preferences: SnapshotEvent | null
  recent_events: SnapshotEvent[]
  total_events: number
  generated_at: string
}

export type ContextOptions = ProfileOptions & { limit?: string; json?: boolean }

const MAX_EVENTS = 100
const READ = {
  project_key: '',
  total_events: 0,
  recent_events: [{ raw_id: '', event_type: '', content: '', created_at: '' }],
}

/** Explains, for a folder that only its path names, where its memory is after a move. */
function sayWhatNamesIt({ url }: Profile, isEmpty: boolean): void {
  const advice = keepingAdvice(process.cwd())
  if (!advice) return
  const moved = isEmpty ? ` If it was moved or renamed, look at ${url}/memory for its former name.` : ''
  print(paint('dim', `\nThis folder has no remote, so its path names it.${moved} ${advice}`))
}

export async function context(key: string | undefined, options: ContextOptions): Promise<number> {
  const limit_events = wholeNumber('--limit', options.limit, MAX_EVENTS)
  if (key === '') throw new CommandError('Name a project key.', EXIT.usage)
  const { key: project_key, profile } =
    key === undefined ? await projectHere(options) : { key, profile: requireProfile(options) }
  const asked = { project_key, ...(limit_events === undefined ? {} : { limit_events }) }
  const snapshot = await callTool<Snapshot>(profile, 'get_project_context', asked, READ)
  if (options.json) {
    printJson(snapshot)
    return EXIT.done
  }
  const { total_events } = snapshot
  const events = total_events === 1 ? '1 event' : `${total_events} events`
  print(paint('bold', snapshot.project_key) + paint('dim', `  ${events}`))
  const documents = {
    'Your preferences': snapshot.user_preferences,
    Summary: snapshot.summary,
    Facts: snapshot.facts,
    Preferences: snapshot.project_preferences,
  }
  for (const [title, event] of Object.entries(documents))
    if (event) print(`\n${paint('bold', title)}\n${plainLines(event.content)}`)
  const rows = snapshot.recent_events.map((event) => [
    event.raw_id,
    event.created_at.slice(0, 16).replace('T', ' '),
    event.event_type,
    plain(event.title ?? event.content),
  ])
  if (rows.length > 0) print(`\n${table(['event', 'when (UTC)', 'what', 'content'], rows)}`)
  else if (total_events === 0) print('Nothing remembered yet.')
  if (key === undefined) sayWhatNamesIt(profile, total_events === 0)
  return EXIT.done
}

type Workspace = { name: string; type: string; member_count: number }

/** Describes a workspace, because its name alone may mislead. A narrow key may read only the name. */
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

/** `kvault allow-workspace`: allows projects' `.kvault.json` files to name this workspace for new cards. */
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

type AgreeToWorkspace = (text: string) => Promise<boolean>

/** Asks the person when a project names this workspace for the first time; refuses without a terminal. */
export async function confirmHome(
  profile: Profile,
  home: ProjectHome,
  agree: AgreeToWorkspace | undefined = isInteractive() ? (text) => agreed(text, {}) : undefined,
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
