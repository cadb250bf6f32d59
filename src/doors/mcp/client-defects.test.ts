import { expect, test } from 'vitest'
import { agreeingHeaders } from './protocol.ts'

test('headers that follow the body carry any method', () => {
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  for (const [method, said] of [
    ['tools/list', 'tools/list'],
    ['söker', '=?base64?c8O2a2Vy?='],
    ['a\nb', '=?base64?YQpi?='],
  ])
    expect(
      agreeingHeaders({ 'mcp-protocol-version': '2025-11-25' }, { method, params: { _meta } }).get(
        'mcp-method',
      ),
    ).toBe(said)
})
