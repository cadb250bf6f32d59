import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readLocked } from './locked.ts'

/** Versions of what a folder uses: `{ node: '24.1', fastify: '5.8.5' }`. */
export type Environment = Record<string, string>

const MOST_NAMES = 30
/** The vault refuses a question with a longer one. */
const LONGEST_NAME = 200
const LARGEST_MANIFEST = 1024 * 1024

/** The direct dependencies: of thousands of packages in a lock file, those that a person has chosen. */
function chosenNames(folder: string): Set<string> {
  try {
    const file = join(folder, 'package.json')
    const found = statSync(file, { throwIfNoEntry: false })
    if (!found?.isFile() || found.size > LARGEST_MANIFEST) return new Set()
    const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) ?? {}
    return new Set(Object.keys({ ...dependencies, ...devDependencies }).map((name) => `npm:${name}`))
  } catch {
    return new Set()
  }
}

/** The versions in the lock files of a folder: runtimes first, then direct dependencies, then the rest, by name. */
export function allVersionsOf(folder: string): Environment {
  const { versions } = readLocked(folder)
  const chosen = chosenNames(folder)
  const rank = (key: string): number => (key.startsWith('runtime:') ? 0 : chosen.has(key) ? 1 : 2)
  const sorted = [...versions].sort(
    ([one], [other]) => rank(one) - rank(other) || (one < other ? -1 : Number(one > other)),
  )
  const environment: Environment = {}
  for (const [key, [version]] of sorted) {
    const name = key.slice(key.indexOf(':') + 1)
    if (version !== undefined && name.length <= LONGEST_NAME) environment[name] ??= version
  }
  return environment
}

/** The first of them, for a question that names no package. */
export const environmentOf = (folder: string): Environment =>
  Object.fromEntries(Object.entries(allVersionsOf(folder)).slice(0, MOST_NAMES))
