import { agreed, type ConsentOptions } from './connect/consent.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import {
  adviceOnce,
  allowProject,
  declineProject,
  findProject,
  isDeclined,
  type NamedProject,
  namedIn,
} from './hooks/allowed-projects.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import { PROJECT_FILE, readProjectFiles } from './project-file.ts'
import { remoteKey } from './project-name.ts'
import { isInteractive, plain, print, warn } from './terminal.ts'

const questionFor = ({ key, folder }: NamedProject): string =>
  `${plain(folder, 200)} names itself the project "${plain(key, 200)}". May agents there read the memory of that project, and add to it?`

/** `kvault allow-project`: lets the `.kvault.json` of this folder name its project. */
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

/** The project of this folder. On a terminal the person is asked once about a key that does not count yet. */
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

/** The project of a folder for a command that asks nothing. */
export async function projectKeyOf(
  folder: string,
  profile: Partial<Profile> & { url: string },
): Promise<string> {
  const { key, withheld } = await findProject(folder, profile)
  const advice = withheld && adviceOnce(withheld)
  if (advice) warn(`${withheld.folder}: ${advice}`)
  return key
}
