import type { IncomingHttpHeaders } from 'node:http'

/** The protocol revision without a handshake: each request is independent. */
export const MODERN = '2026-07-28'
/** The last protocol revision with a handshake. */
export const LAST_LEGACY = '2025-11-25'
/** The legacy revisions whose calls have the same form. */
export const LEGACY: readonly unknown[] = [LAST_LEGACY, '2025-06-18']

/** Returns whether the client accepts both forms of an answer, as the protocol requires. */
export const acceptsBoth = (accept = ''): boolean =>
  accept.includes('application/json') && accept.includes('text/event-stream')

/** Refuses early: the library checks `Accept` only after it has read the body. */
export const acceptsNoAnswer = (headers: IncomingHttpHeaders): boolean =>
  headers['mcp-protocol-version'] !== MODERN && !acceptsBoth(headers.accept)
