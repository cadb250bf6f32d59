import { linesOf, putVersion, type ReadVersions, type Versions } from './versions.ts'

/** requirements.txt: packages that are pinned by `==`. Ranges and included files give no version. */
export const readRequirements: ReadVersions = (text) => {
  const versions: Versions = new Map()
  for (const line of linesOf(text)) {
    // Conditions, comments and options follow these.
    const bare = (line.split(/[;#\\]| --/)[0] ?? '').replaceAll(/\s/g, '')
    const [, name, version] = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?={2,3}([^=,]+)$/.exec(bare) ?? []
    if (name && version && !version.includes('*')) putVersion(versions, 'pypi', name, version)
  }
  return versions
}
