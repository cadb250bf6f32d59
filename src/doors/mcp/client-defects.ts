import type { IncomingHttpHeaders } from 'node:http'
import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import { LAST_LEGACY, MODERN } from './versions.ts'

type Message = {
  method?: unknown
  params?: { name?: unknown; uri?: unknown; _meta?: Record<string, unknown> }
}

/**
 * A known client defect: the header still says 2025-11-25 while the body has the envelope of 2026-07-28. The body is what
 * was meant, so the headers follow it. Any other disagreement is left for the protocol to refuse.
 */
export function agreeingHeaders(given: IncomingHttpHeaders, body: unknown): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, String(value))
  const message = (typeof body === 'object' && body !== null ? body : {}) as Message
  const claimed = message.params?._meta?.[PROTOCOL_VERSION_META_KEY]
  if (claimed !== MODERN || headers.get('mcp-protocol-version') !== LAST_LEGACY) return headers
  headers.set('mcp-protocol-version', MODERN)
  const name = message.params?.name ?? message.params?.uri
  if (typeof message.method === 'string' && !headers.has('mcp-method'))
    headers.set('mcp-method', message.method)
  if (typeof name === 'string' && !headers.has('mcp-name')) headers.set('mcp-name', headerText(name))
  return headers
}

/** Header values are ASCII; the protocol wraps what is not. */
const headerText = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
