import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ParseError, parse } from 'jsonc-parser'
import { homeFolder, userDataFolder, xdgFolder } from '../../core/user-folders.ts'

/** Where programs of the terminal keep their settings, on every system. */
export const dotConfig = (...parts: string[]): string =>
  join(xdgFolder(process.env.XDG_CONFIG_HOME, join(homeFolder(), '.config')), ...parts)

/** The folder of our settings: the profile, and what was connected. */
export const settingsFolder = (): string => process.env.KVAULT_HOME || dotConfig('kvault')

/** The folder of the permanent copy of this command. */
export const ownDataFolder = (): string => userDataFolder('kvault', process.env, homeFolder())

/**
 * Where programs are started from. Windows looks for a program in the folder it is started from before it looks into PATH,
 * and a stranger's repository may contain a `git.exe`.
 */
export const trustedFolder = (): string => dirname(process.execPath)

/** Inside its own hooks git names a repository by these, and with them any folder would be that repository. */
const OF_A_GIT_HOOK = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_PREFIX',
]

/** The variables for a git that is asked about a folder. */
export const gitVariables = (): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries(OF_A_GIT_HOOK.map((name) => [name, undefined])),
})

const isLink = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

/** The target of a symbolic link is changed; the link itself stays, also one whose target is not there yet. */
export function behindLink(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  return isLink(file) ? resolve(realpathSync(dirname(file)), readlinkSync(file)) : file
}

/** Where nothing could be written there may be nothing to delete either. */
function dropDraft(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The first error says more.
  }
}

/** A container may have the one file from outside: nothing can take its place, so it is written as it stands. */
function moveOver(fresh: string, target: string, text: string): void {
  try {
    renameSync(fresh, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
    writeFileSync(target, text)
    rmSync(fresh)
  }
}

/**
 * Replaces a file atomically: who reads it now gets the old text or the new one, and a full disk leaves the old one. Its
 * folder must be there.
 */
export function replaceFile(target: string, text: string, mode: number): void {
  const fresh = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`)
  try {
    writeFileSync(fresh, text, { mode })
    chmodSync(fresh, mode)
    moveOver(fresh, target, text)
  } catch (error) {
    dropDraft(fresh)
    // The person knows the file, not its draft.
    throw Object.assign(error as Error, { path: target, dest: undefined })
  }
}

/** People write comments and trailing commas into settings, and editors save an empty file. */
export const LENIENT = { allowTrailingComma: true, allowEmptyContent: true }

/** The byte order mark of Windows editors. Our parsers need the text without it; a file that is written keeps it. */
const MARK = '\uFEFF'

export const withoutMark = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text)

export const belowMark = (text: string, edit: (plain: string) => string): string =>
  text.startsWith(MARK) ? MARK + edit(text.slice(1)) : edit(text)

type JsonObject = Record<string, unknown>

/** What a file of settings says: an object, which is empty for an empty file; otherwise what is wrong with it. */
export function readObject(text: string): JsonObject | 'not JSON' | 'no object' {
  const errors: ParseError[] = []
  const value: unknown = parse(withoutMark(text), errors, LENIENT)
  if (errors.length > 0) return 'not JSON'
  if (value === undefined) return {}
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : 'no object'
}

const LARGEST_FILE = 64 * 1024

/** For a person: what is wrong with such a file. */
export const unreadableText = (file: string): string =>
  `${file} cannot be read as a JSON object of at most ${LARGEST_FILE / 1024} KB`

/** What a small file that people edit says; undefined where there is none, null where it cannot be read. */
export function settingsIn(file: string): JsonObject | undefined | null {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    if (!found?.isFile()) return undefined
    if (found.size > LARGEST_FILE) return null
    const settings = readObject(readFileSync(file, 'utf8'))
    return typeof settings === 'object' ? settings : null
  } catch {
    return null
  }
}

const HERE = fileURLToPath(import.meta.url)
/** The package of the command is bundled; the server and the checkout have this file by its own name. */
const IS_PACKAGE = ['cli.js', 'hook.js'].includes(basename(HERE))
const PARTS = ['package.json', 'kvault.js', 'cli.js', 'hook.js', 'hook-later.js', 'hook-outgoing.js']

const copyFolder = () => join(ownDataFolder(), 'cli')

/** A permanent copy. The running one may be in the cache of npx, which npm can delete at any time. */
function lastingProgram(): string {
  if (IS_PACKAGE) return join(copyFolder(), 'kvault.js')
  const root = join(dirname(HERE), '..', '..', '..')
  const ofCheckout = join(root, 'bin', 'kvault.js')
  // The server's package contains the built command.
  return existsSync(ofCheckout) ? ofCheckout : join(root, 'packages', 'cli', 'kvault.js')
}

/** For clients and hooks that start the command themselves: full paths, because they have no PATH of a shell. */
export const ownCommand = (...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [lastingProgram(), ...args],
})

/** Hooks start the copy at any moment, so each part is replaced as a whole. Nobody else may write what they execute. */
export function keepOwnCopy(): void {
  if (!IS_PACKAGE || dirname(HERE) === copyFolder()) return
  mkdirSync(copyFolder(), { recursive: true, mode: 0o755 })
  for (const part of PARTS)
    replaceFile(join(copyFolder(), part), readFileSync(join(dirname(HERE), part), 'utf8'), 0o644)
}

/** The vault that handed out this package, if one did. */
export function vaultOfPackage(): string | undefined {
  if (!IS_PACKAGE) return undefined
  try {
    const { vault } = JSON.parse(readFileSync(join(dirname(HERE), 'package.json'), 'utf8'))
    return typeof vault === 'string' ? vault : undefined
  } catch {
    return undefined
  }
}

/** What npx keeps for the address of this package, if it has started it. */
export function npxFolder(): string | undefined {
  const parts = HERE.split(sep)
  const at = parts.lastIndexOf('_npx')
  return at < 0 ? undefined : parts.slice(0, at + 2).join(sep)
}

/** How messages name this command: npx leaves no `kvault` behind, so there it is the call that the vault hands out. */
export const KVAULT = npxFolder() && vaultOfPackage() ? `npx -y ${vaultOfPackage()}/kvault.tgz` : 'kvault'

/** The version of the permanent copy, if there is one. */
export function versionOfCopy(): string | undefined {
  try {
    return JSON.parse(readFileSync(join(copyFolder(), 'package.json'), 'utf8')).version
  } catch {
    return undefined
  }
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** The form of every id of the vault. The schemas of the service would take too long to load for this. */
export const isUuid = (text: string): boolean => UUID.test(text)
