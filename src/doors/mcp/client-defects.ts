import type { IncomingHttpHeaders } from 'node:http'
import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import { headerText } from '../../core/http/header-text.ts'
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
    headers.set('mcp-method', headerText(message.method))
  if (typeof name === 'string' && !headers.has('mcp-name')) headers.set('mcp-name', headerText(name))
  return headers
}
