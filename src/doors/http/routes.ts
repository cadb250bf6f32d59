import { setImmediate } from 'node:timers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Capability, LimitClass, Method, Route } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { logFailure } from '../../core/log.ts'
import {
  type Authenticate,
  admission,
  isLongBody,
  mayHaveEnded,
  recogniseAgain,
  refuseWhileLow,
  storesText,
} from './admission.ts'
import type { Answer, Answers } from './answers.ts'
import { SECRET_ANSWERS } from './compression.ts'
import type { Locate } from './errors.ts'

export function parseRoute(route: Route): { method: Method; path: string } {
  const space = route.indexOf(' ')
  return { method: route.slice(0, space) as Method, path: route.slice(space + 1) }
}

export const pathNames = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')

export const toFastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

export const hasBody = (method: Method): boolean =>
  method === 'POST' || method === 'PUT' || method === 'PATCH'

type Fields = {
  method: Method
  pathFields: ReadonlyMap<string, string>
  queryFields: ReadonlySet<string>
}

export const locateIn =
  ({ method, pathFields, queryFields }: Fields): Locate =>
  (issue) => {
    // A request may have a body even if its route takes none.
    if (issue.type === 'json_invalid') return ['body']
    const [field, ...rest] = issue.path
    if (typeof field === 'string') {
      const pathName = pathFields.get(field)
      if (pathName) return ['path', pathName, ...rest]
      if (queryFields.has(field)) return ['query', field, ...rest]
      if (field === 'Idempotency-Key') return ['header', field]
    }
    return [hasBody(method) ? 'body' : 'query', ...issue.path]
  }

/** Small enough that a slow item delays the others little, and that the event loop monitor sees the work. */
const MAX_TOGETHER = 8

export function inBatches<T>(work: (item: T) => void): (item: T) => void {
  let waiting: T[] = []
  const doBatch = () => {
    const batch = waiting
    waiting = []
    for (const item of batch) work(item)
  }
  return (item) => {
    const length = waiting.push(item)
    if (length === MAX_TOGETHER) doBatch()
    else if (length === 1) setImmediate(doBatch)
  }
}

const answerInBatches = inBatches((answer: () => void) => answer())

type CapabilityRoute = {
  method: Method
  url: string
  operation: string
  limitClass: LimitClass
  identify?: Authenticate
  locate?: Locate
  serve: (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>
}

/** Logs a failure whose client already has an answer (limits/answer-in-time.ts). */
const lateFailure = ({ id }: FastifyRequest) => ({
  message: 'a request failed after its time',
  details: { request_id: id },
})

export function addCapabilityRoute(
  app: FastifyInstance,
  services: Services,
  answers: Answers,
  capability: Capability,
  { method, url, operation, limitClass, identify, locate, serve }: CapabilityRoute,
): void {
  const mayCompress = !SECRET_ANSWERS.has(capability.name)
  const isWrite = storesText(method, limitClass)

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      if (mayHaveEnded(request)) await recogniseAgain(services, capability, request, identify)
      if (isWrite && isLongBody(request)) await refuseWhileLow(services)
      const answer = await serve(request, reply)
      if (!reply.sent) answers.send(request, reply, answer, mayCompress)
    } catch (error) {
      if (reply.sent) logFailure(services, error, lateFailure(request))
      else reply.send(error instanceof Error ? error : new Error(String(error)))
    }
  }

  app.route({
    method,
    url,
    ...(capability.maxBodyBytes ? { bodyLimit: capability.maxBodyBytes } : {}),
    config: { operation, isCapability: true, ...(locate ? { locate } : {}) },
    onRequest: admission(services, capability, limitClass, identify),
    handler: (request, reply) => answerInBatches(() => void answer(request, reply)),
  })
}
