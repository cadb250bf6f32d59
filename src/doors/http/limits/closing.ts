import type { FastifyInstance } from 'fastify'
import { unavailable } from '../../../core/errors.ts'
import { sendError } from '../errors.ts'

const STOPPING = unavailable('The server is stopping. Try again in a moment.', 2)

/**
 * Refuses requests that come on an open connection after the server was told to stop, and ends the connection. Requests
 * from before are still answered. Fastify would refuse in a form of its own (`return503OnClosing`). Call it after
 * `drainRefusedBodies`, which keeps a connection whose body was read.
 */
export function refuseWhileClosing(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', (_request, reply, done) => {
    if (isClosing) sendError(reply, STOPPING)
    else done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    done(null, payload)
  })
}
