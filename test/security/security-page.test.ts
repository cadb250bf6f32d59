import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
const named = Array.from(page.matchAll(/`([\w./-]+\.ts)`/g), (match) => match[1] ?? '')
const entries = page.split(/^- /m).slice(1)

test('every file that SECURITY.md names is there, and it names every test of this folder', () => {
  expect(named.length).toBeGreaterThan(60)
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  const ours = readdirSync(import.meta.dirname).filter((name) => /\.(test|faults)\.ts$/.test(name))
  expect(ours.filter((name) => !named.includes(`test/security/${name}`))).toEqual([])
})

test('every threat stands there once, with its test', () => {
  const threats = entries.map((entry) => /^\*\*(.+?)\.\*\*/s.exec(entry)?.[1])
  expect(threats.filter((threat) => threat === undefined)).toEqual([])
  expect(new Set(threats).size).toBe(threats.length)
  expect(entries.filter((entry) => !/\*Test:\*[^.]*`/s.test(entry))).toEqual([])
})
