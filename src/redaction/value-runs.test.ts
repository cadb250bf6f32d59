import { expect, test, vi } from 'vitest'
import { BLANKS, setOf, ValueRuns, WORD_CHARACTERS } from './assignments.ts'
import { redact } from './redact.ts'

const NOTATION = { inside: setOf(`${WORD_CHARACTERS}=`), behind: setOf(`${BLANKS}"&`), longest: 20 }
const runs = (text: string) => new ValueRuns(text, NOTATION)

test('a value may start where its run is short and ends as values do', () => {
  expect(runs('key=abc def').admits(4)).toBe(true)
  expect(runs('key=abc').admits(4)).toBe(true)
  expect(runs('key=abc\u00a0').admits(4)).toBe(true)
  expect(runs('key=abc|').admits(4)).toBe(false)
  expect(runs('a'.repeat(21)).admits(0)).toBe(false)
  expect(runs('a'.repeat(21)).admits(1)).toBe(true)
})

test('a value may end inside a run, before an ampersand', () => {
  expect(runs('key=abc&next=1|').admits(4)).toBe(true)
  expect(runs('key=abc&&abc|').admits(4)).toBe(true)
  const strict = { ...NOTATION, behind: setOf(BLANKS) }
  expect(new ValueRuns('key=abc&&abc|', strict).admits(4)).toBe(false)
})

test('in one run only the first names are tried, and each run begins anew', () => {
  const text = 'aaaaaaaaaaaa bbbbbbbbbbbb'
  const of = runs(text)
  expect(Array.from({ length: 12 }, (_, at) => of.admits(at)).filter(Boolean).length).toBe(8)
  expect(of.admits(13)).toBe(true)
})

/** How often a pattern of values is tried on such a text. */
function triesOn(text: string): number {
  const tried = vi.spyOn(RegExp.prototype, 'exec')
  redact(text)
  const patterns = tried.mock.contexts.map((pattern) => String(pattern))
  tried.mockRestore()
  return patterns.filter((pattern) => /\{[68],[24]00\}\(\?=\[\\s"'`;,/.test(pattern)).length
}

test('names between signs that values may have are not each searched for a value', () => {
  for (const unit of ['|key', 'key=#', 'key||', 'key:#', 'password=#'])
    expect(triesOn(unit.repeat(500)), unit).toBeLessThan(20)
})

test('the last names among such signs still have their values', () => {
  const secret = 'a1B2c3D4e5F6g7H8'
  for (const unit of ['|key', 'key=#', 'key||'])
    for (const text of [`${unit.repeat(500)} key=${secret}`, `${unit.repeat(500)}\nkey: ${secret}\n`])
      expect(redact(text).text, unit).not.toContain(secret)
})
