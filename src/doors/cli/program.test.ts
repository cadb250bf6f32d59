import { expect, test, vi } from 'vitest'
import { run } from './commands.ts'
import { CommandError, EXIT } from './exit-codes.ts'

test('what a server says in an error does not steer the terminal', async () => {
  const written: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const code = await run(
    'kvault',
    ['node', 'kvault', 'pull'],
    [
      (program, done) => {
        program.command('pull').action(() =>
          done(async () => {
            throw new CommandError('It is of https://b.example\u001b]0;owned\u0007\u001b[2J.')
          }),
        )
      },
    ],
  )
  spy.mockRestore()
  expect(code).not.toBe(EXIT.done)
  expect(written.join('')).toContain('It is of https://b.example')
  expect(written.join('')).not.toContain('\u001b')
  expect(written.join('')).not.toContain('\u0007')
})
