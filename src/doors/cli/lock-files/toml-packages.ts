import {
  linesOf,
  putHighest,
  putVersion,
  type ReadVersions,
  UnreadableFile,
  type Versions,
} from './versions.ts'

type Package = { name: string; version: string; source: string; dependencies: string[] }

/** The `[[package]]` tables that Cargo, uv and Poetry write. */
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

/** uv.lock and poetry.lock. */
export const readPythonLock: ReadVersions = readHighest('pypi')

/** A crate without a source is part of the project. It names the version of a dependency that has several. */
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
