import { dirname, join } from 'node:path'
import { settingsIn } from './settings-file.ts'

export const PROJECT_FILE = '.kvault.json'

/**
 * What a `.kvault.json` may contain. It may come from a stranger's repository, so it can only name the project, name a
 * workspace for new cards, and switch things off. Everything else is ignored: no address of a vault, no key, nothing
 * that switches something on.
 */
export type ProjectFile = {
  projectKey?: string
  /** The file that names the project. */
  keyFile?: string
  workspaceId?: string
  /** The file that names the workspace. */
  workspaceFile?: string
  off: string[]
  /** Files that are there but cannot be read. What they switch off is unknown, so everything is off. */
  unreadable: string[]
}

const MOST_FOLDERS = 64
const LONGEST_NAME = 1000
const MOST_SWITCHES = 100

/** The key of a person's own preferences belongs to no repository. */
const RESERVED = /^\s{0,10}__user__/i

const nameIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_NAME && !RESERVED.test(value)
    ? value
    : undefined

const switchesIn = (hooks: unknown): string[] => {
  if (hooks === false || hooks === 'off') return ['all']
  const off = typeof hooks === 'object' && hooks !== null && 'off' in hooks ? hooks.off : undefined
  if (off === true) return ['all']
  return Array.isArray(off) ? off.slice(0, MOST_SWITCHES).filter((item) => typeof item === 'string') : []
}

function readOne(folder: string): ProjectFile {
  const file = join(folder, PROJECT_FILE)
  const settings = settingsIn(file)
  if (settings === null) return { off: ['all'], unreadable: [file] }
  const { project_key, workspace_id, hooks } = settings ?? {}
  const [projectKey, workspaceId] = [nameIn(project_key), nameIn(workspace_id)]
  return {
    off: switchesIn(hooks),
    unreadable: [],
    ...(projectKey ? { projectKey, keyFile: file } : {}),
    ...(workspaceId ? { workspaceId, workspaceFile: file } : {}),
  }
}

/** The files of the folder and those above it. The nearest one names the project; each may switch off more. */
export function readProjectFiles(folder: string): ProjectFile {
  const merged: ProjectFile = { off: [], unreadable: [] }
  let [at, left] = [folder, MOST_FOLDERS]
  for (; left > 0; left--) {
    const { off, unreadable, ...names } = readOne(at)
    Object.assign(merged, {
      ...names,
      ...merged,
      off: [...merged.off, ...off],
      unreadable: [...merged.unreadable, ...unreadable],
    })
    const above = dirname(at)
    if (above === at) break
    at = above
  }
  return merged
}
