import { NPM_NAMES, PYPI_NAMES } from './data/known-packages.ts'
import { type Found, type Trigger, trigger } from './rule.ts'

const SHORTEST_NAME = 5
/** Names from this length on may be two edits away. */
const LONG_NAME = 9

/** Whether one name becomes the other by few edits. Two exchanged neighbours count as one edit. */
export function isWithinEdits(a: string, b: string, edits: number, fromA = 0, fromB = 0): boolean {
  let [i, j] = [fromA, fromB]
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(j)) {
    i++
    j++
  }
  const [leftOfA, leftOfB] = [a.length - i, b.length - j]
  if (leftOfA === 0 || leftOfB === 0) return leftOfA + leftOfB <= edits
  if (Math.abs(leftOfA - leftOfB) > edits || edits === 0) return false
  const isExchanged = a.charCodeAt(i) === b.charCodeAt(j + 1) && a.charCodeAt(i + 1) === b.charCodeAt(j)
  return (
    isWithinEdits(a, b, edits - 1, i + 1, j + 1) ||
    isWithinEdits(a, b, edits - 1, i + 1, j) ||
    isWithinEdits(a, b, edits - 1, i, j + 1) ||
    (isExchanged && isWithinEdits(a, b, edits - 1, i + 2, j + 2))
  )
}

/** A bit for each letter of a name. An edit changes at most two of them. */
function lettersOf(name: string): number {
  let letters = 0
  for (let at = 0; at < name.length; at++) letters |= 1 << name.charCodeAt(at)
  return letters
}

/** In pairs, fours and bytes, without a loop: it runs for each known name. */
function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

const editsFor = (name: string): number => (name.length >= LONG_NAME ? 2 : 1)

type Known = { name: string; letters: number }
type Index = {
  known: ReadonlySet<string>
  byLength: ReadonlyMap<number, readonly Known[]>
  /** A cache: a text may name the same package very often. */
  answers: Map<string, string | undefined>
}
const MOST_ANSWERS = 5000

const indexOf = (names: readonly string[]): Index => ({
  known: new Set(names),
  byLength: Map.groupBy(
    names.filter(({ length }) => length >= SHORTEST_NAME).map((name) => ({ name, letters: lettersOf(name) })),
    ({ name }) => name.length,
  ),
  answers: new Map(),
})

/** Built on first use: most texts install nothing. */
const lazily = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
const npm = lazily(() => indexOf(NPM_NAMES))
const pypi = lazily(() => indexOf(PYPI_NAMES))

const DIGITS: Record<string, string> = { 0: 'o', 1: 'l', 3: 'e', 5: 's' }

/**
 * The widely used name that this one can be mistaken for. Names of other lengths and letters are passed over: a list of
 * thousands of unknown names must cost no more than reading it.
 */
function findNearName(written: string, { known, byLength }: Index): string | undefined {
  const name = written.toLowerCase().replaceAll('_', '-')
  if (known.has(name) || name.length < SHORTEST_NAME) return undefined
  const plain = name.replaceAll(/[0135]/g, (digit) => DIGITS[digit] ?? digit)
  if (known.has(plain)) return plain
  const edits = editsFor(name)
  const letters = lettersOf(name)
  for (let length = name.length - edits; length <= name.length + edits; length++)
    for (const candidate of byLength.get(length) ?? []) {
      const most = Math.min(edits, editsFor(candidate.name))
      if (countBits(letters ^ candidate.letters) > 2 * most) continue
      if (isWithinEdits(name, candidate.name, most)) return candidate.name
    }
  return undefined
}

function nearName(written: string, index: Index): string | undefined {
  const { answers } = index
  if (answers.has(written)) return answers.get(written)
  if (answers.size >= MOST_ANSWERS) answers.clear()
  const name = findNearName(written, index)
  answers.set(written, name)
  return name
}

const ARGUMENT = /[^\s]{1,120}/g
const NAME = /^[A-Za-z][\w.-]{3,60}(?=$|@|[=<>~![;])/

function suspects(match: RegExpExecArray, index: Index): Found[] {
  const list = match[1] ?? ''
  const offset = match.index + match[0].length - list.length
  const found: Found[] = []
  for (const argument of list.matchAll(ARGUMENT)) {
    const name = NAME.exec(argument[0])?.[0]
    if (name === undefined || nearName(name, index) === undefined) continue
    const start = offset + argument.index
    found.push({ start, end: start + name.length })
  }
  return found
}

export const PACKAGE_TRIGGERS: readonly Trigger[] = [
  trigger(
    'lookalike_package',
    'warn',
    'npm i¦npm add¦yarn add¦yarn global add¦pnpm add¦pnpm i¦npx ¦bunx ¦bun add¦pnpm dlx',
    /(?<![\w-])(?:npm (?:install|i|add)|yarn (?:global )?add|pnpm (?:add|install|i|dlx)|npx|bunx|bun add)((?:[ \t]{1,3}[^\s;&|`'"<>()]{1,80}){1,12})/iy,
    (match) => suspects(match, npm()),
  ),
  trigger(
    'lookalike_package',
    'warn',
    'pip install¦pip3 install¦uv add¦poetry add¦pipx install¦pdm add',
    /(?:pip3? install|(?<!\w)uv add|poetry add|pipx install|pdm add)((?:[ \t]{1,3}[^\s;&|`'"<>()]{1,80}){1,12})/iy,
    (match) => suspects(match, pypi()),
  ),
]
