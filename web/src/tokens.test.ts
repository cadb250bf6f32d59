import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compile } from 'tailwindcss'
import { expect, test } from 'vitest'

const folder = import.meta.dirname
const tokens = readFileSync(join(folder, 'tokens.css'), 'utf8')

const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' ')).replace(/^\s*\/\/.*$/gm, '')

const files = globSync('**/*.{ts,tsx,css}', { cwd: folder })
  .filter((file) => !file.endsWith('.test.ts') && file !== 'tokens.css')
  .map((file) => ({ file, text: withoutComments(readFileSync(join(folder, file), 'utf8')) }))

const findings = (pattern: RegExp, of = files) =>
  of.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, index) =>
      [...line.matchAll(pattern)].map(([found, value]) => ({
        where: `${file}:${index + 1}: ${found}`,
        value: value ?? found,
      })),
    ),
  )

const locations = (found: { where: string }[]) => found.map(({ where }) => where)
const tokenNames = (prefix: string) =>
  [...tokens.matchAll(new RegExp(`--${prefix}-([a-z-]+):`, 'g'))].map(([, name]) => name)

test('colours are named in tokens.css alone', () => {
  expect(locations(findings(/#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b/gi))).toEqual([])
  expect(locations(findings(/\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|light-dark)\(/g))).toEqual([])
  const styles = files.filter(({ file }) => file.endsWith('.css'))
  const free = /^(?:var\(|color-mix\(|inherit$|none$|transparent$|currentcolor$)/i
  const declared = findings(/(?:^|[\s;-])(?:color|background|fill|stroke):\s*([^;]+)/g, styles)
  expect(locations(declared.filter(({ value }) => !free.test(value)))).toEqual([])
})

test('sizes are named in tokens.css alone', () => {
  expect(locations(findings(/[\w.[-]*\d(?:px|rem|em|ch|pt|[sld]?v[hw])\b/g))).toEqual([])
})

test('texts, columns and breakpoints grow with the text size that is set in the browser, as distances do', () => {
  const sizes = [...tokens.matchAll(/--(?:text|container|breakpoint)-[a-z-]+: ([^;]+);/g)].map(
    ([, size]) => size,
  )
  expect(sizes.length).toBeGreaterThan(15)
  expect(sizes.filter((size) => !size?.endsWith('rem') && size !== 'initial')).toEqual([])
})

test('durations are named in tokens.css alone', () => {
  const styles = files.filter(({ file }) => file.endsWith('.css'))
  expect(locations(findings(/\d(?:ms|s)\b/g, styles))).toEqual([])
  expect(locations(findings(/\b(?:duration|delay)-(?:\d|\[)[^\s'"]*/g))).toEqual([])
})

test('an icon has one of the sizes in tokens.css', () => {
  const named = [...tokens.matchAll(/--icon-([a-z0-9]+): ([\d.]+)rem/g)]
  const sizes = named.map(([, , size]) => String(Number(size) * 16))
  expect(sizes.length).toBeGreaterThan(0)
  const styles = readFileSync(join(folder, 'styles.css'), 'utf8')
  const drawn = [...styles.matchAll(/svg\[width="(\d+)"\] \{\s+width: var\(--icon-([a-z0-9]+)\);/g)]
  expect(drawn.map(([, size, name]) => [name, size])).toEqual(named.map(([, name], i) => [name, sizes[i]]))
  const used = findings(/\bsize(?: = |=\{)(\d+)/g)
  expect(used.length).toBeGreaterThan(100)
  expect(locations(used.filter(({ value }) => !sizes.includes(value)))).toEqual([])
})

test('a width that is named is a token: Tailwind leaves out a class it does not know without a word', () => {
  const known = [
    ...tokenNames('container'),
    ...tokenNames('spacing'),
    'full',
    'none',
    'fit',
    'min',
    'max',
    'px',
  ]
  const used = findings(/\bmax-w-([a-z][a-z-]*)/g)
  expect(used.length).toBeGreaterThan(10)
  expect(locations(used.filter(({ value }) => !known.includes(value)))).toEqual([])
})

const MARKS = ['group/code', 'code-block']

test('each class has a rule, by Tailwind or by our own sheets', async () => {
  const sheet = (path: string) => ({
    path,
    base: dirname(path),
    content: readFileSync(path, 'utf8'),
  })
  const { build } = await compile(sheet(join(folder, 'styles.css')).content, {
    base: folder,
    loadStylesheet: async (id, base) =>
      sheet(
        id === 'tailwindcss' ? fileURLToPath(import.meta.resolve('tailwindcss/index.css')) : join(base, id),
      ),
  })
  const used = findings(/\bclassName="([^"]+)"/g).flatMap(({ where, value }) =>
    value.split(/\s+/).map((value) => ({ where: `${where.split(': ')[0]}: ${value}`, value })),
  )
  expect(used.length).toBeGreaterThan(1000)
  const rules = build([...new Set(used.map(({ value }) => value))]).replaceAll('\\', '')
  const hasRule = (name: string) =>
    rules
      .split(`.${name}`)
      .slice(1)
      .some((rest) => !/^[\w/-]/.test(rest))
  const unknown = used.filter(({ value }) => !MARKS.includes(value) && !hasRule(value))
  expect(locations(unknown)).toEqual([])
})

test('what comes from the server is imported by its alias', () => {
  expect(locations(findings(/['"](?:\.\.\/)+src\/[^'"]+['"]/g))).toEqual([])
})
