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

test('a setting or a piece of code in backticks is not the first thing to do', () => {
  for (const text of [
    "transformIgnorePatterns: ['node_modules/(?!nanoid)']",
    'max_connections = 200',
    "import x from './x.js'",
    'proxy_pass http://api:3000;',
    "declare module '*.css'",
    '{ "type": "module" }',
    'spring.datasource.url jdbc:h2',
    'const total = sum(lines)',
  ])
    expect(stepsOf(`Set \`${text}\`.`, []), text).toEqual([])
  for (const text of [
    'npm ci --force',
    './gradlew wrapper --gradle-version 8.5',
    'NODE_OPTIONS=--max-old-space-size=4096 npm run build',
    'pg_restore --no-owner dump.bin',
    'python3.11 -m venv .venv',
    'Set-ExecutionPolicy RemoteSigned',
    'ALTER ROLE report CONNECTION LIMIT 5',
    'sudo chown -R app node_modules',
  ])
    expect(stepsOf(`Set \`a: b c\`, then \`${text}\`.`, []), text).toEqual([text])
})
