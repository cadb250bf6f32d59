import type { Viewer } from '../../core/context.ts'
import type { LimitState } from '../../core/limits.ts'
import type { Meter } from '../../core/work.ts'
import type { Locate } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null
    /** Where the request comes from, as limits count it. Not `ip`, which believes whatever a header says. */
    readonly clientHost: string
    /** Where the caller's limit stands, once it was counted; every answer says it. */
    limit: LimitState | null
    /** The length of a JSON body; 0 before it was read. */
    bodyBytes: number
    /** By `performance.now()`; 0 before a route was asked. Kept by the routes of capabilities. */
    startedAt: number
    /** Charges the caller for long work. */
    readonly meter: Meter | undefined
  }
  interface FastifyContextConfig {
    locate?: Locate
    /** The capability or page behind the route, for logs and metrics. */
    operation?: string
    isCapability?: boolean
    /** Its answers are the same for everybody and hold no secret, so they may be compressed. */
    compress?: boolean
  }
}
