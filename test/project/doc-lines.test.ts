import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../support/process.ts'

const LONGEST_LINE = 120

/** Markdown that people write, or that a script writes for them to read. */
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: repository, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => !file.startsWith('bench/results/'))

/** Prose only: tables and code cannot be wrapped, and a link may be longer than a line. */
function longLines(file: string): string[] {
  let isCode = false
  return readFileSync(join(repository, file), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const isFence = line.trimStart().startsWith('```')
      if (isFence) isCode = !isCode
      const prose = line.replace(/\]\([^)]*\)|https?:\S+/g, '')
      return isFence || isCode || line.startsWith('|') || prose.length <= LONGEST_LINE
        ? []
        : [`${file}:${index + 1}`]
    })
}

test(`no line of a page is longer than ${LONGEST_LINE} characters`, () => {
  expect(pages.length).toBeGreaterThan(40)
  expect(pages.flatMap(longLines)).toEqual([])
})
