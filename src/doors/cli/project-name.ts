import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { homeFolder } from '../../core/user-folders.ts'
import { CommandError, EXIT, Refusal } from './exit-codes.ts'
import {
  gitVariables,
  isUuid,
  KVAULT,
  settingsFolder,
  settingsIn,
  trustedFolder,
  unreadableText,
} from './local-files.ts'

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

// Loaded on demand: a hook that already knows its project starts faster without them.
const require = createRequire(import.meta.url)
const processes = (): typeof import('node:child_process') => require('node:child_process')
const crypto = (): typeof import('node:crypto') => require('node:crypto')

function git(folder: string, ...args: string[]): string | undefined {
  try {
    const answer = processes().execFileSync('git', ['-C', resolve(folder), ...args], {
      cwd: trustedFolder(),
      env: gitVariables(),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return answer.toString().trim() || undefined
  } catch {
    // No git, not a checkout, or one without a remote.
    return undefined
  }
}

/** The workspace that a project names for its cards, and the file that names it. */
export type ProjectHome = { id: string; file: string }

/** The home of a project's cards. In doubt no card is recorded in the wrong place. */
export function homeOf(folder: string): ProjectHome | undefined {
  const { workspaceId, workspaceFile, unreadable } = readProjectFiles(folder)
  if (workspaceId !== undefined && !isUuid(workspaceId))
    throw new CommandError(
      `${workspaceFile}: workspace_id is the id of a workspace, not "${workspaceId}".`,
      EXIT.usage,
    )
  // All of them are on one way up, so a longer path is nearer and would have decided.
  const nearer = unreadable.filter((file) => file.length > (workspaceFile?.length ?? 0))
  if (nearer.length > 0)
    throw new CommandError(
      `${nearer.map(unreadableText).join('; ')}, so it is unknown where the card belongs. Repair the file, or name the workspace of the card.`,
      EXIT.usage,
    )
  return workspaceId === undefined || workspaceFile === undefined
    ? undefined
    : { id: workspaceId, file: workspaceFile }
}

/** The person may not know which file names a workspace that is gone, or that they have left. Other errors stay. */
export function withFileOfHome(error: unknown, { id, file }: ProjectHome): unknown {
  if (!(error instanceof Refusal && ['not_found', 'forbidden'].includes(error.code ?? ''))) return error
  return new CommandError(
    `Nothing was recorded. ${file} sends new cards to the workspace ${id}, and the vault refused: ${error.message} Correct the file, or name the workspace of the card yourself.`,
    error.exitCode,
  )
}

/** For a folder that has no name, and whose name cannot be kept either. */
export const passingName = (): string => `folder-${crypto().randomUUID()}`

const namesFolder = (): string => join(settingsFolder(), 'folders')

/** The name of the file in which something about a folder is kept. */
export const folderHash = (folder: string): string =>
  crypto().createHash('sha256').update(folder).digest('hex').slice(0, 32)

const nameFile = (folder: string): string => join(namesFolder(), folderHash(folder))

const nameKeptIn = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** The random names of all folders here. */
export function keptNames(): string[] {
  try {
    return readdirSync(namesFolder()).flatMap((name) => nameKeptIn(join(namesFolder(), name)) ?? [])
  } catch {
    return []
  }
}

/** The random name of a folder, made on first use. Two programs that ask at once get the same. */
function keptName(folder: string): string {
  const [names, file] = [namesFolder(), nameFile(folder)]
  const draft = `${file}.${process.pid}`
  const kept = nameKeptIn(file)
  if (kept !== undefined) return kept
  try {
    mkdirSync(names, { recursive: true, mode: 0o700 })
    writeFileSync(draft, passingName(), { mode: 0o600 })
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
      `${folder} has no remote, and a name for it cannot be kept in ${names} (${error instanceof Error ? error.message : error}). Name it: write {"project_key": "…"} into ${PROJECT_FILE}.`,
    )
  }
}

/** User and password in the address of a remote; a password may contain `@`. */
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/i
/** They may carry a token. In a path, `#` is a letter as any other. */
const QUERY_AND_FRAGMENT = /^([a-z][a-z0-9+.-]*:\/\/[^?#]*)[?#].*$/is

/** The vault reads both spellings as one project. The user of `git@host:path` stays: that form has no password. */
const withoutSecrets = (remote: string): string =>
  remote.replace(CREDENTIALS, '$1').replace(QUERY_AND_FRAGMENT, '$1')

/** `../repo.git` says where it is only together with the folder: the same words elsewhere are another repository. */
const RELATIVE = /^\.{1,2}(?:[/\\]|$)/

/** `origin`, or the only remote if it is called otherwise (`git clone -o`, `clone.defaultRemoteName`). */
function remoteOf(folder: string): string | undefined {
  const origin = git(folder, 'remote', 'get-url', 'origin')
  if (origin) return origin
  const [only, ...others] = git(folder, 'remote')?.split(/\r?\n/) ?? []
  return only && others.length === 0 ? git(folder, 'remote', 'get-url', '--', only) : undefined
}

/** The remote of a checkout, which is the project's name everywhere. */
export function remoteKey(folder: string): string | undefined {
  const remote = remoteOf(folder)
  return remote && withoutSecrets(RELATIVE.test(remote) ? resolve(rootOf(folder), remote) : remote)
}

/**
 * The random name of a folder without a remote: two folders that happen to be called alike must not share their memory.
 * Which name in a `.kvault.json` comes before it: `findProject`.
 */
export const ownKey = (folder: string): string => keptName(rootOf(folder))

/** That name, where the folder has one already. */
export const keptNameOf = (folder: string): string | undefined => nameKeptIn(nameFile(rootOf(folder)))

/** The folder that has a name: all of a checkout without a remote is one project, with the worktrees that belong to it. */
function rootOf(folder: string): string {
  const [top, shared] = git(folder, 'rev-parse', '--show-toplevel', '--git-common-dir')?.split(/\r?\n/) ?? []
  const store = shared && resolve(folder, shared)
  // A submodule has its store inside that of another repository, and is a project of its own.
  return realpathSync(store && basename(store) === '.git' ? dirname(store) : (top ?? folder))
}

/**
 * How to keep the memory of a folder that only its path names: it would be lost with the next rename. Undefined for any
 * other folder, for one in which nothing has happened yet, and for the home folder: the file would make one project of all
 * folders below it that have no name.
 */
export function keepingAdvice(folder: string): string | undefined {
  if (readProjectFiles(folder).projectKey || remoteOf(folder)) return undefined
  const root = rootOf(folder)
  if (existsSync(homeFolder()) && realpathSync(homeFolder()) === root) return undefined
  const name = nameKeptIn(nameFile(root))
  return (
    name &&
    `Before you move it: write {"project_key": "${name}"} into ${join(root, PROJECT_FILE)}, and after it run ${KVAULT} allow-project there`
  )
}

/**
 * The relative path of a file inside the project; only the name of any other file. Nothing else about a person's
 * folders leaves the machine.
 */
export function nameInProject(file: string, folder: string | undefined): string {
  if (!isAbsolute(file)) return file
  const inside = folder === undefined ? '..' : relative(folder, file)
  const isOutside = inside.startsWith('..') || isAbsolute(inside)
  return (isOutside ? (file.split(/[\\/]/).at(-1) ?? file) : inside).replaceAll('\\', '/')
}
