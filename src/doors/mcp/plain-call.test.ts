import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { ToolCapability } from '../../core/tools.ts'
import { plainCall } from './plain-call.ts'

const tools = new Map([['get_card', { name: 'cards.get' } as ToolCapability]])
const headers = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2025-11-25',
}
const message = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'get_card', arguments: { a: 1 } },
}

const modernHeaders = {
  ...headers,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'get_card',
}
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
}
const modernMessage = { ...message, params: { ...message.params, _meta: meta } }

describe('a plainly written call', () => {
  test('is known in both eras, with what it carries', () => {
    expect(plainCall(headers, message, tools)).toMatchObject({ id: 7, era: 'legacy', input: { a: 1 } })
    expect(plainCall(modernHeaders, modernMessage, tools)).toMatchObject({
      id: 7,
      era: 'modern',
      input: { a: 1 },
    })
  })

  test('may leave out its arguments, ask for progress, and carry what a client notes for itself', () => {
    const noted = { progressToken: 3, 'client.example/id': 'x' }
    expect(
      plainCall(headers, { ...message, params: { name: 'get_card', _meta: noted } }, tools),
    ).toMatchObject({ input: {} })
  })
})

const without = (name: string, from: object) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))
const withParams = (params: object) => ({ ...message, params: { ...message.params, ...params } })
const withMeta = (changed: object) => ({
  ...modernMessage,
  params: { ...modernMessage.params, _meta: { ...meta, ...changed } },
})

describe('left to the library', () => {
  test.each<[string, IncomingHttpHeaders, unknown]>([
    ['no object', headers, [message]],
    ['nothing', headers, null],
    ['another method', headers, { ...message, method: 'tools/list' }],
    ['no id', headers, without('id', message)],
    ['an id that is no id', headers, { ...message, id: 1.5 }],
    ['another version of JSON-RPC', headers, { ...message, jsonrpc: '1.0' }],
    ['a field more', headers, { ...message, more: 1 }],
    ['a parameter more', headers, withParams({ task: {} })],
    ['an unknown tool', headers, withParams({ name: 'get_nothing' })],
    ['arguments that are a list', headers, withParams({ arguments: [] })],
    ['a progress token that is none', headers, withParams({ _meta: { progressToken: {} } })],
    [
      'a reserved field of another kind',
      headers,
      withParams({ _meta: { 'io.modelcontextprotocol/related-task': {} } }),
    ],
    ['an accept without streams', { ...headers, accept: 'application/json' }, message],
    ['another type of body', { ...headers, 'content-type': 'text/plain' }, message],
    ['no version', without('mcp-protocol-version', headers), message],
    ['an older version', { ...headers, 'mcp-protocol-version': '2025-03-26' }, message],
    ['a modern body under an older header', headers, modernMessage],
    ['an older body under a modern header', modernHeaders, message],
    ['a header that names another method', { ...modernHeaders, 'mcp-method': 'tools/list' }, modernMessage],
    ['a header that names another tool', { ...modernHeaders, 'mcp-name': 'search' }, modernMessage],
    ['a header that is missing', without('mcp-name', modernHeaders), modernMessage],
    [
      'versions that disagree',
      modernHeaders,
      withMeta({ 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }),
    ],
    [
      'capabilities of another shape',
      modernHeaders,
      withMeta({ 'io.modelcontextprotocol/clientCapabilities': [] }),
    ],
    [
      'a client of another shape',
      modernHeaders,
      withMeta({ 'io.modelcontextprotocol/clientInfo': { name: 1 } }),
    ],
  ])('%s', (_what, headers, body) => {
    expect(plainCall(headers, body, tools)).toBeUndefined()
  })
})
