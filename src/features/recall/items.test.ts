import { expect, test } from 'vitest'
import { stepsOf } from './items.ts'

const step = (action: string, result = '') => ({ order: 1, action, result })

test('a command that shows that the fix worked is not the first thing to do', () => {
  const check = step('Run `npm test -- pay`', 'It succeeds.')
  expect(stepsOf('The shard was not mounted.', [step('Change src/ledger.ts'), check])).toEqual([
    'Change src/ledger.ts',
    'Run `npm test -- pay`',
  ])
  expect(stepsOf('Ran: `npm install left`.', [step('Run `npm install left`'), check])[0]).toBe(
    'npm install left',
  )
})

test('a command of any other step comes first', () => {
  const run = step('Run `npm ci --force`')
  expect(stepsOf('Install again.', [step('Remove the folder'), run])[0]).toBe('npm ci --force')
  expect(stepsOf('Install again.', [step('Run `npm ci --force`', 'It succeeds.')])[0]).toBe('npm ci --force')
})
