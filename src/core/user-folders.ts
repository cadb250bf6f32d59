import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

export type Variables = Record<string, string | undefined>

/**
 * The person's own folder. With an empty HOME, Node names an empty path, and settings would be read from the working
 * folder, which may be a stranger's repository.
 */
export const homeFolder = (): string => homedir() || userInfo().homedir

/** A folder that a variable of the XDG rules names. By these rules a relative path is none: it would change with every `cd`. */
export const xdgFolder = (named: string | undefined, standard: string): string =>
  named && isAbsolute(named) ? named : standard

/** Where programs keep what they make, by the habits of each system. */
export function userDataFolder(
  program: string,
  env: Variables,
  home: string,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', program)
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), program)
  return join(xdgFolder(env.XDG_DATA_HOME, join(home, '.local', 'share')), program)
}
