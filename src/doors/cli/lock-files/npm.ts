import { isObject, putVersion, type ReadVersions, readJson, type Versions, versionKey } from './versions.ts'

const FOLDER = 'node_modules/'

/** Version 1 of the format: a tree. The project's code gets what is at its top. */
function ofTree(dependencies: Record<string, unknown>): Versions {
  const versions: Versions = new Map()
  for (const [name, entry] of Object.entries(dependencies))
    if (isObject(entry) && typeof entry.version === 'string')
      putVersion(versions, 'npm', name, entry.version.replace(/^npm:.+@/, ''))
  return versions
}

/** Versions 2 and 3: every folder by its path. A nested one counts if there is none of its name at the top. */
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

/** package-lock.json and npm-shrinkwrap.json. */
export const readPackageLock: ReadVersions = (text) => {
  const { packages, dependencies } = readJson(text)
  if (isObject(packages)) return ofFolders(packages)
  return isObject(dependencies) ? ofTree(dependencies) : new Map()
}
