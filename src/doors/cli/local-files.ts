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

/** Returns a path in the settings folder of terminal programs, the same on every system. */
export const dotConfig = (...parts: string[]): string =>
  join(xdgFolder(process.env.XDG_CONFIG_HOME, join(homeFolder(), '.config')), ...parts)

export const settingsFolder = (): string => process.env.KVAULT_HOME || dotConfig('kvault')

export const ownDataFolder = (): string => userDataFolder('kvault', process.env, homeFolder())

/** Windows looks in the current folder before PATH, and a stranger's repository may hold a `git.exe`. */
export const trustedFolder = (): string => dirname(process.execPath)

/** Git sets these variables inside its hooks; with them, any folder would count as that repository. */
const OF_A_GIT_HOOK = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_PREFIX',
]

/** Returns the environment for git without the variables of a git hook. */
export const gitVariables = (): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries(OF_A_GIT_HOOK.map((name) => [name, undefined])),
})

const isLink = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

/** Returns a symbolic link's target, even if missing: the target is changed, the link stays. */
export function behindLink(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  return isLink(file) ? resolve(realpathSync(dirname(file)), readlinkSync(file)) : file
}

function dropDraft(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The first error is more useful.
  }
}

/** A single file mounted into a container cannot be replaced, so it is overwritten. */
function moveOver(fresh: string, target: string, text: string): void {
  try {
    renameSync(fresh, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
    writeFileSync(target, text)
    rmSync(fresh)
  }
}

/** Replaces a file atomically: a full disk keeps the old text. The folder must exist. */
export function replaceFile(target: string, text: string, mode: number): void {
  const fresh = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`)
  try {
    writeFileSync(fresh, text, { mode })
    chmodSync(fresh, mode)
    moveOver(fresh, target, text)
  } catch (error) {
    dropDraft(fresh)
    throw Object.assign(error as Error, { path: target, dest: undefined })
  }
}

/** Settings files may have comments and trailing commas, or be empty. */
export const LENIENT = { allowTrailingComma: true, allowEmptyContent: true }

/** Byte order mark of Windows editors. Our parsers need text without it; a written file keeps it. */
const MARK = '\uFEFF'

export const withoutMark = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text)

export const belowMark = (text: string, edit: (plain: string) => string): string =>
  text.startsWith(MARK) ? MARK + edit(text.slice(1)) : edit(text)

type JsonObject = Record<string, unknown>

/** Parses a settings file; an empty file gives an empty object. */
export function readObject(text: string): JsonObject | 'not JSON' | 'no object' {
  const errors: ParseError[] = []
  const value: unknown = parse(withoutMark(text), errors, LENIENT)
  if (errors.length > 0) return 'not JSON'
  if (value === undefined) return {}
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : 'no object'
}

const MAX_FILE_BYTES = 64 * 1024

export const unreadableText = (file: string): string =>
  `${file} cannot be read as a JSON object of at most ${MAX_FILE_BYTES / 1024} KB`

/** Returns a settings file; undefined if missing, null if unreadable. */
export function settingsIn(file: string): JsonObject | undefined | null {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    if (!found?.isFile()) return undefined
    if (found.size > MAX_FILE_BYTES) return null
    const settings = readObject(readFileSync(file, 'utf8'))
    return typeof settings === 'object' ? settings : null
  } catch {
    return null
  }
}

const HERE = fileURLToPath(import.meta.url)
/** Whether this runs from the bundled package; the server and the checkout have other file names. */
const IS_PACKAGE = ['cli.js', 'hook.js'].includes(basename(HERE))
const PARTS = [
  'package.json',
  'kvault.js',
  'cli.js',
  'hook.js',
  'hook-before.js',
  'hook-later.js',
  'hook-outgoing.js',
]

const copyFolder = () => join(ownDataFolder(), 'cli')

/** Returns the permanent program: npm may delete a copy in the npx cache at any time. */
function lastingProgram(): string {
  if (IS_PACKAGE) return join(copyFolder(), 'kvault.js')
  const root = join(dirname(HERE), '..', '..', '..')
  const ofCheckout = join(root, 'bin', 'kvault.js')
  // The server package contains the built command.
  return existsSync(ofCheckout) ? ofCheckout : join(root, 'packages', 'cli', 'kvault.js')
}

/** Returns the command with full paths: clients and hooks lack a shell's PATH. */
export const ownCommand = (...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [lastingProgram(), ...args],
})

/** Returns the command of the hook before a tool: in the package a program of its own, because it starts so often. */
export function ownHookBefore(...args: string[]): { command: string; args: string[] } {
  const { command, args: all } = ownCommand('hook', ...args)
  return { command, args: IS_PACKAGE ? [join(copyFolder(), 'hook-before.js'), ...all.slice(1)] : all }
}

/** Replaces each part atomically, because hooks may start at any moment. */
export function keepOwnCopy(): void {
  if (!IS_PACKAGE || dirname(HERE) === copyFolder()) return
  mkdirSync(copyFolder(), { recursive: true, mode: 0o755 })
  for (const part of PARTS)
    replaceFile(join(copyFolder(), part), readFileSync(join(dirname(HERE), part), 'utf8'), 0o644)
}

/** Returns the vault that served this package, if any. */
export function vaultOfPackage(): string | undefined {
  if (!IS_PACKAGE) return undefined
  try {
    const { vault } = JSON.parse(readFileSync(join(dirname(HERE), 'package.json'), 'utf8'))
    return typeof vault === 'string' ? vault : undefined
  } catch {
    return undefined
  }
}

/** Returns the npx cache folder of this package, if npx started it. */
export function npxFolder(): string | undefined {
  const parts = HERE.split(sep)
  const at = parts.lastIndexOf('_npx')
  return at < 0 ? undefined : parts.slice(0, at + 2).join(sep)
}

/** The command as messages name it: npx installs no `kvault`, so its full call is shown. */
export const KVAULT = npxFolder() && vaultOfPackage() ? `npx -y ${vaultOfPackage()}/kvault.tgz` : 'kvault'

export function versionOfCopy(): string | undefined {
  try {
    return JSON.parse(readFileSync(join(copyFolder(), 'package.json'), 'utf8')).version
  } catch {
    return undefined
  }
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Whether a text has the form of a vault id. The service's schemas would load too slowly. */
export const isUuid = (text: string): boolean => UUID.test(text)
