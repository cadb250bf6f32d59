import type { FastifyRequest } from 'fastify'
import { LogController } from 'fastify'
import type { Logger } from 'pino'
import type { RouteName } from './answers.ts'

/** One line per answer. The route's pattern, never its address: paths and queries may carry tokens. */
export function logAnswer(
  log: Logger,
  request: FastifyRequest,
  { url, operation }: RouteName,
  status: number,
  ms: number,
): void {
  log.info(
    {
      request_id: request.id,
      method: request.method,
      route: url,
      ...(operation === '' ? {} : { operation }),
      status,
      ms: Math.round(ms * 10) / 10,
      user_id: request.viewer?.userId,
    },
    'answered',
  )
}

/**
 * Fastify gets no logger: it would make one for every request and listen for the end of every answer. Its messages about
 * an answer that broke off come here.
 */
export class FailureLog extends LogController {
  readonly #log: Logger

  constructor(log: Logger) {
    super({ disableRequestLogging: true })
    this.#log = log
  }

  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    const line = { request_id: request.id, err: error }
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') this.#log.info(line, 'the client left before the end')
    else this.#log.warn(line, 'an answer broke off')
  }
}
