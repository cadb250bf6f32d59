import { expect, test } from 'vitest'
import { environmentOf, quoted, readSearch, searchInput } from './search-state.ts'

test('what the address does not know is dropped, and a number in it is text', () => {
  expect(readSearch({ q: 404, scope: 'everything', plan: 'yes', track: 'debug' })).toEqual({
    q: '404',
    scope: undefined,
    workspace: undefined,
    tags: undefined,
    env: undefined,
    track: 'debug',
    plan: undefined,
    card: undefined,
  })
})

test('filters become the request, and a workspace counts only in the team scope', () => {
  expect(searchInput({ q: ' pool ', tags: 'a, b', env: 'node: 20, os=linux', workspace: 'w' })).toEqual({
    query: 'pool',
    scope: 'personal',
    limit: 30,
    tags: ['a', 'b'],
    environment: { node: '20', os: 'linux' },
  })
  expect(searchInput({ q: 'pool', scope: 'workspace', workspace: 'w' })).toMatchObject({
    workspace_ids: ['w'],
  })
})

test('an environment part without a name or a value is left out', () => {
  expect(environmentOf('node, : 20, os:')).toEqual({})
})

test('a corrected word is searched as it is once it stands in quotation marks', () => {
  expect(quoted('Kubernets pods pendign', ['kubernets', 'pendign'])).toBe('"Kubernets" pods "pendign"')
  expect(quoted('pods', ['kubernets'])).toBe('pods')
})
