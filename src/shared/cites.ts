import { withoutEnd } from '../text/unicode.ts'
import { type CardContent, CITED_FIELDS, isText } from './card-fields.ts'

/** Parses versions and ranges of npm, PyPI, Cargo, Go and Maven, in the forms that cards cite. */

type Version = readonly number[]
type Comparator = { sign: '<' | '<=' | '>' | '>=' | '=' | '!='; version: Version }
/** All comparators of at least one set must hold. */
type Range = readonly (readonly Comparator[])[]

const MAX_RANGE_LENGTH = 200
const MAX_PARTS = 6

/** Matches `1.2.3-rc.1+build`, `1!2.0`, `3.1.*`, `v0.0.0-20191109021931-daa7c04131f5`. */
const VERSION = '(?:[vV]?\\d[\\w.*+!-]{0,80}|[*xX])'
const COMPARATOR = `(?:[~^<>=!]{1,3} ?)?${VERSION}`
/** Matches one word beside a version: `24.04 LTS`, `13 (trixie)`, `Ubuntu 24.04`. */
const LABEL = '\\(?[A-Za-z]{1,20}\\)?'
const BOUND = ` ?(?:${VERSION})? ?`
const INTERVAL = `[\\[(]${BOUND}(?:,${BOUND})?[\\])]`
const RANGE_TEXT = new RegExp(
  [
    `^(?:workspace:|${LABEL} )?${COMPARATOR}(?:(?: ?(?:,|\\|\\|) ?| - | {1,2})${COMPARATOR}){0,15}(?: ${LABEL})?$`,
    `^${INTERVAL}(?:,${INTERVAL}){0,7}$`,
    // A tag such as latest, bookworm or jdk-21.
    '^[A-Za-z][\\w.+-]{0,60}$',
    '^workspace:[~^]$',
  ].join('|'),
)

const isRangeText = (text: string): boolean => text.length <= MAX_RANGE_LENGTH && RANGE_TEXT.test(text)

/** Parses a version and ignores what follows the numbers: `v24.1.0-rc.1+build` is 24.1.0. */
export function readVersion(text: string): Version | null {
  const numbers = /^\s*[vV=]?\s*(\d+(?:\.\d+)*)/.exec(text.slice(0, MAX_RANGE_LENGTH))?.[1]
  return numbers === undefined ? null : numbers.split('.').slice(0, MAX_PARTS).map(Number)
}

const releaseOf = (version: Version): string => version.slice(0, version[0] === 0 ? 2 : 1).join('.')

export function isSameRelease(a: string, b: string): boolean {
  const [one, other] = [readVersion(a), readVersion(b)]
  if (one === null || other === null) return a.trim().toLowerCase() === b.trim().toLowerCase()
  return releaseOf(one) === releaseOf(other)
}

export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns the version with its n-th part raised and the rest cut: 5.2.1 raised at 0 is 6. */
const raised = (version: Version, at: number): Version => [...version.slice(0, at), (version[at] ?? 0) + 1]

const between = (from: Version, below: Version): Comparator[] => [
  { sign: '>=', version: from },
  { sign: '<', version: below },
]

/** Returns the range of `^1.2`: below the next value of the first part that is not zero. */
function caret(version: Version): Comparator[] {
  const first = version.findIndex((part) => part > 0)
  return between(version, raised(version, first === -1 ? version.length - 1 : first))
}

/** Returns the range of `~1.2.3` and of PyPI's `~=1.2.3`: the last part may grow. */
const tilde = (version: Version, at: number): Comparator[] =>
  between(version, raised(version, Math.max(0, at)))

/** Returns the range of `5` and `5.x`: every version that begins so. */
const prefix = (version: Version): Comparator[] => between(version, raised(version, version.length - 1))

function readComparator(text: string): readonly Comparator[] | null {
  const found = /^(\^|~=|~>|~|===?|>=|<=|!=|>|<|=)?\s*(.+)$/.exec(text)
  const [, sign = '', rest = ''] = found ?? []
  if (/^[*xX]$/.test(rest)) return []
  const version = readVersion(rest)
  if (version === null) return null
  const isOpen = /\.[xX*]/.test(rest)
  switch (sign) {
    case '^':
      return caret(version)
    case '~=':
      return tilde(version, version.length - 2)
    case '~':
    case '~>':
      return tilde(version, Math.min(1, version.length - 1))
    case '>':
    case '<':
    case '>=':
    case '<=':
      return [{ sign, version }]
    case '!=':
      return [{ sign: '!=', version }]
    default:
      return version.length >= 3 && !isOpen ? [{ sign: '=', version }] : prefix(version)
  }
}

/** Parses a range; returns null if it cannot be read. */
export function readRange(text: string): Range | null {
  if (text.length > MAX_RANGE_LENGTH) return null
  const sets: Comparator[][] = []
  for (const alternative of text.split('||')) {
    const hyphen = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(alternative)
    const parts = hyphen
      ? [`>=${hyphen[1]}`, `<=${hyphen[2]}`]
      : alternative
          .replaceAll(/([<>=!~^])\s+/g, '$1')
          .split(/[\s,]+/)
          .filter((part) => part !== '')
    const set: Comparator[] = []
    for (const part of parts) {
      const comparators = readComparator(part)
      if (comparators === null) return null
      set.push(...comparators)
    }
    sets.push(set)
  }
  return sets
}

function holds({ sign, version }: Comparator, of: Version): boolean {
  const order = compareVersions(of, version)
  switch (sign) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    case '=':
      return order === 0
    case '!=':
      return order !== 0
  }
}

export const isInRange = (range: Range, version: Version): boolean =>
  range.some((set) => set.every((comparator) => holds(comparator, version)))

export const isBelowRange = (range: Range, version: Version): boolean =>
  range.every((set) =>
    set.some(
      ({ sign, version: bound }) =>
        sign !== '<' && sign !== '<=' && sign !== '!=' && compareVersions(version, bound) < 0,
    ),
  )

/** A cite in a card: `npm:fastify@^5`, `pypi:django@>=5`, `os:debian@13`, `file:src/app.ts@1a2b3c#…`, a URL. */
export type Cite =
  | { kind: 'package'; ecosystem: string; name: string; range: string }
  | { kind: 'file'; path: string; commit: string; lineHash: string | null }
  | { kind: 'url'; url: string }

export const MAX_CITE_LENGTH = 500

/** Agents read cites, so a name must not hold a sentence (prompt injection). */
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
const MAX_NAME_LENGTH = 214

/** Excludes invisible characters, and characters that end an address or a path in the text around it. */
const VISIBLE = '[^\\s"<>`\\\\\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}]'

const PACKAGE = /^([a-z]+):(@?[^@]+)@([^@]+)$/
const FILE = new RegExp(`^file:((?:(?!@)${VISIBLE})+)@([0-9a-f]{7,40})(?:#([0-9a-f]{12}))?$`, 'u')
const URL_TEXT = new RegExp(`^https?://${VISIBLE}+$`, 'u')

const isInside = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..')

/** Parses a cite; returns null if the text is none. */
export function readCite(text: string): Cite | null {
  if (text.length > MAX_CITE_LENGTH) return null
  const written = text.trim()
  const [, ecosystem = '', name = '', range = ''] = PACKAGE.exec(written) ?? []
  if (name.length <= MAX_NAME_LENGTH && NAMES.get(ecosystem)?.test(name) && isRangeText(range))
    return { kind: 'package', ecosystem, name: sameName(ecosystem, name), range }
  const [, path, commit, lineHash] = FILE.exec(written) ?? []
  if (path && commit && isInside(path)) return { kind: 'file', path, commit, lineHash: lineHash ?? null }
  return URL_TEXT.test(written) && URL.canParse(written) ? { kind: 'url', url: written } : null
}

/** PyPI treats `Foo_Bar` and `foo-bar` as one name; all but Go and Maven ignore case. */
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

/** Whether a card is about the versions that the caller uses. `older`: the card is about an older version. */
export type Fits = 'exact' | 'likely' | 'older' | 'unknown'

type Fitting = {
  cites: readonly string[]
  environment: Readonly<Record<string, string>>
  verdicts: readonly { name: string; version: string; worked: number; failed: number }[]
}

type Claim = { name: string; range: string }

/** Returns the name without its registry: `npm:fastify` and `fastify` mean the same. */
export const bareName = (name: string): string => sameName('npm', name.replace(/^[a-z]+:/, ''))

function claimsOf({ cites, environment }: Fitting): Claim[] {
  const cited = cites.flatMap((text): Claim[] => {
    const cite = readCite(text)
    return cite?.kind === 'package' ? [{ name: bareName(cite.name), range: cite.range }] : []
  })
  return [...cited, ...Object.entries(environment).map(([name, range]) => ({ name: bareName(name), range }))]
}

/** A version without an operator is no limit: what is true for 5.2.1 is most likely true for 5.3. */
function isWhatItBecame(range: string, version: readonly number[]): boolean {
  const read = /^[vV]?\d+(?:\.\d+)*$/.test(range) ? readRange(`^${range}`) : null
  return read !== null && isInRange(read, version)
}

function fitsVersion(range: string, asked: string): Fits {
  const [read, version, written] = [
    readRange(range),
    readVersion(asked),
    readVersion(range.replace(/^\D+/, '')),
  ]
  if (read === null || version === null) return 'unknown'
  if (written && compareVersions(written, version) === 0) return 'exact'
  if (isInRange(read, version) || isWhatItBecame(range, version)) return 'likely'
  return written && compareVersions(version, written) > 0 ? 'older' : 'unknown'
}

function fitsVerdicts(card: Fitting, name: string, asked: string): Fits {
  const told = card.verdicts.filter(
    (group) => bareName(group.name) === name && isSameRelease(group.version, asked),
  )
  const worked = told.reduce((sum, group) => sum + group.worked - group.failed, 0)
  return worked > 0 ? 'exact' : 'unknown'
}

/** The first of these that any cite gives is the result. */
const ORDER: readonly Fits[] = ['older', 'exact', 'likely']

export function fitsOf(card: Fitting, asked: Readonly<Record<string, string>>): Fits {
  const claims = claimsOf(card)
  const found = Object.entries(asked).flatMap(([written, version]) => {
    const name = bareName(written)
    const told = fitsVerdicts(card, name, version)
    // Somebody has tried the card with exactly this version, so the ranges no longer matter.
    if (told === 'exact') return [told]
    return claims.filter((claim) => claim.name === name).map((claim) => fitsVersion(claim.range, version))
  })
  return ORDER.find((fits) => found.includes(fits)) ?? 'unknown'
}

type Citing = Pick<CardContent, (typeof CITED_FIELDS)[number]>

export const MAX_CITES = 50
/** Limit of characters that are read: commands stand near the beginning, and longer texts are logs. */
const READ_CHARACTERS = 20_000

const RUNTIMES: Record<string, string> = {
  node: 'node',
  nodejs: 'node',
  'node.js': 'node',
  python: 'python',
  go: 'go',
  golang: 'go',
  java: 'java',
  jdk: 'java',
  ruby: 'ruby',
  php: 'php',
  rust: 'rust',
  rustc: 'rust',
  deno: 'deno',
  bun: 'bun',
  dotnet: 'dotnet',
}
const SYSTEMS = new Set([
  'debian',
  'ubuntu',
  'alpine',
  'fedora',
  'rhel',
  'macos',
  'windows',
  'ios',
  'android',
])
const TOOLS = new Set([
  'docker',
  'git',
  'npm',
  'pnpm',
  'yarn',
  'postgres',
  'postgresql',
  'mysql',
  'redis',
  'nginx',
  'kubernetes',
  'terraform',
])

/** Finds the registry of a bare name by the other names in the environment. */
const REGISTRIES: [RegExp, string][] = [
  [/^(?:node|nodejs|node\.js|deno|bun|npm|javascript|typescript)$/i, 'npm'],
  [/^(?:python|pip|pypi|django)$/i, 'pypi'],
  [/^(?:rust|rustc|cargo)$/i, 'cargo'],
]

function registryOf({ environment, tags }: Pick<Citing, 'environment' | 'tags'>): string | null {
  const words = [...Object.keys(environment), ...tags]
  return REGISTRIES.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1] ?? null
}

function ofEnvironment(content: Pick<Citing, 'environment' | 'tags'>): string[] {
  const registry = registryOf(content)
  return Object.entries(content.environment).flatMap(([written, version]) => {
    if (!/\d/.test(version)) return []
    const name = written.trim().toLowerCase()
    const runtime = RUNTIMES[name]
    if (runtime) return [`runtime:${runtime}@${version}`]
    if (SYSTEMS.has(name)) return [`os:${name}@${version}`]
    if (TOOLS.has(name)) return [`tool:${name}@${version}`]
    if (/^(?:npm|pypi|cargo|go|maven|os|runtime|tool):/.test(name)) return [`${written.trim()}@${version}`]
    return registry ? [`${registry}:${written.trim()}@${version}`] : []
  })
}

const COMMANDS: [RegExp, string][] = [
  [/\b(?:npm (?:i|install|add)|yarn add|pnpm add|bun add)((?: +[^\s`'";|&]+)+)/g, 'npm'],
  [/\b(?:pip3? install|uv (?:pip install|add)|poetry add)((?: +[^\s`;|&]+)+)/g, 'pypi'],
  [/\bcargo add((?: +[^\s`'";|&]+)+)/g, 'cargo'],
  [/\bgo get((?: +[^\s`'";|&]+)+)/g, 'go'],
]

/** A name alone cites no version. */
function ofArgument(ecosystem: string, argument: string): string[] {
  const bare = argument.replaceAll(/^['"]|['"]$/g, '')
  if (bare.startsWith('-')) return []
  const [, name, range] =
    ecosystem === 'pypi'
      ? (/^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?((?:[=<>!~]=?=?)[^\s]+)$/.exec(bare) ?? [])
      : (/^((?:@[^@/]+\/)?[^@]+)@([\^~<>=v\d][^\s]*)$/.exec(bare) ?? [])
  return name && range ? [`${ecosystem}:${name}@${range}`] : []
}

const ofText = (text: string): string[] =>
  COMMANDS.flatMap(([command, ecosystem]) =>
    [...text.matchAll(command)].flatMap(([, given = '']) =>
      given
        .trim()
        .split(/ +/)
        .flatMap((argument) => ofArgument(ecosystem, argument)),
    ),
  )

const ofUrls = (text: string): string[] =>
  [...text.matchAll(/https?:\/\/[^\s<>"'`)\]]+/g)].map(([url]) => withoutEnd(url, '.,;:!?'))

export function readCites(content: Citing): string[] {
  const texts = [
    ...CITED_FIELDS.flatMap((field) => (isText(field) ? [content[field] ?? ''] : [])),
    ...content.steps.map((step) => String(step.action)),
  ].map((text) => text.slice(0, READ_CHARACTERS))
  const found = [...ofEnvironment(content), ...texts.flatMap(ofText), ...texts.flatMap(ofUrls)].flatMap(
    (text) => readCite(text) ?? [],
  )
  return distinct(found)
}

const distinct = (cites: readonly Cite[]): string[] => [...new Set(cites.map(citeText))].slice(0, MAX_CITES)
