import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError } from './exit-codes.ts'
import { settingsFolder } from './folders.ts'

const NAME_FILE = '.kvault.json'

function git(folder: string, ...args: string[]): string | undefined {
  try {
    const answer = execFileSync('git', ['-C', folder, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
    return answer.toString().trim() || undefined
  } catch {
    // No git, not a checkout, or one without a remote.
    return undefined
  }
}

/** What a `.kvault.json` in the folder or above it says: `{"project_key": "…", "workspace_id": "…"}`. */
function written(folder: string, field: 'project_key' | 'workspace_id'): string | undefined {
  try {
    const value = JSON.parse(readFileSync(join(folder, NAME_FILE), 'utf8'))[field]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  } catch {
    // None here, or none that can be read.
  }
  const above = dirname(folder)
  return above === folder ? undefined : written(above, field)
}

/** The workspace that a project names as the home of its cards. */
export const workspaceOf = (folder: string): string | undefined => written(folder, 'workspace_id')

/** The random name of a folder, made when it is asked for first. Two programs that ask at once get the same. */
function keptName(folder: string): string {
  const names = join(settingsFolder(), 'folders')
  const file = join(names, createHash('sha256').update(folder).digest('hex').slice(0, 32))
  const draft = `${file}.${process.pid}`
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Not named yet.
  }
  try {
    mkdirSync(names, { recursive: true, mode: 0o700 })
    writeFileSync(draft, `folder-${randomUUID()}`, { mode: 0o600 })
    try {
      // A link never replaces what another program has put there meanwhile.
      linkSync(draft, file)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    } finally {
      rmSync(draft, { force: true })
    }
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(
      `${folder} has no remote, and a name for it cannot be kept in ${names} (${error instanceof Error ? error.message : error}). Name it: write {"project_key": "…"} into ${NAME_FILE}.`,
    )
  }
}

/**
 * The remote of the checkout is the project's name everywhere. A folder without one goes by `.kvault.json`, or by a random
 * name: two folders that happen to be called alike must not share their memory.
 */
export function projectKeyOf(folder: string): string {
  const remote = git(folder, 'remote', 'get-url', 'origin')
  if (remote) return remote
  const root = git(folder, 'rev-parse', '--show-toplevel') ?? folder
  return written(folder, 'project_key') ?? keptName(realpathSync(root))
}
