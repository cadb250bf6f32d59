import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** How much of a refused body is read and thrown away. Beyond either limit the connection is closed. */
const MOST_BYTES = 64 * 1024 * 1024
const LONGEST_MS = 10_000

/** Reads to the end of the body, or to a limit; returns whether the end was reached. */
function drain(body: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let left = MOST_BYTES
    const count = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) stop()
    }
    const stop = () => {
      clearTimeout(timer)
      body.off('data', count).off('end', stop).off('error', stop).off('close', stop)
      resolve(body.complete || body.readableEnded)
    }
    const timer = setTimeout(stop, LONGEST_MS)
    body.on('data', count).once('end', stop).once('error', stop).once('close', stop)
    body.resume()
  })
}

/**
 * Lets a refusal reach a client that is still sending. Fastify closes the connection when it refuses a body, and most clients
 * send all of a body before they read: they would see a broken pipe instead of the 413. So the answer waits for the
 * rest of the body, within limits; if the whole body came, the connection stays open for the next request.
 */
export function drainRefusedBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request
    const isSending = !raw.complete && !raw.readableEnded && !raw.destroyed
    const isCut = reply.getHeader('connection') === 'close' && isSending
    if (!isCut || Number(request.headers['content-length'] ?? 0) > MOST_BYTES) {
      done(null, payload)
      return
    }
    drain(raw).then((isWhole) => {
      if (isWhole) reply.removeHeader('connection')
      done(null, payload)
    }, done)
  })
}
