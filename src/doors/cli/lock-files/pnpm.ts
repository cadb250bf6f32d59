import {
  linesOf,
  putHighest,
  putVersion,
  type ReadVersions,
  UnreadableFile,
  unquoted,
  type Versions,
} from './versions.ts'

type Entry = { path: string[]; value: string }

const LONGEST_LINE = 10_000

/** The keys of an indented file, each with its parents: the part of YAML that we need. */
function* entriesOf(text: string): Generator<Entry> {
  const above: { indent: number; key: string }[] = []
  for (const line of linesOf(text)) {
    if (line.length > LONGEST_LINE) continue
    const [, spaces = '', key, value = ''] =
      /^( *)("[^"]*"|'[^']*'|[^\s"'#-][^:]*(?::[^\s:][^:]*)*):(?:\s+(.*))?$/.exec(line) ?? []
    if (key === undefined) continue
    while ((above.at(-1)?.indent ?? -1) >= spaces.length) above.pop()
    above.push({ indent: spaces.length, key: unquoted(key) })
    yield { path: above.map((entry) => entry.key), value: unquoted(value.trim()) }
  }
}

/** `5.8.5(peer@1)` and `5.8.5_peer@1`: the peers are not part of the version. */
const VERSION = /^\d[^/_(]*/

/** `/fastify/4.1.0`, `/fastify@4.1.0`, `fastify@4.1.0`, with a scope or without. */
function ofKey(key: string): [string, string] | null {
  const [, name, rest = ''] = /^\/?((?:@[^/@]+\/)?[^/@]+)[/@](\d.*)$/.exec(key) ?? []
  const version = VERSION.exec(rest)?.[0]
  return name && version ? [name, version] : null
}

const DEPENDENCIES = /^(?:dependencies|devDependencies|optionalDependencies)$/

/** The name and version of a line for a direct dependency of the project or of a workspace. */
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
