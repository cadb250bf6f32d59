import type { FastifyRequest } from 'fastify'
import { type Ctx, contextFor, type Services } from '../context.ts'

/** The context of a raw route's call, with the viewer that the door has recognised. */
export const contextOfRequest = (services: Services, request: FastifyRequest): Ctx =>
  contextFor(services, {
    viewer: request.viewer,
    requestId: request.id,
    ip: request.clientHost,
    ifMatch: request.headers['if-match'],
    meter: request.meter,
  })
