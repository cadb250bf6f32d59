import type { FastifyRequest } from 'fastify'
import type { LimitClass } from '../../../core/capability.ts'
import type { Services, Viewer } from '../../../core/context.ts'
import { rateLimited } from '../../../core/errors.ts'
import type { LimitState } from '../../../core/limits.ts'

export const PER_MINUTE: Record<LimitClass, number> = {
  auth: 10,
  support: 10,
  search: 120,
  write: 240,
  read: 600,
}

export const limitHeaders = ({ limit, remaining, resetSeconds }: LimitState) => ({
  'RateLimit-Limit': limit,
  'RateLimit-Remaining': remaining,
  'RateLimit-Reset': resetSeconds,
})

/** Counts the request against its caller (credential, or host without one) and refuses past the limit. */
export function applyRateLimit(
  services: Services,
  limitClass: LimitClass,
  viewer: Viewer | null,
  request: FastifyRequest,
): void {
  if (!services.config.rateLimit) return
  // Sign-in routes count by host even for somebody signed in, or a session would be a way around the limit.
  const caller = viewer && limitClass !== 'auth' ? viewer.credential.id : request.ip
  request.limit = services.limits.hit(`${limitClass}:${caller}`, PER_MINUTE[limitClass])
  if (request.limit.exceeded) throw rateLimited(request.limit.resetSeconds)
}
