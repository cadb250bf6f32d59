/** Versions and ranges of npm, PyPI, Cargo, Go and Maven, in the forms that cards cite. */

type Version = readonly number[]
type Comparator = { sign: '<' | '<=' | '>' | '>=' | '=' | '!='; version: Version }
/** All comparators of one of the sets must hold. */
export type Range = readonly (readonly Comparator[])[]

const LONGEST_RANGE = 200
const MOST_PARTS = 6

/** `1.2.3-rc.1+build`, `1!2.0`, `3.1.*`, `v0.0.0-20191109021931-daa7c04131f5`. */
const VERSION = '(?:[vV]?\\d[\\w.*+!-]{0,80}|[*xX])'
const COMPARATOR = `(?:[~^<>=!]{1,3} ?)?${VERSION}`
/** `24.04 LTS`, `13 (trixie)`, `Ubuntu 24.04`: one word beside a version. */
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

/** Whether a text has the form of a version or a range, also one that `readRange` cannot decide. */
export const isRangeText = (text: string): boolean => text.length <= LONGEST_RANGE && RANGE_TEXT.test(text)

/** `v24.1.0-rc.1+build` is 24.1.0: what follows the numbers decides nothing here. */
export function readVersion(text: string): Version | null {
  const numbers = /^\s*[vV=]?\s*(\d+(?:\.\d+)*)/.exec(text.slice(0, LONGEST_RANGE))?.[1]
  return numbers === undefined ? null : numbers.split('.').slice(0, MOST_PARTS).map(Number)
}

const releaseOf = (version: Version): string => version.slice(0, version[0] === 0 ? 2 : 1).join('.')

/** By the first number, and of `0.x`, where the second breaks things, by both; names such as `bookworm` as they are. */
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

/** The version with its n-th part raised and the rest cut: 5.2.1 raised at 0 is 6. */
const raised = (version: Version, at: number): Version => [...version.slice(0, at), (version[at] ?? 0) + 1]

const between = (from: Version, below: Version): Comparator[] => [
  { sign: '>=', version: from },
  { sign: '<', version: below },
]

/** `^1.2` up to the next first number that is not zero. */
function caret(version: Version): Comparator[] {
  const first = version.findIndex((part) => part > 0)
  return between(version, raised(version, first === -1 ? version.length - 1 : first))
}

/** `~1.2.3` and PyPI's `~=1.2.3`: the last part may grow. */
const tilde = (version: Version, at: number): Comparator[] =>
  between(version, raised(version, Math.max(0, at)))

/** `5` and `5.x`: every version that begins so. */
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

/** Null if the range cannot be read: then nothing is said about it. */
export function readRange(text: string): Range | null {
  if (text.length > LONGEST_RANGE) return null
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

/** Below everything that the range allows. */
export const isBelowRange = (range: Range, version: Version): boolean =>
  range.every((set) =>
    set.some(
      ({ sign, version: bound }) =>
        sign !== '<' && sign !== '<=' && sign !== '!=' && compareVersions(version, bound) < 0,
    ),
  )
