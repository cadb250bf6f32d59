import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

type Bindings = Parameters<FastifyBaseLogger['child']>[0]
type Options = Parameters<FastifyBaseLogger['child']>[1]
/** As handed on; its many forms are the library's to tell apart. */
type Line = [message: string]

/** The logger of one request, made when it has something to say: most requests log nothing but their answer. */
export class LazyLog implements FastifyBaseLogger {
  // Plain fields: one is made for every request, and private ones cost more to set up.
  private readonly parent: FastifyBaseLogger
  private readonly bindings: Bindings
  private readonly options: Options
  private made: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: Options) {
    this.parent = parent
    this.bindings = bindings
    this.options = options
    this.made = undefined
  }

  private get log(): FastifyBaseLogger {
    this.made ??= this.parent.child(this.bindings, this.options)
    return this.made
  }

  get level(): string {
    return this.log.level
  }

  child(bindings: Bindings, options?: Options) {
    return this.log.child(bindings, options)
  }

  fatal(...line: unknown[]) {
    this.log.fatal(...(line as Line))
  }

  error(...line: unknown[]) {
    this.log.error(...(line as Line))
  }

  warn(...line: unknown[]) {
    this.log.warn(...(line as Line))
  }

  info(...line: unknown[]) {
    this.log.info(...(line as Line))
  }

  debug(...line: unknown[]) {
    this.log.debug(...(line as Line))
  }

  trace(...line: unknown[]) {
    this.log.trace(...(line as Line))
  }

  silent() {}
}

/** One line per answer. The route's pattern, never its address: paths and queries may carry tokens. */
export function logResponses(app: FastifyInstance, log: Logger): void {
  if (!log.isLevelEnabled('info')) return
  app.addHook('onResponse', (request, reply, done) => {
    log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        operation: request.routeOptions.config.operation,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        user_id: request.viewer?.userId,
      },
      'answered',
    )
    done()
  })
}
