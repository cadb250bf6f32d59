import { homedir } from 'node:os'
import { join } from 'node:path'
import { userDataFolder } from '../../core/user-folders.ts'

/** The folder of our settings: the profile, and what was connected. */
export const settingsFolder = (): string =>
  process.env.KVAULT_HOME || join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'kvault')

/** The folder of the permanent copy of this command. */
export const ownDataFolder = (): string => userDataFolder('kvault', process.env, homedir())
