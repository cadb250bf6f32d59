/** The revision without a handshake: each request is independent. */
export const MODERN = '2026-07-28'
/** The last of those that begin with a handshake. */
export const LAST_LEGACY = '2025-11-25'
/** The legacy revisions whose calls have the same form. */
export const LEGACY: readonly unknown[] = [LAST_LEGACY, '2025-06-18']
