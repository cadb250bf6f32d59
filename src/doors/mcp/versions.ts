/** The revision in which each request stands alone. */
export const MODERN = '2026-07-28'
/** The last of those that begin with a handshake. */
export const LAST_LEGACY = '2025-11-25'
/** Those of them whose calls are written alike. */
export const LEGACY: readonly unknown[] = [LAST_LEGACY, '2025-06-18']
