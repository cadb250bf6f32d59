import { isRangeText } from './version-ranges.ts'

/** What a card is about: `npm:fastify@^5`, `pypi:django@>=5`, `os:debian@13`, `file:src/app.ts@1a2b3c#…`, a URL. */
export type Cite =
  | { kind: 'package'; ecosystem: string; name: string; range: string }
  | { kind: 'file'; path: string; commit: string; lineHash: string | null }
  | { kind: 'url'; url: string }

export const LONGEST_CITE = 500

/** What names have in each registry. Agents read cites with every card, so a name has no room for a sentence. */
const NAMES = new Map([
  ['npm', /^(?:@[\w.~-]+\/)?[\w.~-]+$/],
  ['pypi', /^[A-Za-z0-9][\w.-]*(?:\[[\w.,-]+\])?$/],
  ['cargo', /^[\w-]+$/],
  ['go', /^[\w.~-]+(?:\/[\w.~-]+)*$/],
  ['maven', /^[\w.-]+(?::[\w.-]+){0,3}$/],
  ['runtime', /^[\w.+#/-]+$/],
  ['os', /^[\w.+#/-]+$/],
  ['tool', /^[\w.+#/-]+$/],
])
const LONGEST_NAME = 214

/** Nothing that a reader does not see, and nothing that ends an address or a path in a text around it. */
const VISIBLE = '[^\\s"<>`\\\\\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}]'

const PACKAGE = /^([a-z]+):(@?[^@]+)@([^@]+)$/
const FILE = new RegExp(`^file:((?:(?!@)${VISIBLE})+)@([0-9a-f]{7,40})(?:#([0-9a-f]{12}))?$`, 'u')
const URL_TEXT = new RegExp(`^https?://${VISIBLE}+$`, 'u')

/** A file of the repository, named from its root. */
const isInside = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..')

/** Null if the text is not a cite. */
export function readCite(text: string): Cite | null {
  if (text.length > LONGEST_CITE) return null
  const written = text.trim()
  const [, ecosystem = '', name = '', range = ''] = PACKAGE.exec(written) ?? []
  if (name.length <= LONGEST_NAME && NAMES.get(ecosystem)?.test(name) && isRangeText(range))
    return { kind: 'package', ecosystem, name: sameName(ecosystem, name), range }
  const [, path, commit, lineHash] = FILE.exec(written) ?? []
  if (path && commit && isInside(path)) return { kind: 'file', path, commit, lineHash: lineHash ?? null }
  return URL_TEXT.test(written) && URL.canParse(written) ? { kind: 'url', url: written } : null
}

/** PyPI takes `Foo_Bar` and `foo-bar` for one name; all others but Go and Maven ignore case. */
export function sameName(ecosystem: string, name: string): string {
  if (ecosystem === 'go' || ecosystem === 'maven') return name
  const lower = name.toLowerCase()
  return ecosystem === 'pypi' ? lower.replaceAll(/[-_.]+/g, '-') : lower
}

export const citeText = (cite: Cite): string => {
  if (cite.kind === 'package') return `${cite.ecosystem}:${cite.name}@${cite.range}`
  if (cite.kind === 'url') return cite.url
  return `file:${cite.path}@${cite.commit}${cite.lineHash === null ? '' : `#${cite.lineHash}`}`
}
