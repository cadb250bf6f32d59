import { expect, test } from 'vitest'
import { growsTooFast } from '../../test/support/linear-time.ts'
import { partsOf, readCommand } from './command-line.ts'

test('blanks and line ends around the commands of a line do not belong to them', () => {
  const textsOf = (line: string) => partsOf(line).map(({ text }) => text)
  expect(textsOf('\n\n  npm test  \n\n\t ls &&\n\n  pwd \n')).toEqual(['npm test', 'ls', 'pwd'])
  expect(textsOf(' \n & && \n; ')).toEqual(['&'])
})

test('a row of line ends is read once', () => {
  const read = (length: number) => {
    for (let i = 0; i < 50; i++) readCommand(`npm test${'\n'.repeat(length)}`)
  }
  expect(growsTooFast(read, 240)).toBe(false)
})
