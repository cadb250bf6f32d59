import { dirname, join } from 'node:path'
import { homeFolder, userDataFolder, xdgFolder } from '../../core/user-folders.ts'

/** Where programs of the terminal keep their settings, on every system. */
export const dotConfig = (...parts: string[]): string =>
  join(xdgFolder(process.env.XDG_CONFIG_HOME, join(homeFolder(), '.config')), ...parts)

/** The folder of our settings: the profile, and what was connected. */
export const settingsFolder = (): string => process.env.KVAULT_HOME || dotConfig('kvault')

/** The folder of the permanent copy of this command. */
export const ownDataFolder = (): string => userDataFolder('kvault', process.env, homeFolder())

/**
 * Where programs are started from. Windows looks for a program in the folder it is started from before it looks into PATH,
 * and a stranger's repository may contain a `git.exe`.
 */
export const trustedFolder = (): string => dirname(process.execPath)

/** Inside its own hooks git names a repository by these, and with them any folder would be that repository. */
const OF_A_GIT_HOOK = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_PREFIX',
]

/** The variables for a git that is asked about a folder. */
export const gitVariables = (): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries(OF_A_GIT_HOOK.map((name) => [name, undefined])),
})
