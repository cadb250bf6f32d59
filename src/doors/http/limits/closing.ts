import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../../../core/errors.ts'
import { sendError } from '../errors.ts'
import type { Patience } from './connection-limits.ts'

const STOPPING = unavailable('The server is stopping. Try again in a moment.', 2)
const LOOK_MS = 100

/** Takes no new connections. The server's own `close` would also end at once those on which a request is on its way. */
async function drain(server: Server, drainMs: number): Promise<void> {
  if (!server.listening) return
  Listener.prototype.close.call(server)
  // The event comes earlier than the end of the time if no connection is left.
  await once(server, 'close', { signal: AbortSignal.timeout(drainMs) }).catch(() => {})
}

/**
 * When the server is told to stop, it still answers what comes on open connections for a moment, with `Connection: close`,
 * so that a client that has just sent a request does not lose it. Then it refuses further requests and ends idle
 * connections. Fastify would refuse in a form of its own (`return503OnClosing`). Call it after `drainRefusedBodies`, which
 * keeps a connection whose body was read.
 */
export function closeInOrder(app: FastifyInstance, { drainMs }: Patience): void {
  let isStopping = false
  let isRefusing = false
  let look: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    isStopping = true
    await drain(app.server, drainMs)
    isRefusing = true
    // Node closes idle connections once. One that still had a request then would stay until its client leaves.
    look = setInterval(() => app.server.closeIdleConnections(), LOOK_MS)
  })
  app.addHook('onClose', async () => clearInterval(look))
  app.addHook('onRequest', (_request, reply, done) => {
    if (isRefusing) sendError(reply, STOPPING)
    else done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close')
    done(null, payload)
  })
}
