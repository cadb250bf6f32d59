import { linesOf, putVersion, type ReadVersions, type Versions } from './versions.ts'

/** requirements.txt: what is fixed by `==`. Ranges and other files that it names say no version. */
export const readRequirements: ReadVersions = (text) => {
  const versions: Versions = new Map()
  for (const line of linesOf(text)) {
    // Behind these stand conditions, comments and options.
    const bare = (line.split(/[;#\\]| --/)[0] ?? '').replaceAll(/\s/g, '')
    const [, name, version] = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?={2,3}([^=,]+)$/.exec(bare) ?? []
    if (name && version && !version.includes('*')) putVersion(versions, 'pypi', name, version)
  }
  return versions
}
