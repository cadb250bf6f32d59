import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { interfacePage } from '../../scripts/docs-interface.ts'
import { fieldText, type Schema, typeText } from '../../scripts/interface/schema-text.ts'
import { capabilities, rawRoutes } from '../../src/capabilities.ts'
import { toolsOf } from '../../src/core/tools.ts'
import { repository } from '../support/process.ts'

const read = (file: string) => readFileSync(join(repository, file), 'utf8')
const page = read('docs/interface.md')

test('docs/interface.md is what `npm run docs:interface` makes of the capabilities', () => {
  expect(page).toBe(interfacePage())
})

test('it has every call and every tool', () => {
  const routes = [
    ...capabilities.flatMap((capability) => capability.rest ?? []),
    ...rawRoutes.filter((raw) => raw.openapi).map((raw) => raw.route),
  ]
  expect(routes.filter((route) => !page.includes(`\`${route}\``))).toEqual([])
  expect(toolsOf(capabilities).filter((tool) => !page.includes(`| \`${tool.tool.name}\` |`))).toEqual([])
})

test('every link leads to a heading', () => {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text.toLowerCase().replaceAll(' ', '-'),
  )
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = '']) => target)
  expect(links.length).toBeGreaterThan(100)
  expect([...new Set(links)].filter((link) => !headings.includes(link))).toEqual([])
})

test('it explains every code that the service throws', () => {
  const codes = globSync('src/{core,features,doors}/**/*.ts', { cwd: repository })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...read(file).matchAll(/(?:new AppError\(\s*\d+,|conflict\()\s*'([a-z_]+)'/g)])
    .map(([, code = '']) => code)
  expect(codes.length).toBeGreaterThan(20)
  expect([...new Set(codes)].filter((code) => !page.includes(`\`${code}\``))).toEqual([])
})

test('no mark of the rules is left unfilled', () => {
  expect(page).not.toMatch(/^<!-- \w+ -->$/m)
  expect(page).not.toContain('undefined')
})

test('a schema reads as words', () => {
  const samples: [Schema, string][] = [
    [{ type: 'string', minLength: 1, maxLength: 120 }, 'string, 1 to 120 characters'],
    [{ type: 'string', format: 'uuid' }, 'uuid'],
    [{ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, 'integer, at least 1'],
    [{ type: 'array', maxItems: 5, items: { enum: ['a', 'b'] } }, 'array of `a`, `b` (up to 5)'],
    [{ anyOf: [{ type: 'boolean' }, { type: 'null' }] }, 'boolean or null'],
    [{ type: ['string', 'null'], format: 'uuid' }, 'uuid or null'],
    [{ type: ['integer', 'null'], minimum: 1, maximum: 3650 }, 'integer, 1 to 3,650 or null'],
    [{ $ref: '#/components/schemas/CaseStep' }, '[CaseStep](#casestep)'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'object of string'],
    [{}, 'anything'],
  ]
  for (const [schema, text] of samples) expect(typeText(schema)).toBe(text)
  expect(fieldText('limit', { type: 'integer', default: 5 }, true)).toBe('`limit`\\* integer = `5`')
  expect(fieldText('tags', { type: 'array', default: [] }, false)).toBe('`tags` array of anything')
})
