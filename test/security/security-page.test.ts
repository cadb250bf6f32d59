import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
const named = Array.from(page.matchAll(/`([\w./-]+\.ts)`/g), (match) => match[1] ?? '')
/** Rows of the tables of threats: the threat, the protection, the tests. */
const rows = page
  .slice(page.indexOf('## Threats'))
  .split('\n')
  .filter((line) => /^\| (?!threat |\*\*)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('every file that SECURITY.md names is there, and it names every test of this folder', () => {
  expect(named.length).toBeGreaterThan(60)
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  const ours = readdirSync(import.meta.dirname).filter((name) => /\.(test|faults)\.ts$/.test(name))
  expect(ours.filter((name) => !named.includes(`test/security/${name}`))).toEqual([])
})

test('every threat stands there once, with its protection and its test', () => {
  expect(rows.length).toBeGreaterThan(100)
  expect(rows.filter((cells) => cells.length !== 5)).toEqual([])
  const threats = rows.map(([, threat]) => threat)
  expect(new Set(threats).size).toBe(threats.length)
  expect(rows.filter(([, threat, protection]) => !threat || !protection)).toEqual([])
  expect(rows.filter(([, , , tests = '']) => !/`[\w./-]+\.ts`/.test(tests))).toEqual([])
})
