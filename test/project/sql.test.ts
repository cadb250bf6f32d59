import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../support/process.ts'

// CONTRIBUTING.md, "Where SQL stands".
const MOST_LINES = 6
const QUERY = /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(?:<[^`]*>)?`/g
const DECLARED = /= capability\(|: RawRoute\b/g

const root = join(repository, 'src')
const files = globSync('**/*.ts', { cwd: root })
  .filter((file) => !/\.(?:test|store|d)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

/** How many lines each query of a file has, from its first word to where it is executed. */
const queryLines = (text: string): number[] =>
  [...text.matchAll(QUERY)].map(({ index }) => {
    const end = text.indexOf('.execute', index)
    return text.slice(index, end === -1 ? undefined : end).split('\n').length
  })

test('core, text, adapters and doors hold no SQL outside stores', () => {
  const wrong = files.filter(
    ({ file, text }) => /^(?:core|text|adapters|doors)\//.test(file) && queryLines(text).length > 0,
  )
  expect(wrong.map(({ file }) => file)).toEqual([])
})

test('a file that declares capabilities has at most one short query for each', () => {
  const declaring = files
    .map(({ file, text }) => ({
      file,
      lines: queryLines(text),
      declared: [...text.matchAll(DECLARED)].length,
    }))
    .filter(({ file, declared }) => file.startsWith('features/') && declared > 0)
  expect(declaring.length).toBeGreaterThan(60)
  const wrong = declaring.filter(
    ({ lines, declared }) => lines.length > declared || lines.some((count) => count > MOST_LINES),
  )
  expect(wrong).toEqual([])
})
