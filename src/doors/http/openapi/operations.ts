import { z } from 'zod'
import type { Capability, Route } from '../../../core/capability.ts'
import type { RawRoute } from '../../../core/http/raw-route.ts'
import type { Scope } from '../../../core/scopes.ts'
import { hasBody, parseRoute, pathNames } from '../routes.ts'
import { commonErrors, errorResponses } from './errors.ts'
import { type AnswerHeader, withHeaders } from './headers.ts'
import { bodySchema, isRequired, type Json, needsBody, type Schemas, schemaOf } from './schemas.ts'

const SECURITY = [{ APIKeyHeader: [] }, { HTTPBearer: [] }]

export const inJson = (schema: Json) => ({ 'application/json': { schema } })

export const securityOf = (scopes: readonly Scope[] | 'public'): Json =>
  scopes === 'public' ? { security: [] } : { security: SECURITY, 'x-required-scopes': scopes }

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key and body within 24 hours give the first answer again; another body gives 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const IF_MATCH: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The version that the change is meant for, in quotes; 412 where the card is at another one.',
  schema: { type: 'string' },
  example: '"3"',
}

/** Headers that mean something to a capability. */
export const headersOf = ({ errors }: Capability, takesKey: boolean): Json[] => [
  ...(takesKey ? [IDEMPOTENCY_KEY] : []),
  ...(errors?.includes(412) ? [IF_MATCH] : []),
]

type ParameterNames = { inPath: { name: string; field: string }[]; inQuery: readonly string[] }

/** Where a route takes each field of the input from; the rest is the body. */
function parameterNamesOf(capability: Capability, route: Route): ParameterNames {
  const { method, path } = parseRoute(route)
  const inPath = pathNames(path).map((name) => ({ name, field: capability.aliases?.[name] ?? name }))
  const isInPath = new Set(inPath.map(({ field }) => field))
  const others = Object.keys(capability.input.shape).filter((field) => !isInPath.has(field))
  return { inPath, inQuery: hasBody(method) ? (capability.query ?? []) : others }
}

/** A query string has no null: a parameter that may be null elsewhere is left out there. */
const withoutNull = (schema: Json): Json =>
  Array.isArray(schema.type) ? { ...schema, type: schema.type.find((type) => type !== 'null') } : schema

function parametersOf(
  capability: Capability,
  { inPath, inQuery }: ParameterNames,
  components: Schemas,
): Json[] {
  const shape = capability.input.shape as Record<string, z.ZodType>
  const fieldOf = (name: string) => shape[name] ?? z.string()
  return [
    ...inPath.map(({ name, field }) => ({
      name,
      in: 'path',
      required: true,
      schema: schemaOf(fieldOf(field), components),
    })),
    ...inQuery.map((name) => ({
      name,
      in: 'query',
      required: isRequired(fieldOf(name)),
      schema: withoutNull(schemaOf(fieldOf(name), components)),
    })),
  ]
}

/** Two routes of one capability are two operations and need two ids. */
const operationId = (name: string, index = 0) =>
  name.replaceAll('.', '_') + (index === 0 ? '' : `_${index + 1}`)

/** Answers with a version have it as their ETag too (`rest.ts`). */
const hasVersion = ({ output }: Capability): boolean =>
  output instanceof z.ZodObject && output.shape.version instanceof z.ZodNumber

/** Headers of a successful answer at the tool door, which has no ETag. */
export const replayHeader = (takesKey: boolean): AnswerHeader[] => (takesKey ? ['Idempotency-Replayed'] : [])

function success(capability: Capability, takesKey: boolean, components: Schemas): Json {
  const headers = withHeaders([
    ...(hasVersion(capability) ? (['ETag'] as const) : []),
    ...replayHeader(takesKey),
  ])
  if (capability.status === 204) return { 204: { description: 'Done', ...headers } }
  const content = inJson(schemaOf(capability.output, components))
  return { [capability.status ?? 200]: { description: 'Success', ...headers, content } }
}

export function operationOf(capability: Capability, route: Route, index: number, components: Schemas): Json {
  const { method } = parseRoute(route)
  const named = parameterNamesOf(capability, route)
  const elsewhere = [...named.inPath.map(({ field }) => field), ...named.inQuery]
  const body = hasBody(method) ? bodySchema(capability.input, elsewhere, components) : undefined
  const key = method === 'POST' && capability.idempotency !== 'none'
  const parameters = [...parametersOf(capability, named, components), ...headersOf(capability, key)]
  const errors = commonErrors({
    open: capability.scopes === 'public',
    input: body !== undefined || parameters.length > 0,
    body: hasBody(method),
    key,
  })
  return {
    operationId: operationId(capability.name, index),
    tags: [capability.name.split('.')[0]],
    summary: capability.summary,
    ...(capability.description ? { description: capability.description } : {}),
    ...securityOf(capability.scopes),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: needsBody(capability.input, elsewhere), content: inJson(body) } }
      : {}),
    responses: {
      ...success(capability, key, components),
      ...errorResponses([...errors, ...(capability.errors ?? [])]),
    },
  }
}

type RawDescription = NonNullable<RawRoute['openapi']>

export function rawOperation(raw: RawRoute, described: RawDescription, components: Schemas): Json {
  const names = pathNames(parseRoute(raw.route).path)
  for (const [name, schema] of Object.entries(described.schemas ?? {})) components[name] = schema as Json
  const parameters = [
    ...names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string', format: 'uuid' },
    })),
    ...(described.parameters ?? []),
    ...(described.takesKey ? [IDEMPOTENCY_KEY] : []),
  ]
  const errors = commonErrors({
    open: raw.scopes === 'public',
    input: described.requestBody !== undefined,
    body: described.requestBody !== undefined,
    key: described.takesKey ?? false,
  })
  return {
    operationId: operationId(raw.name),
    tags: [raw.name.split('.')[0]],
    summary: raw.summary,
    ...securityOf(raw.scopes),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(described.requestBody ? { requestBody: described.requestBody } : {}),
    responses: { ...described.responses, ...errorResponses([...errors, ...(described.errors ?? [])]) },
  }
}
