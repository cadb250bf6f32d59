import { homedir } from 'node:os'
import { join } from 'node:path'
import { userDataFolder } from '../../core/user-folders.ts'

/** Where this person's settings of ours lie: the profile and what was connected. */
export const settingsFolder = (): string =>
  process.env.KVAULT_HOME || join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'kvault')

/** Where the lasting copy of this command lies. */
export const ownDataFolder = (): string => userDataFolder('kvault', process.env, homedir())
