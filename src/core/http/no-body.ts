import { Readable } from 'node:stream'

/**
 * The body of an answer to HEAD. Fastify would read a stream to its end and throw it away, and to no body at all it gives
 * a length of 0.
 */
export const noBody = (): Readable => Readable.from([], { objectMode: false })
