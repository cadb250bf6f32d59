import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const PROJECT_FILE = '.kvault.json'

/**
 * What a `.kvault.json` may contain. It may come from a stranger's repository, so it can only name the project and
 * switch things off. Everything else is ignored: no address of a vault, no key, nothing that switches something on.
 */
export type ProjectFile = { projectKey?: string; workspaceId?: string; off: string[] }

const LARGEST_FILE = 64 * 1024
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

function readOne(folder: string): ProjectFile | undefined {
  try {
    const file = join(folder, PROJECT_FILE)
    const found = statSync(file, { throwIfNoEntry: false })
    if (!found?.isFile() || found.size > LARGEST_FILE) return undefined
    const { project_key, workspace_id, hooks } = JSON.parse(readFileSync(file, 'utf8')) ?? {}
    const [projectKey, workspaceId] = [nameIn(project_key), nameIn(workspace_id)]
    return {
      off: switchesIn(hooks),
      ...(projectKey ? { projectKey } : {}),
      ...(workspaceId ? { workspaceId } : {}),
    }
  } catch {
    return undefined
  }
}

/** The files of the folder and those above it. The nearest one names the project; each may switch off more. */
export function readProjectFiles(folder: string): ProjectFile {
  const merged: ProjectFile = { off: [] }
  let [at, left] = [folder, MOST_FOLDERS]
  for (; left > 0; left--) {
    const { off = [], ...names } = readOne(at) ?? {}
    Object.assign(merged, { ...names, ...merged, off: [...merged.off, ...off] })
    const above = dirname(at)
    if (above === at) break
    at = above
  }
  return merged
}
