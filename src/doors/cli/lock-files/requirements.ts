import { linesOf, putVersion, type ReadVersions, type Versions } from './versions.ts'

/** requirements.txt: what is fixed by `==`. Ranges and other files that it names say no version. */
export const readRequirements: ReadVersions = (text) => {
  const versions: Versions = new Map()
  for (const line of linesOf(text)) {
    const [, name, version] =
      /^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*={2,3}\s*([^\s;,#\\]+)/.exec(line) ?? []
    if (name && version && !version.includes('*')) putVersion(versions, 'pypi', name, version)
  }
  return versions
}
