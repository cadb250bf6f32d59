import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const SERVER = join(ROOT, 'src')
const sourcesIn = (folder: string) =>
  globSync('**/*.{ts,tsx}', { cwd: folder })
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .map((file) => ({ file: file.split(sep).join('/'), text: readFileSync(join(folder, file), 'utf8') }))

/** Bundles these modules as for a browser, and returns the modules of Node that they load. */
async function nodeModulesLoadedBy(modules: readonly string[]): Promise<string[]> {
  const loaded = new Set<string>()
  const bundle = await rolldown({
    input: modules.map((module) => join(SERVER, module)),
    plugins: [
      {
        name: 'modules-of-node',
        resolveId(id, importer) {
          if (!id.startsWith('node:')) return null
          loaded.add(`${importer?.slice(SERVER.length + 1)} → ${id}`)
          return { id, external: true }
        },
      },
    ],
  })
  await bundle.generate()
  await bundle.close()
  return [...loaded]
}

test('code of the server that the browser loads needs nothing of Node, and no feature', async () => {
  const loaded = new Set(
    sourcesIn(join(ROOT, 'web', 'src')).flatMap(({ text }) =>
      [
        ...text.matchAll(/^(?:import|export) (?!type )[^'"]*?from '#server\/([^']+)'/gms),
        ...text.matchAll(/(?<!typeof )\bimport\('#server\/([^']+)'\)/g),
      ].map(([, module = '']) => module),
    ),
  )
  expect([...loaded]).toContain('shared/memory.ts')
  expect([...loaded].filter((module) => module.startsWith('features/'))).toEqual([])
  expect(await nodeModulesLoadedBy([...loaded])).toEqual([])
})

test('redaction and review, which hook and browser load, need nothing of Node', async () => {
  expect(await nodeModulesLoadedBy(['redaction/redact.ts', 'review/find-danger.ts'])).toEqual([])
})

test('a module that needs Node is told', async () => {
  expect(await nodeModulesLoadedBy(['core/crypto.ts'])).not.toEqual([])
})

const START = ['main.ts', 'startup.ts', 'start-errors.ts', 'cluster.ts']

test('only the start and the command touch the process', () => {
  const isAllowed = (file: string) => START.includes(file) || file.startsWith('doors/cli')
  const wrong = sourcesIn(SERVER).filter(
    ({ file, text }) => !isAllowed(file) && /(?<![\\|'"`/¦])\bprocess\.(env|exit|on|argv|cwd)\b/.test(text),
  )
  expect(wrong.map(({ file }) => file)).toEqual([])
})
