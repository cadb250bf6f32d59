import { NPM_NAMES, PYPI_NAMES } from '../data/known-packages.ts'
import { type Found, type Trigger, trigger } from '../rule.ts'

const SHORTEST_NAME = 5
const LONGEST_NAME = 40
/** Names from this length on may be two edits away. */
const LONG_NAME = 9

/** The name with up to `edits` characters left out, in all ways. Two similar names have one of these in common. */
function shortenings(name: string, edits: number): Set<string> {
  const found = new Set([name])
  let last = [name]
  for (let i = 0; i < edits; i++) {
    last = last.flatMap((one) => Array.from(one, (_, at) => one.slice(0, at) + one.slice(at + 1)))
    for (const one of last) found.add(one)
  }
  return found
}

/** Edit distance where two exchanged neighbours count as one edit. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1)
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

const editsFor = (name: string): number => (name.length >= LONG_NAME ? 2 : 1)

type Index = {
  known: ReadonlySet<string>
  near: Map<string, string[]>
  /** A cache: a text may name the same package very often. */
  answers: Map<string, string | undefined>
}
const MOST_ANSWERS = 5000

function indexOf(names: readonly string[]): Index {
  const near = new Map<string, string[]>()
  for (const name of names) {
    if (name.length < SHORTEST_NAME) continue
    for (const one of shortenings(name, editsFor(name))) near.set(one, [...(near.get(one) ?? []), name])
  }
  return { known: new Set(names), near, answers: new Map() }
}

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

/** The widely used name that this one can be mistaken for. */
function findNearName(written: string, { known, near }: Index): string | undefined {
  const name = written.toLowerCase().replaceAll('_', '-')
  if (known.has(name) || name.length < SHORTEST_NAME || name.length > LONGEST_NAME) return undefined
  const plain = name.replaceAll(/[0135]/g, (digit) => DIGITS[digit] ?? digit)
  if (known.has(plain)) return plain
  for (const one of shortenings(name, editsFor(name)))
    for (const candidate of near.get(one) ?? [])
      if (editDistance(name, candidate) <= Math.min(editsFor(candidate), editsFor(name))) return candidate
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
