import {
  type Beside,
  isObject,
  linesOf,
  putHighest,
  putVersion,
  type ReadVersions,
  readJson,
  UnreadableFile,
  unquoted,
  type Versions,
} from './versions.ts'

type Block = { descriptors: string[]; version: string; resolution: string }

/** Both formats: a line with the descriptors, and indented lines with the resolved version. */
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

/** `@scope/name@npm:^1` → the name and the range, without the protocol of the registry. */
function split(descriptor: string): [string, string] {
  const at = descriptor.indexOf('@', 1)
  return at === -1
    ? [descriptor, '']
    : [descriptor.slice(0, at), descriptor.slice(at + 1).replace(/^npm:/, '')]
}

/** Classic has no resolution: there the descriptor shows an alias (`alias@npm:real@^1`). */
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

/** yarn.lock, classic and berry. */
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
