import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { compareVersions, readVersion, sameName } from '../../shared/cites.ts'

/** `npm:fastify` → `5.8.5`: the version that a folder's code gets. */
type Versions = Map<string, string>

/** Returns the text of another file in the same folder, or undefined. */
type Beside = (name: string) => string | undefined

export type ReadVersions = (text: string, beside: Beside) => Versions

/** The message completes a sentence that begins with the file's name. */
class UnreadableFile extends Error {}

export const versionKey = (ecosystem: string, name: string): string =>
  `${ecosystem}:${sameName(ecosystem, name)}`

const MAX_VERSION_LENGTH = 100

/** A direct dependency wins; only one word, as a stranger's file may contain a prompt injection. */
function putVersion(versions: Versions, ecosystem: string, name: string, version: string): void {
  const [word = ''] = version.trim().split(/\s/, 1)
  if (name !== '' && word.length <= MAX_VERSION_LENGTH && readVersion(word) !== null)
    versions.set(versionKey(ecosystem, name), word.replace(/^[vV=]+/, ''))
}

/** Keeps the highest version of a package. */
function putHighest(versions: Versions, ecosystem: string, name: string, version: string): void {
  const before = readVersion(versions.get(versionKey(ecosystem, name)) ?? '')
  const found = readVersion(version)
  if (found !== null && (before === null || compareVersions(found, before) > 0))
    putVersion(versions, ecosystem, name, version)
}

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readJson(text: string): Json {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UnreadableFile('is not JSON')
  }
  if (!isObject(value)) throw new UnreadableFile('is not a JSON object')
  return value
}

const linesOf = (text: string): string[] => text.replaceAll('\r\n', '\n').split('\n')

const unquoted = (text: string): string => text.replaceAll(/^["']|["']$/g, '')

const withoutComment = (line: string): string => (line.split('//')[0] ?? '').trim()

/** Yields the lines of go.mod, each with its directive: `require ( … )` equals many `require`. */
function* directivesOf(text: string): Generator<string> {
  let word: string | undefined
  for (const line of linesOf(text).map(withoutComment)) {
    if (line === ')') word = undefined
    else if (word !== undefined) yield `${word} ${line}`
    else if (/^\w+ ?\($/.test(line)) word = line.replace(/ ?\($/, '')
    else yield line
  }
}

/** Reads go.mod: modules, replaced ones by their replacement, and the Go version. */
export const readGoMod: ReadVersions = (text) => {
  const versions: Versions = new Map()
  const replaced: [string, string][] = []
  let isModule = false
  for (const directive of directivesOf(text)) {
    const words = directive.split(/\s+/)
    const [word, first = '', second = ''] = words
    if (word === 'module') isModule = true
    else if (word === 'go') putHighest(versions, 'runtime', 'go', first)
    else if (word === 'toolchain') putHighest(versions, 'runtime', 'go', first.replace(/^go/, ''))
    else if (word === 'require') putVersion(versions, 'go', first, second)
    // `replace a => b v1` and `replace a v1 => b v2`; a folder has no version.
    else if (word === 'replace') replaced.push([first, words[words.indexOf('=>') + 2] ?? ''])
  }
  if (!isModule) throw new UnreadableFile('names no module')
  for (const [name, version] of replaced) putVersion(versions, 'go', name, version)
  return versions
}

/** Reads go.sum: the highest version with listed code, for modules that go.mod leaves out. */
export const readGoSum: ReadVersions = (text) => {
  const versions: Versions = new Map()
  for (const line of linesOf(text)) {
    if (line.trim() === '') continue
    const [, name, version, isDescription] = /^(\S+) (v\S+?)(\/go\.mod)? h1:\S+$/.exec(line) ?? []
    if (!name || !version) throw new UnreadableFile('has a line that is not a checksum')
    if (!isDescription) putHighest(versions, 'go', name, version)
  }
  return versions
}

/** Yields the text between each `open` and the next `close`, in linear time even if a mark is missing. */
function* partsOf(text: string, open: string, close: string): Generator<{ from: number; to: number }> {
  for (let at = text.indexOf(open); at !== -1; ) {
    const end = text.indexOf(close, at + open.length)
    if (end === -1) return
    yield { from: at, to: end + close.length }
    at = text.indexOf(open, end + close.length)
  }
}

function without(text: string, open: string, close: string): string {
  let [kept, from] = ['', 0]
  for (const part of partsOf(text, open, close)) {
    kept += text.slice(from, part.from)
    from = part.to
  }
  return kept + text.slice(from)
}

const within = (text: string, tag: string): string[] =>
  [...partsOf(text, `<${tag}>`, `</${tag}>`)].map(({ from, to }) =>
    text.slice(from + tag.length + 2, to - tag.length - 3),
  )

const field = (text: string, tag: string): string => (within(text, tag)[0] ?? '').trim()

function propertiesOf(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const block of within(text, 'properties'))
    for (const line of block.split('</')) {
      const [, name, value] = /<([\w.-]+)>([^<]*)$/.exec(line) ?? []
      if (name && value !== undefined) found.set(name, value.trim())
    }
  return found
}

/** Java 8 was called `1.8`. */
const javaVersion = (version: string): string => version.replace(/^1\.(?=\d)/, '')

const JAVA = ['maven.compiler.release', 'java.version', 'maven.compiler.target', 'maven.compiler.source']

/** Reads pom.xml: dependencies with a version or a property, the parent, and the Java version. */
export const readPom: ReadVersions = (text) => {
  if (!text.includes('<project')) throw new UnreadableFile('has no project')
  const bare = without(text, '<!--', '-->')
  const properties = propertiesOf(bare)
  // Plugins have their own dependencies, and exclusions name absent ones.
  const project = ['build', 'reporting', 'exclusions'].reduce(
    (rest, tag) => without(rest, `<${tag}>`, `</${tag}>`),
    bare,
  )
  const versions: Versions = new Map()
  for (const entry of [...within(project, 'parent'), ...within(project, 'dependency')]) {
    const version = field(entry, 'version').replace(
      /^\$\{([^}]+)\}$/,
      (_, name) => properties.get(name) ?? '',
    )
    putVersion(versions, 'maven', `${field(entry, 'groupId')}:${field(entry, 'artifactId')}`, version)
  }
  const java = JAVA.find((name) => properties.has(name))
  if (java) putVersion(versions, 'runtime', 'java', javaVersion(properties.get(java) ?? ''))
  return versions
}

/** Reads gradle.lockfile: `group:artifact:version=configurations`. */
export const readGradleLock: ReadVersions = (text) => {
  const versions: Versions = new Map()
  for (const line of linesOf(text)) {
    if (line.trim() === '' || line.startsWith('#') || line.startsWith('empty=')) continue
    const [, name, version] = /^([^:\s]+:[^:\s]+):([^:=\s]+)=/.exec(line) ?? []
    if (!name || !version) throw new UnreadableFile('has a line that is not a locked dependency')
    putVersion(versions, 'maven', name, version)
  }
  return versions
}

const FOLDER = 'node_modules/'

/** Reads format version 1, a tree; the project's code gets the top level. */
function ofTree(dependencies: Record<string, unknown>): Versions {
  const versions: Versions = new Map()
  for (const [name, entry] of Object.entries(dependencies))
    if (isObject(entry) && typeof entry.version === 'string')
      putVersion(versions, 'npm', name, entry.version.replace(/^npm:.+@/, ''))
  return versions
}

function ofFolders(packages: Record<string, unknown>): Versions {
  const versions: Versions = new Map()
  const nested: [string, string][] = []
  for (const [path, entry] of Object.entries(packages)) {
    const at = path.lastIndexOf(FOLDER)
    if (at === -1 || !isObject(entry) || entry.link === true || typeof entry.version !== 'string') continue
    const name = typeof entry.name === 'string' ? entry.name : path.slice(at + FOLDER.length)
    if (at === 0) putVersion(versions, 'npm', name, entry.version)
    else nested.push([name, entry.version])
  }
  for (const [name, version] of nested)
    if (!versions.has(versionKey('npm', name))) putVersion(versions, 'npm', name, version)
  return versions
}

export const readPackageLock: ReadVersions = (text) => {
  const { packages, dependencies } = readJson(text)
  if (isObject(packages)) return ofFolders(packages)
  return isObject(dependencies) ? ofTree(dependencies) : new Map()
}

type Entry = { path: string[]; value: string }

const MAX_LINE_LENGTH = 10_000

/** Yields the keys of an indented file with their parents: the part of YAML that pnpm needs. */
function* entriesOf(text: string): Generator<Entry> {
  const above: { indent: number; key: string }[] = []
  for (const line of linesOf(text)) {
    if (line.length > MAX_LINE_LENGTH) continue
    const [, spaces = '', key, value = ''] =
      /^( *)("[^"]*"|'[^']*'|[^\s"'#-][^:]*(?::[^\s:][^:]*)*):(?:\s+(.*))?$/.exec(line) ?? []
    if (key === undefined) continue
    while ((above.at(-1)?.indent ?? -1) >= spaces.length) above.pop()
    above.push({ indent: spaces.length, key: unquoted(key) })
    yield { path: above.map((entry) => entry.key), value: unquoted(value.trim()) }
  }
}

/** Peers are not part of the version: `5.8.5(peer@1)`, `5.8.5_peer@1`. */
const VERSION = /^\d[^/_(]*/

/** Parses a key: `/fastify/4.1.0`, `/fastify@4.1.0` or `fastify@4.1.0`, with or without a scope. */
function ofKey(key: string): [string, string] | null {
  const [, name, rest = ''] = /^\/?((?:@[^/@]+\/)?[^/@]+)[/@](\d.*)$/.exec(key) ?? []
  const version = VERSION.exec(rest)?.[0]
  return name && version ? [name, version] : null
}

const DEPENDENCIES = /^(?:dependencies|devDependencies|optionalDependencies)$/

/** Returns name and version of a direct dependency of the project or a workspace. */
function asked({ path, value }: Entry): [string, string] | null {
  const [first = '', second = '', third = ''] = path
  const rest =
    first === 'importers' && DEPENDENCIES.test(third)
      ? path.slice(3)
      : DEPENDENCIES.test(first) && second !== ''
        ? path.slice(1)
        : []
  const [name, field] = rest
  if (name === undefined || value === '' || (field !== undefined && field !== 'version')) return null
  const version = VERSION.exec(value)?.[0]
  // For an alias, the value names the package.
  return version === undefined ? ofKey(value) : [name, version]
}

export const readPnpmLock: ReadVersions = (text) => {
  const versions: Versions = new Map()
  const direct: Versions = new Map()
  let isLock = false
  for (const entry of entriesOf(text)) {
    const [first, second] = entry.path
    if (first === 'lockfileVersion') isLock = true
    if (first === 'packages' && second !== undefined && entry.path.length === 2) {
      const found = ofKey(second)
      if (found) putHighest(versions, 'npm', ...found)
    }
    const wanted = asked(entry)
    if (wanted) putHighest(direct, 'npm', ...wanted)
  }
  if (!isLock) throw new UnreadableFile('has no lockfileVersion')
  for (const [key, version] of direct) putVersion(versions, 'npm', key.slice('npm:'.length), version)
  return versions
}

/** Reads requirements.txt: packages pinned by `==`. */
export const readRequirements: ReadVersions = (text) => {
  const versions: Versions = new Map()
  for (const line of linesOf(text)) {
    const bare = (line.split(/[;#\\]| --/)[0] ?? '').replaceAll(/\s/g, '')
    const [, name, version] = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?={2,3}([^=,]+)$/.exec(bare) ?? []
    if (name && version && !version.includes('*')) putVersion(versions, 'pypi', name, version)
  }
  return versions
}

/** Limit of characters: such a file has one line, perhaps below a comment. */
const READ_CHARACTERS = 10_000

const firstLine = (text: string): string =>
  linesOf(text.slice(0, READ_CHARACTERS))
    .map((line) => line.replace(/#.*$/, '').trim())
    .find((line) => line !== '') ?? ''

/** Reads a one-line file with a version; names such as `lts/*` are ignored. */
const readOneLine =
  (name: string): ReadVersions =>
  (text) => {
    const versions: Versions = new Map()
    putVersion(versions, 'runtime', name, firstLine(text))
    return versions
  }

export const readNodeVersion: ReadVersions = readOneLine('node')

export const readPythonVersion: ReadVersions = readOneLine('python')

/** Reads rust-toolchain and rust-toolchain.toml: the version alone, or as the channel. */
export const readRustToolchain: ReadVersions = (text, beside) => {
  const channel = /^[ \t]*channel[ \t]*=[ \t]*["']([^"'\n]+)["']/m.exec(text)?.[1]
  return readOneLine('rust')(channel ?? text, beside)
}

/** Reads `engines` of package.json: the lowest supported version. */
export const readEngines: ReadVersions = (text) => {
  const versions: Versions = new Map()
  const { engines } = readJson(text)
  const range = isObject(engines) && typeof engines.node === 'string' ? engines.node : ''
  const [, least] = /^(?:>=|\^|~|=)?\s*v?(\d+(?:\.\d+)*)/.exec(range.trim()) ?? []
  if (least) putVersion(versions, 'runtime', 'node', least)
  return versions
}

type Package = { name: string; version: string; source: string; dependencies: string[] }

/** Yields the `[[package]]` tables of Cargo, uv and Poetry. */
function* packagesOf(text: string): Generator<Package> {
  let open: Package | undefined
  let isInList = false
  for (const line of linesOf(text)) {
    if (line.startsWith('[')) {
      if (open) yield open
      open =
        line.trim() === '[[package]]' ? { name: '', version: '', source: '', dependencies: [] } : undefined
      isInList = false
    } else if (open && isInList) {
      const [, item] = /^\s+"([^"]+)",?$/.exec(line) ?? []
      if (item !== undefined) open.dependencies.push(item)
      else if (line.startsWith(']')) isInList = false
    } else if (open) {
      const [, field, value = ''] = /^(name|version|source) = (.+)$/.exec(line) ?? []
      if (field === 'name' || field === 'version' || field === 'source')
        open[field] = value.replaceAll(/^"|"$/g, '')
      isInList = line === 'dependencies = ['
    }
  }
  if (open) yield open
}

function mustBeLock(text: string): void {
  if (!/^(?:version = |lock-version = |package = \[\]|\[\[package\]\])/m.test(text))
    throw new UnreadableFile('has no packages')
}

const readHighest =
  (ecosystem: string): ReadVersions =>
  (text) => {
    mustBeLock(text)
    const versions: Versions = new Map()
    for (const { name, version } of packagesOf(text)) putHighest(versions, ecosystem, name, version)
    return versions
  }

export const readPythonLock: ReadVersions = readHighest('pypi')

/** A crate without a source belongs to the project and selects among several versions. */
export const readCargoLock: ReadVersions = (text, beside) => {
  const versions = readHighest('cargo')(text, beside)
  for (const { source, dependencies } of packagesOf(text)) {
    if (source !== '') continue
    for (const dependency of dependencies) {
      const [name = '', version = ''] = dependency.split(' ')
      putVersion(versions, 'cargo', name, version)
    }
  }
  return versions
}

type Block = { descriptors: string[]; version: string; resolution: string }

/** Yields blocks of both formats: a line with descriptors, then indented lines with the resolved version. */
function* blocksOf(text: string): Generator<Block> {
  let block: Block | undefined
  for (const line of linesOf(text)) {
    if (/^[^\s#].*:$/.test(line)) {
      if (block) yield block
      const descriptors = line.slice(0, -1).replaceAll('"', '').split(', ')
      block = { descriptors, version: '', resolution: '' }
    } else if (block) {
      const [, field, value = ''] = /^ {2}(version|resolution):? (.+)$/.exec(line) ?? []
      if (field === 'version' || field === 'resolution') block[field] = unquoted(value.trim())
    }
  }
  if (block) yield block
}

/** Splits `@scope/name@npm:^1` into name and range, without the registry protocol. */
function split(descriptor: string): [string, string] {
  const at = descriptor.indexOf('@', 1)
  return at === -1
    ? [descriptor, '']
    : [descriptor.slice(0, at), descriptor.slice(at + 1).replace(/^npm:/, '')]
}

function nameOf({ descriptors: [first = ''], resolution }: Block): string {
  if (resolution !== '') return split(resolution)[0]
  const [name, range] = split(first)
  return /^(?:@[^@/]+\/)?[^@/\s]+@[\d^~<>=*]/.test(range) ? split(range)[0] : name
}

function askedByPackage(beside: Beside): Set<string> {
  const text = beside('package.json')
  if (text === undefined) return new Set()
  try {
    const manifest = readJson(text)
    return new Set(
      [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies]
        .filter(isObject)
        .flatMap((part) => Object.entries(part).map(([name, range]) => `${name}@${String(range)}`)),
    )
  } catch {
    return new Set()
  }
}

/** Reads yarn.lock, classic and berry. */
export const readYarnLock: ReadVersions = (text, beside) => {
  if (!/^(?:# yarn lockfile v1|__metadata:)/m.test(text)) throw new UnreadableFile('is not a yarn.lock')
  const asked = askedByPackage(beside)
  const versions: Versions = new Map()
  const direct: [string, string][] = []
  for (const block of blocksOf(text)) {
    if (
      block.descriptors[0] === '__metadata' ||
      block.version === '' ||
      /@(?:workspace|link|portal):/.test(block.resolution)
    )
      continue
    const name = nameOf(block)
    putHighest(versions, 'npm', name, block.version)
    if (block.descriptors.some((descriptor) => asked.has(split(descriptor).join('@'))))
      direct.push([name, block.version])
  }
  for (const [name, version] of direct) putVersion(versions, 'npm', name, version)
  return versions
}

/** For a package in several files, the first reader of this list wins. */
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

const MAX_FILE_BYTES = 64 * 1024 * 1024
const MAX_FOLDERS = 200

export type Locked = {
  /** `npm:fastify` → its versions, that of the current folder first. */
  versions: Map<string, string[]>
  files: string[]
  passedOver: { file: string; reason: string }[]
}

const SKIPPED = /^(?:\.|node_modules$|vendor$|dist$|build$|target$)/
/** Folders that contain workspaces. */
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

/** Returns the folder and one level of workspaces: `web` and `packages/web`. */
function workspacesOf(root: string): string[] {
  const below = foldersIn(root).flatMap((name) => [
    join(root, name),
    ...(HOLDERS.test(name) ? foldersIn(join(root, name)).map((inner) => join(root, name, inner)) : []),
  ])
  return [root, ...below].slice(0, MAX_FOLDERS)
}

function readText(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) return undefined
  if (found.size > MAX_FILE_BYTES) throw new UnreadableFile('is larger than 64 MB')
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

export function readLocked(root: string, folder = root): Locked {
  const locked: Locked = { versions: new Map(), files: [], passedOver: [] }
  for (const each of new Set([folder, ...workspacesOf(root)]))
    for (const [key, version] of readFolder(each, root, locked)) {
      const versions = locked.versions.get(key) ?? []
      if (!versions.includes(version)) locked.versions.set(key, [...versions, version])
    }
  return locked
}

/** Versions that a folder uses: `{ node: '24.1', fastify: '5.8.5' }`. */
export type Environment = Record<string, string>

const MAX_NAMES = 30
const MAX_NAME_LENGTH = 200
const MAX_MANIFEST_BYTES = 1024 * 1024

/** Returns the names of the direct dependencies. */
function chosenNames(folder: string): Set<string> {
  try {
    const file = join(folder, 'package.json')
    const found = statSync(file, { throwIfNoEntry: false })
    if (!found?.isFile() || found.size > MAX_MANIFEST_BYTES) return new Set()
    const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) ?? {}
    return new Set(Object.keys({ ...dependencies, ...devDependencies }).map((name) => `npm:${name}`))
  } catch {
    return new Set()
  }
}

export function allVersionsOf(folder: string): Environment {
  const { versions } = readLocked(folder)
  const chosen = chosenNames(folder)
  const rank = (key: string): number => (key.startsWith('runtime:') ? 0 : chosen.has(key) ? 1 : 2)
  const sorted = [...versions].sort(
    ([one], [other]) => rank(one) - rank(other) || (one < other ? -1 : Number(one > other)),
  )
  const environment: Environment = {}
  for (const [key, [version]] of sorted) {
    const name = key.slice(key.indexOf(':') + 1)
    if (version !== undefined && name.length <= MAX_NAME_LENGTH) environment[name] ??= version
  }
  return environment
}

export const environmentOf = (folder: string): Environment =>
  Object.fromEntries(Object.entries(allVersionsOf(folder)).slice(0, MAX_NAMES))
