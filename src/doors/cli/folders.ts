import { dirname, join } from 'node:path'
import { homeFolder, userDataFolder } from '../../core/user-folders.ts'

/** The folder of our settings: the profile, and what was connected. */
export const settingsFolder = (): string =>
  process.env.KVAULT_HOME || join(process.env.XDG_CONFIG_HOME || join(homeFolder(), '.config'), 'kvault')

/** The folder of the permanent copy of this command. */
export const ownDataFolder = (): string => userDataFolder('kvault', process.env, homeFolder())

/**
 * Where programs are started from. Windows looks for a program in the folder it is started from before it looks into PATH,
 * and a stranger's repository may contain a `git.exe`.
 */
export const trustedFolder = (): string => dirname(process.execPath)
