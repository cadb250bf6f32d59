import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { LimitClass, Route } from '../capability.ts'
import type { Services } from '../context.ts'
import type { Scope } from '../scopes.ts'

/** What JSON in, JSON out cannot say: webhooks, uploads, streams, pages. Lives in `features/x/x.http.ts`. */
export type RawRoute = {
  name: string
  summary: string
  route: Route
  scopes: readonly Scope[] | 'public'
  limit?: LimitClass
  /** A page for strangers: whoever is signed in and opens it in a browser gets the web app. */
  inApp?: true
  /** Whether this server has it at all; left out, every server has. */
  isOn?: (config: Config) => boolean
  bodyLimit?: number
  /** Its answers are the same for everybody and hold no secret, so they may be compressed. */
  compress?: true
  /** Its part of the API description; pages that are not API leave it out. */
  openapi?: {
    /** Besides those of the path. */
    parameters?: readonly object[]
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
