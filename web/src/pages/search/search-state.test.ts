import { expect, test } from 'vitest'
import {
  environmentOf,
  hasUnreadEnvironment,
  idempotencyKey,
  librarySearchInput,
  quoted,
  readSearch,
  searchInput,
} from './search-state.ts'

test('unknown parts of the address are dropped, and a number in it is text', () => {
  expect(readSearch({ q: 404, scope: 'everything', plan: 'yes', track: 'debug' })).toEqual({
    q: '404',
    workspace: undefined,
    tags: undefined,
    env: undefined,
    track: 'debug',
    plan: undefined,
    card: undefined,
    event: undefined,
  })
})

test('filters become the request; a workspace does not narrow the library', () => {
  const state = { q: ' pool ', tags: 'a, b', env: 'node: 20, os=linux', workspace: 'w' }
  const filters = { query: 'pool', tags: ['a', 'b'], environment: { node: '20', os: 'linux' } }
  expect(searchInput(state)).toEqual({ ...filters, workspace_ids: ['w'] })
  expect(librarySearchInput(state)).toEqual({ ...filters, sections: ['library'], limit: 1000 })
})

test('one question has one key a day, and another question or day has another', () => {
  const ask = (q: string, tags?: string, day = '2026-03-01') =>
    idempotencyKey(librarySearchInput({ q, tags }), new Date(`${day}T23:59:00Z`))
  expect(ask('pool')).toBe(ask(' pool '))
  const keys = [
    ask('pool'),
    ask('pool', 'a'),
    ask('pool', 'b'),
    ask('loop'),
    ask('pool', undefined, '2026-03-02'),
  ]
  expect(new Set(keys).size).toBe(keys.length)
  const withPlan = librarySearchInput({ q: 'pool', plan: true })
  expect(withPlan.generate_action_card).toBe(true)
  expect(idempotencyKey(withPlan, new Date('2026-03-01T12:00:00Z'))).toBe(ask('pool'))
  for (const key of [...keys, ask('é'.repeat(20_000))]) expect(key).toMatch(/^[\x21-\x7e]{1,255}$/)
})

test('an environment part without a name or a version is left out, and the field can tell', () => {
  expect(environmentOf('node, : 20, os:')).toEqual({})
  for (const part of ['node', ': 20', 'os:', 'os linux, node']) expect(hasUnreadEnvironment(part)).toBe(true)
  expect(hasUnreadEnvironment(undefined)).toBe(false)
})

test('a space separates name and version as a colon does', () => {
  const read = 'node 18, docker compose 2.1, operating system: linux mint, image = a:b'
  expect(environmentOf(read)).toEqual({
    node: '18',
    'docker compose': '2.1',
    'operating system': 'linux mint',
    image: 'a:b',
  })
  expect(hasUnreadEnvironment(read)).toBe(false)
})

test('a corrected word is searched as it is once it stands in quotation marks with a plus', () => {
  expect(quoted('Kubernets pods pendign', ['kubernets', 'pendign'])).toBe('+"Kubernets" pods +"pendign"')
  expect(quoted('pods', ['kubernets'])).toBe('pods')
})
