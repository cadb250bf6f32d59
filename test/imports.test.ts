import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', 'src')
const files = globSync('**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))

type Import = { from: string; to: string; typeOnly: boolean }

const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/^(import|export)( type)? [^'"]*?from '(\.[^']+)'/gms)].map(
    ([, , type, target = '']) => ({
      from: file.split(sep).join('/'),
      to: normalize(join(dirname(file), target))
        .split(sep)
        .join('/'),
      typeOnly: type !== undefined,
    }),
  )
})

const layerOf = (file: string) => file.split('/')[0] ?? ''
const featureOf = (file: string) => (file.startsWith('features/') ? file.split('/')[1] : undefined)
const show = ({ from, to }: Import) => `${from} → ${to}`

/** What each layer may take code from; types are free, as they leave no trace at run time. */
const MAY_IMPORT: Record<string, string[]> = {
  core: ['core'],
  text: ['text'],
  db: ['db', 'core'],
  adapters: ['adapters', 'core'],
  'search-index': ['search-index', 'text', 'db', 'core'],
  features: ['features', 'search-index', 'text', 'db', 'core', 'adapters'],
  doors: ['doors', 'features', 'text', 'db', 'core', 'adapters'],
}

test('imports go one way: core ← features ← doors ← app', () => {
  const wrong = imports.filter(({ from, to, typeOnly }) => {
    const allowed = MAY_IMPORT[layerOf(from)]
    // A command is an entry like main.ts: it reads the configuration and puts things together.
    if (from.startsWith('doors/cli/') && ['config.ts', 'env-file.ts', 'app.ts', 'secret-key.ts'].includes(to))
      return false
    return allowed !== undefined && !typeOnly && !allowed.includes(layerOf(to))
  })
  expect(wrong.map(show)).toEqual([])
})

test("no feature reaches into another feature's store", () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      featureOf(from) !== undefined && featureOf(from) !== featureOf(to) && to.endsWith('.store.ts'),
  )
  expect(wrong.map(show)).toEqual([])
})

test('core knows neither fastify nor SQL; core/http knows the types of fastify', () => {
  const wrong = files.filter((file) => {
    const foreign = file.startsWith('core/http/')
      ? /^import (?!type )[^'\n]*from '(fastify|kysely|pg|node:sqlite)'/m
      : /from '(fastify|kysely|pg|node:sqlite)'/
    return layerOf(file) === 'core' && foreign.test(readFileSync(join(root, file), 'utf8'))
  })
  expect(wrong).toEqual([])
})

/** The files and folders that stand directly in a folder, and which of them take code from which. */
function siblingsIn(folder: string): Map<string, Set<string>> {
  const prefix = folder === '' ? '' : `${folder}/`
  const childOf = (file: string) =>
    file.startsWith(prefix) ? file.slice(prefix.length).split('/')[0] : undefined
  const uses = new Map<string, Set<string>>()
  for (const { from, to, typeOnly } of imports) {
    const [user, used] = [childOf(from), childOf(to)]
    if (typeOnly || !user || !used || user === used) continue
    uses.set(user, (uses.get(user) ?? new Set()).add(used))
  }
  return uses
}

/** A way from a child back to itself, if there is one. */
function cycleAmong(uses: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>()
  const walk = (at: string, way: string[]): string[] | undefined => {
    if (way.includes(at)) return [...way.slice(way.indexOf(at)), at]
    if (done.has(at)) return undefined
    for (const next of uses.get(at) ?? []) {
      const found = walk(next, [...way, at])
      if (found) return found
    }
    done.add(at)
    return undefined
  }
  for (const start of uses.keys()) {
    const found = walk(start, [])
    if (found) return found
  }
  return undefined
}

test('no cycle between the files and folders of any folder', () => {
  const folders = new Set(files.flatMap((file) => ['', ...parentsOf(file.split(sep).join('/'))]))
  const cycles = [...folders].flatMap((folder) => {
    const found = cycleAmong(siblingsIn(folder))
    return found ? [`${folder || 'src'}: ${found.join(' → ')}`] : []
  })
  expect(cycles).toEqual([])
})

const parentsOf = (file: string): string[] =>
  file.split('/').flatMap((_, i, parts) => (i === 0 ? [] : [parts.slice(0, i).join('/')]))

test('what the web app takes from the server needs nothing of Node', () => {
  const web = join(root, '..', 'web', 'src')
  const taken = globSync('**/*.{ts,tsx}', { cwd: web }).flatMap((file) =>
    [
      ...readFileSync(join(web, file), 'utf8').matchAll(
        /^(?:import|export) (?!type )[^'"]*?from '#server\/([^']+)'/gms,
      ),
    ].map(([, target = '']) => target),
  )
  const needed = new Set(taken)
  for (const file of needed)
    for (const { from, to, typeOnly } of imports) if (from === file && !typeOnly) needed.add(to)
  expect(needed).toContain('features/memory/project-key.ts')
  const wrong = [...needed].filter((file) =>
    /^(?:import|export) (?!type )[^'"]*?from 'node:/ms.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(wrong).toEqual([])
})

test('only main.ts touches the process', () => {
  const allowed = (file: string) => file === 'main.ts' || file.startsWith(`doors${sep}cli`)
  const wrong = files.filter(
    (file) =>
      !allowed(file) &&
      /(?<![\\|'"`/¦])\bprocess\.(env|exit|on|argv|cwd)\b/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(wrong).toEqual([])
})
