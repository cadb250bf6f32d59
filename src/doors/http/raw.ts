import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RawRoute } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { noBody } from '../../core/http.ts'
import { storable } from '../../text/unicode.ts'
import { admission, mayHaveEnded, recogniseAgain } from './admission.ts'
import type { Answers } from './answers.ts'
import type { Locate } from './errors.ts'
import { countUpload } from './rate-limit.ts'
import { locateIn, parseRoute, pathNames, toFastifyPath } from './routes.ts'
import { opensPage, sendWebPage } from './web.ts'

function locateFor({ route, openapi }: RawRoute): Locate {
  const { method, path } = parseRoute(route)
  const queryNames = openapi?.parameters?.filter((one) => one.in === 'query').map((one) => one.name)
  return locateIn({
    method,
    pathFields: new Map(pathNames(path).map((name) => [name, name])),
    queryFields: new Set(queryNames),
  })
}

function cleanParams({ params }: FastifyRequest): void {
  const texts = params as Record<string, string>
  for (const [name, text] of Object.entries(texts)) texts[name] = storable(text)
}

/** Answers HEAD without reading the content: an export would read everything that a person has. */
async function withoutBody(
  { method }: FastifyRequest,
  _reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (method !== 'HEAD' || !(payload instanceof Readable)) return payload
  payload.destroy()
  return noBody()
}

export async function serveRaw(
  app: FastifyInstance,
  services: Services,
  answers: Answers,
  routes: readonly RawRoute[],
): Promise<void> {
  for (const raw of routes) {
    if (raw.isOn && !raw.isOn(services.config)) continue
    const { method, path } = parseRoute(raw.route)
    const answer = (request: FastifyRequest, reply: FastifyReply) => {
      if (raw.inApp && request.viewer && opensPage(request)) return sendWebPage(reply)
      cleanParams(request)
      return raw.handle(services, request, reply)
    }
    const addTo = (scope: FastifyInstance) =>
      scope.route({
        method,
        url: toFastifyPath(path),
        config: { operation: raw.name, locate: locateFor(raw), ...(raw.compress ? { compress: true } : {}) },
        ...(raw.bodyLimit ? { bodyLimit: raw.bodyLimit } : {}),
        onRequest: [
          admission(services, raw, raw.limit ?? (method === 'GET' ? 'read' : 'write')),
          (request, _reply, done) => {
            if (raw.uploadBytes) countUpload(services, request, raw.uploadBytes)
            done()
          },
          (request, reply, done) => {
            answers.setHeaders(request, reply)
            done()
          },
        ],
        ...(method === 'GET' ? { onSend: withoutBody } : {}),
        handler: (request, reply) =>
          mayHaveEnded(request)
            ? recogniseAgain(services, raw, request).then(() => answer(request, reply))
            : answer(request, reply),
      })
    const { prepare } = raw
    if (!prepare) addTo(app)
    else
      await app.register(async (scope) => {
        await prepare(scope)
        addTo(scope)
      })
  }
}
