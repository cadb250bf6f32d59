import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../core/context.ts'
import { AppError, nothingHere } from '../../core/errors.ts'
import { sendError, toAppError } from './errors.ts'
import type { Answers } from './fast-path/answers.ts'
import { clientHost, type IsTrusted } from './limits/client-host.ts'
import { countMiss } from './limits/rate-limit.ts'

function refusalOf(error: FastifyError, request: FastifyRequest, services: Services): AppError {
  switch (error.code) {
    case 'FST_ERR_BAD_URL':
      return new AppError(
        400,
        'bad_request',
        'The path of this address cannot be decoded. Write a percent sign as %25, and other characters as UTF-8.',
      )
    // No id and no name is that long.
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return nothingHere()
    default:
      return toAppError(error, request, services)
  }
}

/**
 * For `frameworkErrors`: answers what Fastify's router refuses before it has a route. No hook of ours runs then, and the
 * request lacks what `decorateRequest` adds, so both are made up for here.
 */
export const refuseUnroutable = (services: Services, answers: Answers, isTrusted: IsTrusted | undefined) =>
  function refuse(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    const host = clientHost(request.raw, isTrusted)
    Object.assign(request, { viewer: null, limit: null, startedAt: 0, clientHost: host })
    let refusal = refusalOf(error, request, services)
    try {
      countMiss(services, request)
    } catch (limited) {
      refusal = toAppError(limited, request, services)
    }
    reply.code(refusal.status)
    answers.attendUnrouted(request, reply)
    sendError(reply, refusal)
  }
