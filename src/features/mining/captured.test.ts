import { expect, test } from 'vitest'
import { readCommand } from '../../shared/command-line.ts'
import type { CapturedTurn } from '../memory/mining-queue.ts'
import { sessionFrom } from './job.ts'

const turnOf = (commands: number, characters: number): CapturedTurn => ({
  message: 'Please go on.',
  report: 'Done.',
  activity: {
    commands: Array.from({ length: commands }, () => ({
      command: 'npm test',
      output: 'x'.repeat(characters),
    })),
    files: [],
    environment: {},
  },
  client: null,
  createdAt: '',
})
const commandsIn = (turns: CapturedTurn[]) =>
  sessionFrom(turns).steps.filter(({ kind }) => kind === 'command').length

test('of a session as long as somebody likes only the end is read, in whole turns', () => {
  expect(commandsIn(Array(100).fill(turnOf(5, 10)))).toBe(500)
  expect(commandsIn(Array(100).fill(turnOf(100, 10)))).toBe(600)
  expect(commandsIn(Array(100).fill(turnOf(3, 20_000)))).toBe(24)
  expect(commandsIn([turnOf(1, 1), turnOf(100, 20_000)])).toBe(100)
  expect(commandsIn([])).toBe(0)
})

test('a line of a thousand commands is read by its first ones', () => {
  expect(readCommand(Array(1000).fill('x').join(';')).parts).toHaveLength(30)
})
