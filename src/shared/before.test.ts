import { expect, test } from 'vitest'
import { commandsNamed, filesNamed, namedIn } from '../text/named-things.ts'
import { idsBefore, type NamesIndex } from './before.ts'

const INDEX: NamesIndex = {
  ids: ['a', 'b', 'c', 'd'],
  files: { 'src/db/schema.ts': [0], 'schema.ts': [1], 'web/api.gen.ts': [2] },
  commands: { 'npm run migrate': [2], 'git push --force': [3] },
}

const files = (file: string) => idsBefore(INDEX, { file })
const commands = (command: string) => idsBefore(INDEX, { command })

test('a file is found by its path, and by its bare name where that was written', () => {
  expect(files('src/db/schema.ts')).toEqual(['a', 'b'])
  expect(files('./src/db/schema.ts')).toEqual(['a', 'b'])
  expect(files('lib\\schema.ts')).toEqual(['b'])
  expect(files('api.gen.ts')).toEqual([])
  expect(files('constructor')).toEqual([])
})

test('a command is found with more words and flags, as a part of a line, and by nothing else', () => {
  for (const command of [
    'npm run migrate',
    'cd db && NODE_ENV=test npm run migrate -- --dry',
    'sudo npm run migrate',
  ])
    expect(commands(command), command).toEqual(['c'])
  for (const command of [
    'git push origin main --force',
    'git push --force',
    'ls; git push -u --force origin',
  ])
    expect(commands(command), command).toEqual(['d'])
  for (const command of ['npm run migrate:undo', 'git push', 'echo npm run migrate', 'npm run', '', 'npm'])
    expect(commands(command), command).toEqual([])
})

test('only sentences that rule name something', () => {
  const text = 'We looked at src/a.ts today. Never edit src/b.gen.ts by hand. `npm run build` was slow.'
  expect([...namedIn(text).files]).toEqual(['src/b.gen.ts'])
  expect([...namedIn(text).commands]).toEqual([])
  expect([...namedIn(text, { all: true }).files]).toEqual(['src/a.ts', 'src/b.gen.ts'])
})

test('prose is no file and no command', () => {
  for (const prose of [
    'e.g. Node.js and 1.2.3',
    'see https://example.com/a.html',
    'mail a@b.rs',
    'make sure it works',
    'go back',
  ])
    expect([filesNamed(prose), commandsNamed(prose)], prose).toEqual([[], []])
  expect(filesNamed('(`Dockerfile`, docs/guide/x.md.)')).toEqual(['Dockerfile', 'docs/guide/x.md'])
  expect(commandsNamed('Use `docker compose up -d` or "npm run db:reset", never git push --force.')).toEqual([
    'docker compose up -d',
    'npm run db:reset',
    'git push --force',
  ])
})
