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

/** May come from a stranger, so it can only name the project or a workspace and switch things off. */
export type ProjectFile = {
  projectKey?: string
  keyFile?: string
  workspaceId?: string
  workspaceFile?: string
  off: string[]
  /** Unreadable files: their switches are unknown, so everything is off. */
  unreadable: string[]
}

const MAX_FOLDERS = 64
const MAX_NAME_LENGTH = 1000
const MAX_SWITCHES = 100

/** The key of a person's own preferences, which no repository may name. */
const RESERVED = /^\s{0,10}__user__/i

const nameIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_NAME_LENGTH && !RESERVED.test(value)
    ? value
    : undefined

const switchesIn = (hooks: unknown): string[] => {
  if (hooks === false || hooks === 'off') return ['all']
  const off = typeof hooks === 'object' && hooks !== null && 'off' in hooks ? hooks.off : undefined
  if (off === true) return ['all']
  return Array.isArray(off) ? off.slice(0, MAX_SWITCHES).filter((item) => typeof item === 'string') : []
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

export function readProjectFiles(folder: string): ProjectFile {
  const merged: ProjectFile = { off: [], unreadable: [] }
  let [at, left] = [folder, MAX_FOLDERS]
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

// Loaded on demand, for a fast start of hooks.
const require = createRequire(import.meta.url)
const processes = (): typeof import('node:child_process') => require('node:child_process')
const crypto = (): typeof import('node:crypto') => require('node:crypto')

type GitCall = { args: string[]; options: { cwd: string; env: NodeJS.ProcessEnv } }

const gitCall = (folder: string, args: string[]): GitCall => ({
  args: ['-C', resolve(folder), ...args],
  options: { cwd: trustedFolder(), env: gitVariables() },
})

function git(folder: string, ...args: string[]): string | undefined {
  try {
    const call = gitCall(folder, args)
    const answer = processes().execFileSync('git', call.args, {
      ...call.options,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return answer.toString().trim() || undefined
  } catch {
    return undefined
  }
}

/** The workspace that a project names for its cards, and the file that names it. */
export type ProjectHome = { id: string; file: string }

/** Returns the home of a project's cards; throws in doubt, so that no card goes to the wrong workspace. */
export function homeOf(folder: string): ProjectHome | undefined {
  const { workspaceId, workspaceFile, unreadable } = readProjectFiles(folder)
  if (workspaceId !== undefined && !isUuid(workspaceId))
    throw new CommandError(
      `${workspaceFile}: workspace_id is the id of a workspace, not "${workspaceId}".`,
      EXIT.usage,
    )
  // All paths are ancestors of one folder, so the longer path is nearer.
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

/** Adds the file's name to an error about a missing workspace, because the person may not know it. */
export function withFileOfHome(error: unknown, { id, file }: ProjectHome): unknown {
  if (!(error instanceof Refusal && ['not_found', 'forbidden'].includes(error.code ?? ''))) return error
  return new CommandError(
    `Nothing was recorded. ${file} sends new cards to the workspace ${id}, and the vault refused: ${error.message} Correct the file, or name the workspace of the card yourself.`,
    error.exitCode,
  )
}

/** Returns a one-time name for a folder whose name cannot be stored. */
export const passingName = (): string => `folder-${crypto().randomUUID()}`
export const isPassingName = (key: string): boolean => key.startsWith('folder-')

const namesFolder = (): string => join(settingsFolder(), 'folders')

const folderHash = (folder: string): string =>
  crypto().createHash('sha256').update(folder).digest('hex').slice(0, 32)

const nameFile = (folder: string): string => join(namesFolder(), folderHash(folder))

const nameKeptIn = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

export function keptNames(): string[] {
  try {
    return readdirSync(namesFolder()).flatMap((name) => nameKeptIn(join(namesFolder(), name)) ?? [])
  } catch {
    return []
  }
}

/** Returns a folder's random name, created on first use; two programs at once get the same one. */
function keptName(folder: string): string {
  const [names, file] = [namesFolder(), nameFile(folder)]
  const draft = `${file}.${process.pid}`
  const kept = nameKeptIn(file)
  if (kept !== undefined) return kept
  try {
    mkdirSync(names, { recursive: true, mode: 0o700 })
    writeFileSync(draft, passingName(), { mode: 0o600 })
    try {
      // A link fails if another program has already created the file.
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

/** User and password in a remote's address; a password may contain `@`. */
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/i
/** Query and fragment, which may carry a token. In a path without a scheme, `#` is an ordinary character. */
const QUERY_AND_FRAGMENT = /^([a-z][a-z0-9+.-]*:\/\/[^?#]*)[?#].*$/is

/** Removes credentials from a remote. The user of `git@host:path` stays: that form has no password. */
const withoutSecrets = (remote: string): string =>
  remote.replace(CREDENTIALS, '$1').replace(QUERY_AND_FRAGMENT, '$1')

/** A relative remote such as `../repo.git` means another repository in another folder. */
const RELATIVE = /^\.{1,2}(?:[/\\]|$)/

const REMOTES = ['remote', '--verbose']
/** A line of git's list of remotes; a partial clone has its filter at the end. */
const FETCHED_REMOTE = /^([^\t\n]+)\t(.+) \(fetch\)(?: \[[^\]\n]*\])?\r?$/gm

/** Returns `origin`, or the only remote if it has another name (`git clone -o`, `clone.defaultRemoteName`). */
function remoteIn(list: string): string | undefined {
  const remotes = [...list.matchAll(FETCHED_REMOTE)].map(([, name, url]) => ({ name, url }))
  const chosen =
    remotes.find(({ name }) => name === 'origin') ?? (remotes.length === 1 ? remotes[0] : undefined)
  return chosen?.url
}

function keyOfRemote(remote: string | undefined, folder: string): string | undefined {
  return remote && withoutSecrets(RELATIVE.test(remote) ? resolve(rootOf(folder), remote) : remote)
}

const remoteOf = (folder: string): string | undefined => remoteIn(git(folder, ...REMOTES) ?? '')

/** Returns a checkout's remote, the project's name on every machine. */
export const remoteKey = (folder: string): string | undefined => keyOfRemote(remoteOf(folder), folder)

/** Returns what `remoteKey` does. A hook loads the rules of redaction meanwhile. */
export function findRemoteKey(folder: string): Promise<string | undefined> {
  return new Promise((found, fail) => {
    const { args, options } = gitCall(folder, REMOTES)
    processes().execFile('git', args, options, (_, list) => {
      try {
        found(keyOfRemote(remoteIn(list), folder))
      } catch (error) {
        fail(error)
      }
    })
  })
}

/** Random, so that folders of the same name do not share memory. */
export const ownKey = (folder: string): string => keptName(rootOf(folder))

export const keptNameOf = (folder: string): string | undefined => nameKeptIn(nameFile(rootOf(folder)))

/** Returns the folder that carries the name: a checkout without a remote and its worktrees are one project. */
function rootOf(folder: string): string {
  const [top, shared] = git(folder, 'rev-parse', '--show-toplevel', '--git-common-dir')?.split(/\r?\n/) ?? []
  const store = shared && resolve(folder, shared)
  // A submodule is a project of its own, though its git store lies inside another repository.
  return realpathSync(store && basename(store) === '.git' ? dirname(store) : (top ?? folder))
}

/** Advises a folder named only by its path, because a rename would lose its memory. */
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

export function nameInProject(file: string, folder: string | undefined): string {
  if (!isAbsolute(file)) return file
  const inside = folder === undefined ? '..' : relative(folder, file)
  const isOutside = inside.startsWith('..') || isAbsolute(inside)
  return (isOutside ? (file.split(/[\\/]/).at(-1) ?? file) : inside).replaceAll('\\', '/')
}
