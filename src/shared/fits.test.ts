import { expect, test } from 'vitest'
import { fitsOf } from './cites.ts'

const card = (more: object = {}) => ({ cites: [], environment: {}, verdicts: [], ...more })

test.each([
  [card({ cites: ['npm:fastify@^5'] }), { fastify: '5.2.1' }, 'likely'],
  [card({ cites: ['npm:fastify@^4'] }), { fastify: '5.2.1' }, 'older'],
  [card({ cites: ['npm:fastify@^6'] }), { fastify: '5.2.1' }, 'unknown'],
  [card({ environment: { Node: '24.1' } }), { node: '24.1' }, 'exact'],
  [card({ environment: { node: '24' } }), { node: '24.1.3' }, 'likely'],
  [card({ environment: { node: '18' } }), { node: '24.1.3' }, 'older'],
  [card({ cites: ['npm:fastify@5.2.1'] }), { fastify: '5.8.5' }, 'likely'],
  [card({ cites: ['npm:fastify@=5.2.1'] }), { fastify: '5.8.5' }, 'older'],
  [card({ cites: ['npm:esbuild@0.21.5'] }), { esbuild: '0.25.0' }, 'older'],
  [card({ cites: ['npm:fastify@5.2.1'] }), { fastify: '5.1.0' }, 'unknown'],
  [card({ environment: { node: '24' } }), { python: '3.12' }, 'unknown'],
  [card(), { node: '24' }, 'unknown'],
  [card({ cites: ['npm:fastify@^4', 'runtime:node@24'] }), { node: '24', fastify: '5' }, 'older'],
])('%j in %j is %s', (of, asked, expected) => expect(fitsOf(of, asked)).toBe(expected))

test('a verdict for the very version says more than the card', () => {
  const verdicts = [{ name: 'node', version: '24', worked: 3, failed: 1 }]
  expect(fitsOf(card({ environment: { node: '18' }, verdicts }), { node: '24.5' })).toBe('exact')
  const early = [{ name: 'esbuild', version: '0.21', worked: 3, failed: 0 }]
  const cites = ['npm:esbuild@0.21.5']
  expect(fitsOf(card({ cites, verdicts: early }), { esbuild: '0.21.9' })).toBe('exact')
  expect(fitsOf(card({ cites, verdicts: early }), { esbuild: '0.25.0' })).toBe('older')
  const named = [{ name: 'debian', version: 'bookworm', worked: 1, failed: 0 }]
  expect(fitsOf(card({ verdicts: named }), { debian: 'Bookworm' })).toBe('exact')
  expect(fitsOf(card({ verdicts: named }), { debian: 'trixie' })).toBe('unknown')
  const failed = [{ name: 'node', version: '24', worked: 0, failed: 2 }]
  expect(fitsOf(card({ environment: { node: '18' }, verdicts: failed }), { node: '24.5' })).toBe('older')
})
