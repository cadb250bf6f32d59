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
  db: ['db', 'core'],
  adapters: ['adapters', 'core'],
  features: ['features', 'db', 'core', 'adapters', 'version.ts'],
  doors: ['doors', 'features', 'db', 'core', 'adapters', 'version.ts'],
}

test('imports go one way: core ← features ← doors ← app', () => {
  const wrong = imports.filter(({ from, to, typeOnly }) => {
    const allowed = MAY_IMPORT[layerOf(from)]
    // Webhooks, uploads and pages of a feature speak HTTP and may use the HTTP door's tools.
    if (from.endsWith('.http.ts') && to.startsWith('doors/http/')) return false
    // A command is an entry like main.ts: it reads the configuration and puts things together.
    if (from.startsWith('doors/cli/') && ['config.ts', 'env-file.ts', 'app.ts'].includes(to)) return false
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

test('core knows neither fastify nor SQL', () => {
  const wrong = files.filter(
    (file) =>
      layerOf(file) === 'core' &&
      /from '(fastify|kysely|pg|node:sqlite)'/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(wrong).toEqual([])
})

test('only main.ts touches the process', () => {
  const allowed = (file: string) => file === 'main.ts' || file.startsWith(`doors${sep}cli`)
  const wrong = files.filter(
    (file) =>
      !allowed(file) &&
      /(?<![\\|'"`/])\bprocess\.(env|exit|on|argv|cwd)\b/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(wrong).toEqual([])
})
