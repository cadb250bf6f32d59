/**
 * A server that looks at a mail before it accepts it may take ten minutes after the last byte (RFC 5321, 4.5.3.2.6). Whoever
 * gives up sooner sends the mail again, and it arrives twice.
 */
export const LONGEST_SILENCE_MS = 10 * 60_000
