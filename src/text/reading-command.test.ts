import { expect, test } from 'vitest'
import { growsTooFast } from '../../test/support/linear-time.ts'
import { isReading } from './command-output.ts'

test('signs in quotes join no commands; what may hold a command, or is not closed, may do more', () => {
  for (const command of ['cat "a; rm b"', 'grep "say \\"a | b\\"" x', "rg 'a && b' | head", 'echo "a" "b;c"'])
    expect(isReading(command), command).toBe(true)
  for (const command of ['cat a; rm b', 'cat "$(rm b)"', 'cat "a', 'echo "a" "b', 'echo \\"; rm b; echo \\"'])
    expect(isReading(command), command).toBe(false)
})

test('quotes that are never closed are read once, not each to the end', () => {
  for (const piece of ['\\"', '"', 'a\\"b'])
    expect(
      growsTooFast((length) => isReading(`cat ${piece.repeat(length / piece.length)}`), 3000),
      piece,
    ).toBe(false)
})
