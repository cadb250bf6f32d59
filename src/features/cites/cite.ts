/** What a card is about: `npm:fastify@^5`, `pypi:django@>=5`, `os:debian@13`, `file:src/app.ts@1a2b3c#…`, a URL. */
export type Cite =
  | { kind: 'package'; ecosystem: string; name: string; range: string }
  | { kind: 'file'; path: string; commit: string; lineHash: string | null }
  | { kind: 'url'; url: string }

export const LONGEST_CITE = 500

const PACKAGE = /^(npm|pypi|cargo|go|maven|runtime|os|tool):((?:@[^@\s/]+\/)?[^@\s]+)@(\S[^@]*)$/
const FILE = /^file:([^@\s]+)@([0-9a-f]{7,40})(?:#([0-9a-f]{12}))?$/

/** Null if the text is not a cite. */
export function readCite(text: string): Cite | null {
  if (text.length > LONGEST_CITE) return null
  const written = text.trim()
  const [, ecosystem, name, range] = PACKAGE.exec(written) ?? []
  if (ecosystem && name && range)
    return { kind: 'package', ecosystem, name: sameName(ecosystem, name), range }
  const [, path, commit, lineHash] = FILE.exec(written) ?? []
  if (path && commit) return { kind: 'file', path, commit, lineHash: lineHash ?? null }
  return /^https?:\/\/\S+$/.test(written) && URL.canParse(written) ? { kind: 'url', url: written } : null
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
