import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** How much of a refused body is read and thrown away. Beyond either limit the connection is closed. */
const DRAIN = { bytes: 64 * 1024 * 1024, ms: 10_000 }

export type DrainBounds = typeof DRAIN

/** Reads to the end of the body, or to a limit; returns whether the end was reached. */
function drain(body: IncomingMessage, { bytes, ms }: DrainBounds): Promise<boolean> {
  return new Promise((resolve) => {
    let left = bytes
    const count = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) stop()
    }
    const stop = () => {
      clearTimeout(timer)
      body.off('data', count).off('end', stop).off('error', stop).off('close', stop)
      resolve(body.complete || body.readableEnded)
    }
    const timer = setTimeout(stop, ms)
    body.on('data', count).once('end', stop).once('error', stop).once('close', stop)
    body.resume()
  })
}

/**
 * Lets a refusal reach a client that is still sending. Fastify closes the connection when it refuses a body, and most clients
 * send all of a body before they read: they would see a broken pipe instead of the 413. So the answer waits for the
 * rest of the body, within limits; if the whole body came, the connection stays open for the next request.
 */
export function drainRefusedBodies(app: FastifyInstance, bounds: DrainBounds = DRAIN): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request
    const isSending = !raw.complete && !raw.readableEnded && !raw.destroyed
    const isCut = reply.getHeader('connection') === 'close' && isSending
    if (!isCut || Number(request.headers['content-length'] ?? 0) > bounds.bytes) {
      done(null, payload)
      return
    }
    drain(raw, bounds).then((isWhole) => {
      if (isWhole) reply.removeHeader('connection')
      done(null, payload)
    }, done)
  })
}
