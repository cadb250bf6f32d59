import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readGoMod, readGoSum } from './go.ts'
import { readGradleLock, readPom } from './java.ts'
import { readPackageLock } from './npm.ts'
import { readPnpmLock } from './pnpm.ts'
import { readRequirements } from './requirements.ts'
import { readEngines, readNodeVersion, readPythonVersion, readRustToolchain } from './runtimes.ts'
import { readCargoLock, readPythonLock } from './toml-packages.ts'
import { type ReadVersions, UnreadableFile } from './versions.ts'
import { readYarnLock } from './yarn.ts'

/** If two files of a folder name the same package, the upper one of this list wins. */
const READERS: readonly (readonly [string, ReadVersions])[] = [
  ['package-lock.json', readPackageLock],
  ['npm-shrinkwrap.json', readPackageLock],
  ['pnpm-lock.yaml', readPnpmLock],
  ['yarn.lock', readYarnLock],
  ['uv.lock', readPythonLock],
  ['poetry.lock', readPythonLock],
  ['requirements.txt', readRequirements],
  ['Cargo.lock', readCargoLock],
  ['go.mod', readGoMod],
  ['go.sum', readGoSum],
  ['pom.xml', readPom],
  ['gradle.lockfile', readGradleLock],
  ['.nvmrc', readNodeVersion],
  ['.node-version', readNodeVersion],
  ['package.json', readEngines],
  ['.python-version', readPythonVersion],
  ['rust-toolchain.toml', readRustToolchain],
  ['rust-toolchain', readRustToolchain],
]

const LARGEST_FILE = 64 * 1024 * 1024
const MOST_FOLDERS = 200

export type Locked = {
  /** `npm:fastify` → its versions, that of the current folder first. */
  versions: Map<string, string[]>
  /** The files that were read, as paths relative to the folder. */
  files: string[]
  passedOver: { file: string; reason: string }[]
}

const SKIPPED = /^(?:\.|node_modules$|vendor$|dist$|build$|target$)/
/** Folders whose folders are the workspaces. */
const HOLDERS = /^(?:packages|apps|services|crates|libs|modules)$/

function foldersIn(folder: string): string[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
  return entries
    .filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name))
    .map((entry) => entry.name)
    .sort()
}

/** The folder and one level of workspaces: `web`, and `packages/web` as well. */
function workspacesOf(root: string): string[] {
  const below = foldersIn(root).flatMap((name) => [
    join(root, name),
    ...(HOLDERS.test(name) ? foldersIn(join(root, name)).map((inner) => join(root, name, inner)) : []),
  ])
  return [root, ...below].slice(0, MOST_FOLDERS)
}

/** Undefined where there is no such file. */
function readText(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) return undefined
  if (found.size > LARGEST_FILE) throw new UnreadableFile('is larger than 64 MB')
  return readFileSync(file, 'utf8')
}

function mustBeText(text: string): void {
  if (text.includes('\0')) throw new UnreadableFile('is not a text file')
  if (/^<<<<<<< /m.test(text)) throw new UnreadableFile('has unresolved merge conflicts')
}

const reasonOf = (error: unknown): string => {
  if (error instanceof UnreadableFile) return error.message
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return `cannot be read${code}`
}

function readFolder(folder: string, root: string, into: Locked): Map<string, string> {
  const found = new Map<string, string>()
  const beside = (name: string) => {
    try {
      return readText(join(folder, name))
    } catch {
      return undefined
    }
  }
  for (const [name, read] of READERS) {
    const file = relative(root, join(folder, name)).replaceAll('\\', '/')
    try {
      const text = readText(join(folder, name))
      if (text === undefined) continue
      mustBeText(text)
      const versions = read(text.replace(/^\uFEFF/, ''), beside)
      for (const [key, version] of versions) if (!found.has(key)) found.set(key, version)
      if (versions.size > 0) into.files.push(file)
    } catch (error) {
      into.passedOver.push({ file, reason: reasonOf(error) })
    }
  }
  return found
}

/**
 * The versions in the lock files of a checkout and its workspaces, beginning with the current folder. A broken file is
 * skipped and named.
 */
export function readLocked(root: string, folder = root): Locked {
  const locked: Locked = { versions: new Map(), files: [], passedOver: [] }
  for (const each of new Set([folder, ...workspacesOf(root)]))
    for (const [key, version] of readFolder(each, root, locked)) {
      const versions = locked.versions.get(key) ?? []
      if (!versions.includes(version)) locked.versions.set(key, [...versions, version])
    }
  return locked
}
