import {
  linesOf,
  putHighest,
  putVersion,
  type ReadVersions,
  UnreadableFile,
  type Versions,
} from './versions.ts'

const withoutComment = (line: string): string => (line.split('//')[0] ?? '').trim()

/** The lines of go.mod, each with its directive: `require ( … )` is the same as many `require`. */
function* directivesOf(text: string): Generator<string> {
  let word: string | undefined
  for (const line of linesOf(text).map(withoutComment)) {
    if (line === ')') word = undefined
    else if (word !== undefined) yield `${word} ${line}`
    else if (/^\w+ ?\($/.test(line)) word = line.replace(/ ?\($/, '')
    else yield line
  }
}

/** go.mod: modules, replaced ones by what replaces them, and the version of Go itself. */
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

/** go.sum: the highest version whose code is listed, for modules that go.mod leaves out. */
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
