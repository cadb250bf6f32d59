import type { Capability, Route } from '../../../core/capability.ts'
import type { RawRoute } from '../../../core/http/raw-route.ts'
import { toolsOf } from '../../../core/tools.ts'
import { API_VERSION } from '../../../core/version.ts'
import { parseRoute } from '../routes.ts'
import { ErrorResponse, HTTPValidationError } from './errors.ts'
import { ANSWER_HEADERS } from './headers.ts'
import { operationOf, rawOperation } from './operations.ts'
import { type Json, type Schemas, schemaOf } from './schemas.ts'
import { manifestOperation, toolOperation } from './tools.ts'

function tagsOf(paths: Record<string, Json>): Json[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as { tags: string[] }[])
  const names = new Set(operations.flatMap(({ tags }) => tags))
  return [...names].sort().map((name) => ({ name }))
}

function sorted(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a.localeCompare(b)))
}

/** The API description, from the declarations that validate. */
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
