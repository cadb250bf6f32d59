import { linesOf, putVersion, type ReadVersions, UnreadableFile, type Versions } from './versions.ts'

/** The text between each `open` and the next `close`, in one pass however often one of them is missing. */
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

/** pom.xml: dependencies with a version of their own or a property's, the parent, and the version of Java. */
export const readPom: ReadVersions = (text) => {
  if (!text.includes('<project')) throw new UnreadableFile('has no project')
  const bare = without(text, '<!--', '-->')
  const properties = propertiesOf(bare)
  // Plugins have dependencies of their own, and exclusions name what is not there.
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

/** gradle.lockfile: `group:artifact:version=where it is used`. */
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
