import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Capability, Method, Route } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { contextOfRequest, credentialOf, headerOf, queryTypes, readValue } from '../../core/http.ts'
import { onceOnly } from '../../core/idempotency.ts'
import { invoke, parseInput, readied, writeAnswer } from '../../core/invoke.ts'
import { endReplacedSession } from '../../features/identity/index.ts'
import { dropCookie, moveTokenToCookie, replacedSession } from './admission.ts'
import type { Answer, Answers, FlatHeaders } from './answers.ts'
import type { Locate } from './errors.ts'
import { addCapabilityRoute, hasBody, locateIn, parseRoute, pathNames, toFastifyPath } from './routes.ts'

type Reader = { read: (request: FastifyRequest) => Record<string, unknown>; locate: Locate }

function readerFor(capability: Capability, method: Method, path: string): Reader {
  const fieldOf = (name: string) => capability.aliases?.[name] ?? name
  const pathFields = new Map(pathNames(path).map((name) => [fieldOf(name), name]))
  const types = queryTypes(capability.input)
  const fromQuery = hasBody(method)
    ? (capability.query ?? [])
    : [...types.keys()].filter((name) => !pathFields.has(name))
  const queryFields = new Set<string>(fromQuery)

  return {
    read(request) {
      if (hasBody(method) && request.body !== undefined && !isPlainObject(request.body))
        throw invalid([], 'The body should be a JSON object', 'dict_type')
      // A copy, because an error shows the body as it was sent.
      const input: Record<string, unknown> = hasBody(method) ? { ...(request.body as object) } : {}
      const query = request.query as Record<string, string | string[]>
      for (const name of queryFields) {
        const text = query[name]
        if (text !== undefined) input[name] = readValue(text, types.get(name) ?? 'string')
        else if (name in input) delete input[name]
      }
      const params = request.params as Record<string, string>
      for (const [field, name] of pathFields)
        input[field] = readValue(params[name] ?? '', types.get(field) ?? 'string')
      return input
    },
    locate: locateIn({ method, pathFields, queryFields }),
  }
}

const isPlainObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const limitClassOf = (capability: Capability, method: Method) =>
  capability.limit ?? (hasBody(method) || method === 'DELETE' ? 'write' : 'read')

/** A merged card is answered by another card, whose version does not count. */
function versionOf(output: unknown): number | undefined {
  const { version, merged_from } = (output ?? {}) as { version?: unknown; merged_from?: unknown }
  return typeof version === 'number' && merged_from === undefined ? version : undefined
}

function addRoute(
  app: FastifyInstance,
  services: Services,
  answers: Answers,
  capability: Capability,
  route: Route,
): void {
  const { method, path } = parseRoute(route)
  const reader = readerFor(capability, method, path)
  const status = capability.status ?? 200
  const takesKey = method === 'POST' && capability.idempotency !== 'none'

  async function serve(request: FastifyRequest): Promise<Answer> {
    const input = reader.read(request)
    const ctx = contextOfRequest(services, request)
    const key = takesKey ? headerOf(request, 'idempotency-key') : undefined
    let headers: FlatHeaders | undefined
    let output: unknown
    if (key === undefined) output = await invoke(capability, ctx, input)
    else {
      const credential = credentialOf(request, services.config.baseUrl)?.value
      const asked = { key, credential, input: parseInput(capability.input, input) }
      const once = await onceOnly(capability, ctx, asked, (ctx) => readied(capability, ctx, input))
      if (once.replayed) headers = ['Idempotency-Replayed', 'true']
      output = once.output
    }
    if (capability.session === 'start') {
      const replaced = replacedSession(services, request)
      // A retry may carry the session that the first answer began.
      const begun = (output as { access_token: string }).access_token
      if (replaced !== undefined && replaced !== begun) await endReplacedSession(ctx, replaced)
      const moved = moveTokenToCookie(services, request, output)
      output = moved.output
      headers = [...(headers ?? []), ...moved.headers]
    }
    if (capability.session === 'end') headers = [...(headers ?? []), ...dropCookie(services, request)]
    const version = versionOf(output)
    if (version !== undefined) headers = [...(headers ?? []), 'ETag', `"${version}"`]
    return { status, text: status === 204 ? '' : writeAnswer(output), headers }
  }

  addCapabilityRoute(app, services, answers, capability, {
    method,
    url: toFastifyPath(path),
    operation: capability.name,
    limitClass: limitClassOf(capability, method),
    locate: reader.locate,
    serve,
  })
}

export function serveRest(
  app: FastifyInstance,
  services: Services,
  answers: Answers,
  capabilities: readonly Capability[],
): void {
  for (const capability of capabilities)
    for (const route of capability.rest ?? []) addRoute(app, services, answers, capability, route)
}
