import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

export type Variables = Record<string, string | undefined>

/** With an empty HOME, Node returns an empty path: a stranger could set the settings by a repository. */
export const homeFolder = (): string => homedir() || userInfo().homedir

/** Returns the folder of an XDG variable. A relative path is ignored, as XDG requires. */
export const xdgFolder = (named: string | undefined, standard: string): string =>
  named && isAbsolute(named) ? named : standard

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
