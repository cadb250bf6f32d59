import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'

const NO_HOST = new AppError(400, 'bad_request', 'A request of HTTP/1.1 needs the header Host.')

/**
 * What Node refuses by itself has no body and no `X-Request-Id`. So a missing `Host` is refused here, with
 * `requireHostHeader` off, and an `Expect` that Node does not know has no effect: it asks for nothing that changes an
 * answer (RFC 9110, 10.1.1).
 */
export function replaceNodeRefusals(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers.host === undefined && raw.httpVersion === '1.1') done(NO_HOST)
    else done()
  })
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}
