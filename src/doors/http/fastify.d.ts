import type { Viewer } from '../../core/context.ts'
import type { Locate } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null
  }
  interface FastifyContextConfig {
    locate?: Locate
    /** The capability or page behind the route, for logs and metrics. */
    operation?: string
  }
}
