import { expect, test } from 'vitest'
import { readCite } from './cite.ts'
import { readCites } from './read-cites.ts'

const content = (more: object) => ({
  card_type: 'debug_fix' as const,
  title: 'A title',
  symptom: 'A symptom',
  fix_summary: '',
  environment: {},
  root_cause: null,
  steps: [],
  tags: [],
  card_payload: null,
  body: null,
  scope_notes: null,
  ...more,
})

test('the environment cites runtimes, systems, tools, and packages of the registry it runs on', () => {
  const environment = { node: '24.1', Debian: '13', fastify: '5.2', docker: '27', shell: 'bash' }
  expect(readCites(content({ environment }))).toEqual([
    'runtime:node@24.1',
    'os:debian@13',
    'npm:fastify@5.2',
    'tool:docker@27',
  ])
  expect(readCites(content({ environment: { Django: '5.0' }, tags: ['python'] }))).toEqual([
    'pypi:django@5.0',
  ])
  expect(readCites(content({ environment: { something: '1.0' } }))).toEqual([])
})

test('commands in steps and texts cite what they add, with a version', () => {
  const steps = [
    { order: 1, action: 'Run `npm install -D fastify@^5 @types/node@24 vitest`', result: '' },
    { order: 2, action: 'pip install "django>=5,<6" requests==2.31.0 && cargo add serde@1.0', result: '' },
    { order: 3, action: 'go get example.com/mod@v1.2.3', result: '' },
  ]
  expect(readCites(content({ steps }))).toEqual([
    'npm:fastify@^5',
    'npm:@types/node@24',
    'pypi:django@>=5,<6',
    'pypi:requests@==2.31.0',
    'cargo:serde@1.0',
    'go:example.com/mod@v1.2.3',
  ])
})

test('addresses are cited without the punctuation around them', () => {
  const body = 'See https://example.com/a_b, and (https://example.com/c). Twice: https://example.com/c.'
  expect(readCites(content({ body }))).toEqual(['https://example.com/a_b', 'https://example.com/c'])
})

test('a written cite is read or refused', () => {
  expect(readCite('npm:@scope/name@^1.2')).toEqual({
    kind: 'package',
    ecosystem: 'npm',
    name: '@scope/name',
    range: '^1.2',
  })
  expect(readCite('pypi:Foo_Bar@>=2')).toMatchObject({ name: 'foo-bar' })
  expect(readCite('file:src/app.ts@0123abc#0123456789ab')).toMatchObject({ kind: 'file', path: 'src/app.ts' })
  for (const bad of [
    'npm:fastify',
    'left-pad@1',
    'file:../x',
    'javascript:alert(1)',
    `npm:a@${'1'.repeat(600)}`,
  ])
    expect(readCite(bad), bad).toBeNull()
})
