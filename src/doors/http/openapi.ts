import { z } from 'zod'
import type { Capability, RawRoute, Route } from '../../core/capability.ts'
import { MCPToolResponse, type ToolCapability, toolInput, toolOutput, toolsOf } from '../../core/invoke.ts'
import { jsonSchemaOf } from '../../core/schemas.ts'
import { API_VERSION } from '../../core/version.ts'
import type { Scope } from '../../shared/scopes.ts'
import { hasBody, parseRoute, pathNames } from './routes.ts'
import { ToolManifest } from './tools.ts'

type Json = Record<string, unknown>
type Schemas = Record<string, Json>

const PREFIX = '#/components/schemas/'

const refTo = (name: string): Json => ({ $ref: `${PREFIX}${name}` })

/** Types that can include `null` in `type`. Other schemas, such as enums, list `null` as an alternative. */
const PLAIN_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object']

function nullInType({ anyOf, ...rest }: Json): Json | undefined {
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return undefined
  const [{ type, ...plain }] = anyOf
  if (!PLAIN_TYPES.includes(type) || 'enum' in plain || 'const' in plain) return undefined
  return { type: [type, 'null'], ...plain, ...rest }
}

/** Rewrites a schema into the form that most tools understand; named parts become references to components. */
function inCommonWords(key: string, value: unknown): unknown {
  if (key === '$ref') return String(value).replace('#/$defs/', PREFIX)
  if (typeof value !== 'object' || value === null) return value
  if (key === 'additionalProperties' && Object.keys(value).length === 0) return true
  if (key === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}') return undefined
  return nullInType(value as Json) ?? value
}

const hoist = (part: Json): Json => JSON.parse(JSON.stringify(part, inCommonWords))

/** Returns the JSON Schema of a zod schema. Named parts move to the components and are referred to. */
export function schemaOf(schema: z.ZodType, components: Schemas): Json {
  const { $schema, $defs, id, ...json } = jsonSchemaOf(schema) as Json
  for (const [name, definition] of Object.entries(($defs ?? {}) as Schemas)) {
    const { id: _id, ...rest } = definition
    components[name] ??= hoist(rest)
  }
  if (typeof id !== 'string') return hoist(json)
  components[id] = hoist(json)
  return refTo(id)
}

/** Returns the input without the fields of the path and the query; undefined if nothing is left. */
function bodySchema(input: z.ZodObject, elsewhere: readonly string[], components: Schemas): Json | undefined {
  if (elsewhere.length === Object.keys(input.shape).length) return undefined
  const schema = schemaOf(input, components)
  if (elsewhere.length === 0) return schema
  const name = input.meta()?.id
  const { properties, required, ...rest } = (name ? components[name] : schema) as {
    properties: Json
    required?: string[]
  }
  const needed = required?.filter((field) => !elsewhere.includes(field)) ?? []
  const body: Json = {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties).filter(([field]) => !elsewhere.includes(field)),
    ),
    ...(needed.length > 0 ? { required: needed } : {}),
  }
  if (!name) return body
  components[name] = body
  return refTo(name)
}

const mayBeLeftOut = (field: z.ZodType): boolean => field.safeParse(undefined).success

/** Returns whether a body must be sent: only if one of its fields is required. */
const needsBody = (input: z.ZodObject, elsewhere: readonly string[] = []): boolean =>
  Object.entries(input.shape).some(([name, field]) => !elsewhere.includes(name) && !mayBeLeftOut(field))

const isRequired = (field: z.ZodType): boolean => !mayBeLeftOut(field)

const NUMBER = { type: 'integer', minimum: 0 }

const ANSWER_HEADERS = {
  ETag: {
    description: 'The version of the card, for If-Match. Compressed answers have it as W/"3".',
    schema: { type: 'string' },
    example: '"3"',
  },
  'Idempotency-Replayed': {
    description: 'Present where the first answer is given again',
    schema: { type: 'string', enum: ['true'] },
  },
  'RateLimit-Limit': { description: 'How many uses the limit has that refuses', schema: NUMBER },
  'RateLimit-Remaining': { description: 'How many of them are left', schema: NUMBER },
  'RateLimit-Reset': { description: 'In how many seconds the limit begins anew', schema: NUMBER },
  'Retry-After': { description: 'In how many seconds to try again', schema: NUMBER },
  'WWW-Authenticate': {
    description: 'The scheme of the credential that is missing or not valid',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Json>

type AnswerHeader = keyof typeof ANSWER_HEADERS

const withHeaders = (names: readonly AnswerHeader[]): Json =>
  names.length === 0
    ? {}
    : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }

const ValidationError = z
  .object({
    type: z.string(),
    loc: z.array(z.union([z.string(), z.int()])).describe('Starts with body, query, path or header.'),
    msg: z.string(),
    input: z.any(),
    ctx: z.record(z.string(), z.any()).optional(),
  })
  .meta({ id: 'ValidationError' })

const HTTPValidationError = z.object({ detail: z.array(ValidationError) }).meta({
  id: 'HTTPValidationError',
  examples: [
    {
      detail: [
        { type: 'missing', loc: ['body', 'symptom'], msg: 'Field required', input: { title: 'A title' } },
      ],
    },
  ],
})

const ErrorResponse = z
  .looseObject({
    detail: z.string().describe('A sentence a person can act on.'),
    code: z.string().describe('Stable, for programs.'),
  })
  .meta({ id: 'ErrorResponse', examples: [{ detail: 'Card not found.', code: 'not_found' }] })

const ERROR_RESPONSES: Record<number, string> = {
  400: 'Refused by a rule; the answer says which',
  401: 'No credential, or not a valid one',
  402: 'Not enough credits; nothing was charged',
  403: 'The credential or the role does not allow this',
  404: 'Not found, or not visible to you',
  409: 'In conflict with the present state',
  410: 'Expired',
  412: 'Changed since the version given in If-Match',
  413: 'Too large',
  507: 'There is no space for it now; nothing was stored',
  415: 'Not a media type that this route accepts',
  422: 'The input is not valid',
  429: 'Too many requests; Retry-After says when to try again',
  500: 'An error of the server; request_id identifies it',
  503: 'A needed part is not configured or not reachable now',
}

/** For 503 the headers depend on the code: a retry does not help if something is not configured. */
const ERROR_HEADERS: Record<number, readonly AnswerHeader[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  503: ['Retry-After'],
}

function commonErrors(request: { open: boolean; input: boolean; body: boolean; key: boolean }): number[] {
  return [
    ...(request.open ? [] : [401, 403]),
    ...(request.key ? [409] : []),
    ...(request.body ? [413, 415] : []),
    ...(request.input ? [422] : []),
    ...[429, 500, 503],
  ]
}

const inJson = (name: string) => ({ 'application/json': { schema: refTo(name) } })

const errorResponses = (statuses: Iterable<number>): Json =>
  Object.fromEntries(
    [...new Set(statuses)].sort().map((status) => [
      String(status),
      {
        description: ERROR_RESPONSES[status] ?? 'Error',
        ...withHeaders(ERROR_HEADERS[status] ?? []),
        content: inJson(status === 422 ? 'HTTPValidationError' : 'ErrorResponse'),
      },
    ]),
  )

const SECURITY = [{ APIKeyHeader: [] }, { HTTPBearer: [] }]

const jsonContent = (schema: Json) => ({ 'application/json': { schema } })

const securityOf = (scopes: readonly Scope[] | 'public'): Json =>
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

const headersOf = ({ errors }: Capability, takesKey: boolean): Json[] => [
  ...(takesKey ? [IDEMPOTENCY_KEY] : []),
  ...(errors?.includes(412) ? [IF_MATCH] : []),
]

type ParameterNames = { inPath: { name: string; field: string }[]; inQuery: readonly string[] }

/** Returns which input fields a route takes from the path and the query; the rest is the body. */
function parameterNamesOf(capability: Capability, route: Route): ParameterNames {
  const { method, path } = parseRoute(route)
  const inPath = pathNames(path).map((name) => ({ name, field: capability.aliases?.[name] ?? name }))
  const isInPath = new Set(inPath.map(({ field }) => field))
  const others = Object.keys(capability.input.shape).filter((field) => !isInPath.has(field))
  return { inPath, inQuery: hasBody(method) ? (capability.query ?? []) : others }
}

/** Removes `null` from a schema: a query string leaves such a parameter out. */
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

const operationId = (name: string, index = 0) =>
  name.replaceAll('.', '_') + (index === 0 ? '' : `_${index + 1}`)

/** Returns whether an answer has a version, which is also its ETag (`rest.ts`). */
const hasVersion = ({ output }: Capability): boolean =>
  output instanceof z.ZodObject && output.shape.version instanceof z.ZodNumber

const replayHeader = (takesKey: boolean): AnswerHeader[] => (takesKey ? ['Idempotency-Replayed'] : [])

function success(capability: Capability, takesKey: boolean, components: Schemas): Json {
  const headers = withHeaders([
    ...(hasVersion(capability) ? (['ETag'] as const) : []),
    ...replayHeader(takesKey),
  ])
  if (capability.status === 204) return { 204: { description: 'Done', ...headers } }
  const content = jsonContent(schemaOf(capability.output, components))
  return { [capability.status ?? 200]: { description: 'Success', ...headers, content } }
}

function operationOf(capability: Capability, route: Route, index: number, components: Schemas): Json {
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
      ? { requestBody: { required: needsBody(capability.input, elsewhere), content: jsonContent(body) } }
      : {}),
    responses: {
      ...success(capability, key, components),
      ...errorResponses([...errors, ...(capability.errors ?? [])]),
    },
  }
}

type RawDescription = NonNullable<RawRoute['openapi']>

function rawOperation(raw: RawRoute, described: RawDescription, components: Schemas): Json {
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

function dataOf(capability: ToolCapability, components: Schemas): Json {
  const output = toolOutput(capability)
  return output instanceof z.ZodVoid ? { type: 'object' } : schemaOf(output, components)
}

const answerOf = (capability: ToolCapability, components: Schemas): Json => ({
  allOf: [
    schemaOf(MCPToolResponse, components),
    {
      type: 'object',
      required: ['tool', 'data'],
      properties: {
        tool: { type: 'string', enum: [capability.tool.name] },
        data: dataOf(capability, components),
      },
    },
  ],
})

function toolOperation(capability: ToolCapability, components: Schemas): Json {
  const { name, description } = capability.tool
  const input = toolInput(capability)
  const key = capability.idempotency !== 'none'
  const errors = commonErrors({ open: false, input: true, body: true, key })
  return {
    operationId: `tool_${name}`,
    tags: ['tools'],
    summary: capability.summary,
    description,
    ...securityOf(capability.scopes),
    parameters: headersOf(capability, key),
    requestBody: { required: needsBody(input), content: jsonContent(schemaOf(input, components)) },
    responses: {
      200: {
        description: 'Success',
        ...withHeaders(replayHeader(key)),
        content: jsonContent(answerOf(capability, components)),
      },
      ...errorResponses([...errors, ...(capability.errors ?? [])]),
    },
  }
}

const manifestOperation = (components: Schemas): Json => ({
  operationId: 'tools_manifest',
  tags: ['tools'],
  summary: 'Every tool with its input schema: the source of truth for tool inputs',
  security: [],
  responses: {
    200: { description: 'Success', content: jsonContent(schemaOf(ToolManifest, components)) },
    ...errorResponses(commonErrors({ open: true, input: false, body: false, key: false })),
  },
})

function tagsOf(paths: Record<string, Json>): Json[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as { tags: string[] }[])
  const names = new Set(operations.flatMap(({ tags }) => tags))
  return [...names].sort().map((name) => ({ name }))
}

function sorted(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a.localeCompare(b)))
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
  for (const raw of doors.rawRoutes)
    if (raw.openapi) add(raw.route, rawOperation(raw, raw.openapi, components))
  add('GET /mcp/manifest', manifestOperation(components))
  for (const tool of toolsOf(doors.capabilities))
    add(`POST /mcp/tools/${tool.tool.name}`, toolOperation(tool, components))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Knowledge Vault',
      version: API_VERSION,
      description:
        'Search, record, share and publish knowledge cards; keep agent memory; run teams, credits and billing. Every answer has X-Request-Id; one that counts towards a limit has the RateLimit headers.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: tagsOf(paths),
    paths,
    components: {
      schemas: sorted(components),
      headers: ANSWER_HEADERS,
      securitySchemes: {
        APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        HTTPBearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}
