import type { IncomingHttpHeaders } from 'node:http'

/** The revision without a handshake: each request is independent. */
export const MODERN = '2026-07-28'
/** The last of those that begin with a handshake. */
export const LAST_LEGACY = '2025-11-25'
/** The legacy revisions whose calls have the same form. */
export const LEGACY: readonly unknown[] = [LAST_LEGACY, '2025-06-18']

/** A client must take both forms of an answer; which of them comes is up to the server. */
export const acceptsBoth = (accept = ''): boolean =>
  accept.includes('application/json') && accept.includes('text/event-stream')

/**
 * Whether a request is refused whatever its body says, so that the body need not be read. The library looks at `Accept` only
 * when it has read the body, and not at all in a message of 2026-07-28, whose header must say so too.
 */
export const acceptsNoAnswer = (headers: IncomingHttpHeaders): boolean =>
  headers['mcp-protocol-version'] !== MODERN && !acceptsBoth(headers.accept)
