import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '../../../core/errors.ts'
import { sendError } from '../errors.ts'

const TOO_LATE = unavailable(
  'The answer takes too long. If you asked for a change, check whether it was made before you repeat it.',
  2,
)

/** An answer that was prepared, such as a stream without its first byte, may have a type, a length or a file name. */
function dropHeaders(reply: FastifyReply): void {
  for (const name of Object.keys(reply.getHeaders())) {
    reply.removeHeader(name)
    reply.raw.removeHeader(name)
  }
}

function answerLate(request: FastifyRequest, reply: FastifyReply, socket: Socket): void {
  // The client is slow, not we: it still sends its request, or reads its answer.
  if (!request.raw.complete || reply.raw.headersSent) {
    socket.destroy()
    return
  }
  dropHeaders(reply)
  sendError(reply.header('connection', 'close'), TOO_LATE)
}

/**
 * Answers a request that has waited for as long as its connection may be silent (`silenceMs`), where Node would close the
 * connection. Each single wait is shorter, but a request may have many: in a queue, for a connection, statements, other
 * hosts, and all of it again after a conflict.
 */
export function answerInTime(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('timeout', (socket: Socket) => answerLate(request, reply, socket))
    done()
  })
}
