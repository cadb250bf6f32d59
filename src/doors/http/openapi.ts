import { z } from 'zod'
import type { Capability, Route } from '../../core/capability.ts'
import type { RawRoute } from '../../core/http/raw-route.ts'
import { API_VERSION } from '../../core/version.ts'
import { ERROR_RESPONSES, ErrorResponse, HTTPValidationError } from './openapi-errors.ts'
import { hasBody, parseRoute, pathNames } from './routes.ts'

type Json = Record<string, unknown>
type Schemas = Record<string, Json>

const SECURITY = [{ APIKeyHeader: [] }, { HTTPBearer: [] }]

/** JSON Schema of a zod schema; every named part moves to the components and is referred to. */
function schemaOf(schema: z.ZodType, components: Schemas): Json {
  const { $schema, $defs, id, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as Json
  const hoist = (part: Json): Json =>
    JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', '"#/components/schemas/'))
  for (const [name, definition] of Object.entries(($defs ?? {}) as Schemas)) {
    const { id: _id, ...rest } = definition
    components[name] ??= hoist(rest)
  }
  if (typeof id !== 'string') return hoist(json)
  components[id] = hoist(json)
  return { $ref: `#/components/schemas/${id}` }
}

const content = (schema: Json) => ({ 'application/json': { schema } })

function parametersOf(
  capability: Capability,
  route: Route,
  components: Schemas,
): { parameters: Json[]; body: Json | undefined } {
  const { method, path } = parseRoute(route)
  const shape = capability.input.shape as Record<string, z.ZodType>
  const named = pathNames(path).map((name) => ({ name, field: capability.aliases?.[name] ?? name }))
  const inPath = new Set(named.map(({ field }) => field))
  const inQuery = hasBody(method)
    ? (capability.query ?? [])
    : Object.keys(shape).filter((field) => !inPath.has(field))
  const parameters: Json[] = [
    ...named.map(({ name, field }) => ({
      name,
      in: 'path',
      required: true,
      schema: schemaOf(shape[field] ?? z.string(), components),
    })),
    ...inQuery.map((name) => {
      const field = shape[name] ?? z.string()
      return {
        name,
        in: 'query',
        required: !field.safeParse(undefined).success,
        schema: schemaOf(field, components),
      }
    }),
  ]
  if (!hasBody(method)) return { parameters, body: undefined }
  const elsewhere = [...inPath, ...inQuery].filter((field) => field in shape)
  return { parameters, body: bodySchema(capability.input, elsewhere, components) }
}

/** The input without what stands in the path or the query, under the input's own name. */
function bodySchema(input: z.ZodObject, elsewhere: string[], components: Schemas): Json | undefined {
  if (elsewhere.length === Object.keys(input.shape).length) return undefined
  if (elsewhere.length === 0) return schemaOf(input, components)
  const name = input.meta()?.id
  const { $schema, ...json } = schemaOf(input.clone(), components)
  const inline = (name && components[name] ? structuredClone(components[name]) : json) as {
    properties?: Json
    required?: string[]
  }
  for (const field of elsewhere) delete inline.properties?.[field]
  if (inline.required) inline.required = inline.required.filter((field) => !elsewhere.includes(field))
  if (!name) return inline as Json
  components[name] = inline as Json
  return { $ref: `#/components/schemas/${name}` }
}

const errorResponses = (statuses: Iterable<number>) =>
  Object.fromEntries(
    [...new Set(statuses)].sort().map((status) => [
      String(status),
      status === 422
        ? {
            description: 'The input is not valid',
            content: content({ $ref: '#/components/schemas/HTTPValidationError' }),
          }
        : {
            description: ERROR_RESPONSES[status] ?? 'Error',
            content: content({ $ref: '#/components/schemas/ErrorResponse' }),
          },
    ]),
  )

/** Two routes of one capability are two operations and need two ids. */
const operationId = (name: string, index: number) =>
  name.replaceAll('.', '_') + (index === 0 ? '' : `_${index + 1}`)

function operationOf(capability: Capability, route: Route, index: number, components: Schemas): Json {
  const { parameters, body } = parametersOf(capability, route, components)
  const open = capability.scopes === 'public'
  const status = String(capability.status ?? 200)
  const success =
    status === '204'
      ? { description: 'Done' }
      : { description: 'Success', content: content(schemaOf(capability.output, components)) }
  const errors = [...(open ? [] : [401, 403]), 422, 429, 500, ...(capability.errors ?? [])]
  return {
    operationId: operationId(capability.name, index),
    tags: [capability.name.split('.')[0]],
    summary: capability.summary,
    ...(capability.description ? { description: capability.description } : {}),
    ...(open ? { security: [] } : { security: SECURITY, 'x-required-scopes': capability.scopes }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: content(body) } } : {}),
    responses: { [status]: success, ...errorResponses(errors) },
  }
}

function rawOperation(raw: RawRoute): Json {
  const open = raw.scopes === 'public'
  const { path } = parseRoute(raw.route)
  const names = pathNames(path)
  return {
    operationId: operationId(raw.name, 0),
    tags: [raw.name.split('.')[0]],
    summary: raw.summary,
    ...(open ? { security: [] } : { security: SECURITY, 'x-required-scopes': raw.scopes }),
    ...(names.length > 0
      ? {
          parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
        }
      : {}),
    ...(raw.openapi?.requestBody ? { requestBody: raw.openapi.requestBody } : {}),
    responses: { ...errorResponses([...(open ? [] : [401, 403]), 422, 429, 500]), ...raw.openapi?.responses },
  }
}

export function describeApi(
  doors: { capabilities: readonly Capability[]; rawRoutes: readonly RawRoute[] },
  baseUrl: string,
): Json {
  const components: Schemas = {}
  schemaOf(HTTPValidationError, components)
  schemaOf(ErrorResponse, components)
  const paths: Record<string, Json> = {}
  const add = (route: Route, operation: Json) => {
    const { method, path } = parseRoute(route)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  for (const capability of doors.capabilities)
    for (const [index, route] of (capability.rest ?? []).entries())
      add(route, operationOf(capability, route, index, components))
  for (const raw of doors.rawRoutes) if (raw.openapi) add(raw.route, rawOperation(raw))
  const tags = new Set(
    Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap((op) => (op as { tags: string[] }).tags),
    ),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Knowledge Vault',
      version: API_VERSION,
      description:
        'Search, record, share and publish knowledge cards; keep agent memory; run teams, credits and billing.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: [...tags].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => a.localeCompare(b))),
      securitySchemes: {
        APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        HTTPBearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}
