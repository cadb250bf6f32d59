import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { ToolCapability } from '../../core/invoke.ts'
import { plainCall } from './protocol.ts'

const TOOLS = new Map([['get_card', { name: 'cards.get' } as ToolCapability]])
const HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2025-11-25',
}
const MESSAGE = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'get_card', arguments: { a: 1 } },
}

const MODERN_HEADERS = {
  ...HEADERS,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'get_card',
}
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
}
const MODERN_MESSAGE = { ...MESSAGE, params: { ...MESSAGE.params, _meta: META } }

describe('a plainly written call', () => {
  test('is known in both eras, with what it carries', () => {
    expect(plainCall(HEADERS, MESSAGE, TOOLS)).toMatchObject({ id: 7, era: 'legacy', input: { a: 1 } })
    expect(plainCall(MODERN_HEADERS, MODERN_MESSAGE, TOOLS)).toMatchObject({
      id: 7,
      era: 'modern',
      input: { a: 1 },
    })
  })

  test('may leave out its arguments, ask for progress, and carry what a client notes for itself', () => {
    const noted = { progressToken: 3, 'client.example/id': 'x' }
    expect(
      plainCall(HEADERS, { ...MESSAGE, params: { name: 'get_card', _meta: noted } }, TOOLS),
    ).toMatchObject({ input: {} })
  })
})

const without = (name: string, from: object) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))
const withParams = (params: object) => ({ ...MESSAGE, params: { ...MESSAGE.params, ...params } })
const withMeta = (changed: object) => ({
  ...MODERN_MESSAGE,
  params: { ...MODERN_MESSAGE.params, _meta: { ...META, ...changed } },
})

describe('left to the library', () => {
  test.each<[string, IncomingHttpHeaders, unknown]>([
    ['no object', HEADERS, [MESSAGE]],
    ['nothing', HEADERS, null],
    ['another method', HEADERS, { ...MESSAGE, method: 'tools/list' }],
    ['no id', HEADERS, without('id', MESSAGE)],
    ['an id that is no id', HEADERS, { ...MESSAGE, id: 1.5 }],
    ['another version of JSON-RPC', HEADERS, { ...MESSAGE, jsonrpc: '1.0' }],
    ['a field more', HEADERS, { ...MESSAGE, more: 1 }],
    ['a parameter more', HEADERS, withParams({ task: {} })],
    ['an unknown tool', HEADERS, withParams({ name: 'get_nothing' })],
    ['arguments that are a list', HEADERS, withParams({ arguments: [] })],
    ['a progress token that is none', HEADERS, withParams({ _meta: { progressToken: {} } })],
    [
      'a reserved field of another kind',
      HEADERS,
      withParams({ _meta: { 'io.modelcontextprotocol/related-task': {} } }),
    ],
    ['an accept without streams', { ...HEADERS, accept: 'application/json' }, MESSAGE],
    ['another type of body', { ...HEADERS, 'content-type': 'text/plain' }, MESSAGE],
    ['no version', without('mcp-protocol-version', HEADERS), MESSAGE],
    ['an older version', { ...HEADERS, 'mcp-protocol-version': '2025-03-26' }, MESSAGE],
    ['a modern body under an older header', HEADERS, MODERN_MESSAGE],
    ['an older body under a modern header', MODERN_HEADERS, MESSAGE],
    ['a header that names another method', { ...MODERN_HEADERS, 'mcp-method': 'tools/list' }, MODERN_MESSAGE],
    ['a header that names another tool', { ...MODERN_HEADERS, 'mcp-name': 'search' }, MODERN_MESSAGE],
    ['a header that is missing', without('mcp-name', MODERN_HEADERS), MODERN_MESSAGE],
    [
      'versions that disagree',
      MODERN_HEADERS,
      withMeta({ 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }),
    ],
    [
      'capabilities of another shape',
      MODERN_HEADERS,
      withMeta({ 'io.modelcontextprotocol/clientCapabilities': [] }),
    ],
    [
      'a client of another shape',
      MODERN_HEADERS,
      withMeta({ 'io.modelcontextprotocol/clientInfo': { name: 1 } }),
    ],
  ])('%s', (_what, headers, body) => {
    expect(plainCall(headers, body, TOOLS)).toBeUndefined()
  })
})
