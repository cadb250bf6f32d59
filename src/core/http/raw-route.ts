import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { LimitClass, Route } from '../capability.ts'
import type { Services } from '../context.ts'
import type { Scope } from '../scopes.ts'

/** As the API description has it. */
type Parameter = {
  name: string
  in: 'query' | 'header'
  required: boolean
  description?: string
  schema: object
}

/** A route that is more than JSON in and JSON out: webhooks, uploads, streams, pages. Lives in `features/x/x.http.ts`. */
export type RawRoute = {
  name: string
  summary: string
  route: Route
  scopes: readonly Scope[] | 'public'
  /** As in the declaration of a capability. */
  hasAuthor?: true
  limit?: LimitClass
  /** A page for people who are not signed in; a signed-in person gets the web app at the same address. */
  inApp?: true
  /** Whether this server has the route; if left out, every server has it. */
  isOn?: (config: Config) => boolean
  bodyLimit?: number
  /** For files: the most bytes of a whole body. They count against the sender's limit before they are read. */
  uploadBytes?: number
  /** Its answers are the same for everybody and hold no secret, so they may be compressed. */
  compress?: true
  /** Its part of the API description; pages that are not API leave it out. */
  openapi?: {
    /** Besides those of the path. */
    parameters?: readonly Parameter[]
    requestBody?: object
    /** Those of success; errors are only named. */
    responses: Record<string, object>
    errors?: readonly number[]
    /** Whether it honours `Idempotency-Key`. */
    takesKey?: boolean
    /** Schemas that it adds to the components, by name. */
    schemas?: Record<string, object>
  }
  /** Content types of its own, in its own scope. */
  prepare?: (app: FastifyInstance) => void | Promise<void>
  handle: (services: Services, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}
