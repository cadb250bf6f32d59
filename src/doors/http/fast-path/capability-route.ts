import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Capability, LimitClass, Method } from '../../../core/capability.ts'
import type { Services } from '../../../core/context.ts'
import { logFailure } from '../../../core/log-failure.ts'
import { type Authenticate, admission, mayHaveEnded, recogniseAgain } from '../admission.ts'
import { SECRET_ANSWERS } from '../compression.ts'
import type { Locate } from '../errors.ts'
import { isLongBody, refuseWhileLow, storesText } from '../limits/low-space.ts'
import type { Answer, Answers } from './answers.ts'
import { inBatches } from './in-batches.ts'

const answerInBatches = inBatches((answer: () => void) => answer())

export type CapabilityRoute = {
  method: Method
  url: string
  operation: string
  limitClass: LimitClass
  identify?: Authenticate
  locate?: Locate
  serve: (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>
}

/** Its client has an answer already (limits/answer-in-time.ts). */
const lateFailure = ({ id }: FastifyRequest) => ({
  message: 'a request failed after its time',
  details: { request_id: id },
})

/** Adds the route of a capability at the REST or the tool door. What is the same for all its requests is computed once. */
export function addCapabilityRoute(
  app: FastifyInstance,
  services: Services,
  answers: Answers,
  capability: Capability,
  { method, url, operation, limitClass, identify, locate, serve }: CapabilityRoute,
): void {
  const face = answers.faceOf(url, operation, !SECRET_ANSWERS.has(capability.name))

  const isWrite = storesText(method, limitClass)

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      if (mayHaveEnded(request)) await recogniseAgain(services, capability, request, identify)
      if (isWrite && isLongBody(request)) await refuseWhileLow(services)
      const answer = await serve(request, reply)
      if (!reply.sent) answers.send(request, reply, face, answer)
    } catch (error) {
      if (reply.sent) logFailure(services, error, lateFailure(request))
      else reply.send(error instanceof Error ? error : new Error(String(error)))
    }
  }

  app.route({
    method,
    url,
    ...(capability.maxBodyBytes ? { bodyLimit: capability.maxBodyBytes } : {}),
    config: { operation, answersItself: true, ...(locate ? { locate } : {}) },
    onRequest: admission(services, capability, limitClass, identify),
    // Returns no promise: Fastify would wait for an answer that it does not send.
    handler: (request, reply) => answerInBatches(() => void answer(request, reply)),
  })
}
