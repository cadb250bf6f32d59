import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Capability } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { invalid, notFound } from '../../core/errors.ts'
import { contextOfRequest, credentialOf, headerOf } from '../../core/http.ts'
import { onceOnly } from '../../core/idempotency.ts'
import {
  descriptionOf,
  extensionsLast,
  inputSchemaOf,
  invokeTool,
  limitClassOfTool,
  parseToolInput,
  readiedTool,
  requiredScopes,
  type ToolCapability,
  toolAnswer,
  toolsOf,
} from '../../core/invoke.ts'
import { GUIDE_VERSION } from '../../features/guide/index.ts'
import { authenticate } from './admission.ts'
import type { Answer, Answers, FlatHeaders } from './answers.ts'
import { refuseUncalled } from './not-found.ts'
import { addCapabilityRoute, locateIn } from './routes.ts'

const ManifestTool = z
  .object({
    name: z.string(),
    extension: z.literal(true).optional().describe('Extends the interface; such tools come last'),
    description: z.string(),
    scopes: z.array(z.string()),
    read_only: z.boolean(),
    destructive: z.boolean(),
    idempotent: z.boolean(),
    input_schema: z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12'),
    endpoint: z.string(),
  })
  .meta({ id: 'ToolManifestEntry' })

export const ToolManifest = z
  .object({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    base_url: z.string(),
    mcp_endpoint: z.string(),
    auth: z.object({ type: z.string(), header: z.string(), alternative: z.string(), oauth: z.string() }),
    tools: z.array(ManifestTool),
  })
  .meta({ id: 'ToolManifest' })

export const manifestOf = (
  tools: readonly ToolCapability[],
  baseUrl: string,
): z.input<typeof ToolManifest> => ({
  name: 'knowledge-vault',
  version: GUIDE_VERSION,
  description:
    'Search, record, share and publish knowledge cards; keep the memory of each project; run workspaces.',
  base_url: baseUrl,
  mcp_endpoint: `${baseUrl}/mcp`,
  auth: {
    type: 'api_key',
    header: 'X-API-Key',
    alternative: 'Authorization: Bearer <API_KEY>',
    oauth: `${baseUrl}/.well-known/oauth-protected-resource/mcp`,
  },
  tools: extensionsLast(tools).map((capability) => ({
    name: capability.tool.name,
    ...(capability.tool.extension ? { extension: true as const } : {}),
    description: descriptionOf(capability),
    scopes: [...requiredScopes(capability)],
    read_only: capability.tool.readOnly ?? false,
    destructive: capability.tool.destructive ?? false,
    idempotent: capability.tool.idempotent ?? capability.tool.readOnly ?? false,
    input_schema: inputSchemaOf(capability),
    endpoint: `${baseUrl}/mcp/tools/${capability.tool.name}`,
  })),
})

function bodyOf(request: FastifyRequest): object {
  const { body } = request
  if (body === undefined) return {}
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid([], 'The body should be a JSON object', 'dict_type')
  return body
}

function addTool(
  app: FastifyInstance,
  services: Services,
  answers: Answers,
  capability: ToolCapability,
): void {
  const takesKey = capability.idempotency !== 'none'
  const answerWith = (output: unknown, headers?: FlatHeaders): Answer => ({
    status: 200,
    text: JSON.stringify(toolAnswer(capability, output)),
    headers,
  })

  async function serve(request: FastifyRequest): Promise<Answer> {
    const input = bodyOf(request)
    const ctx = contextOfRequest(services, request)
    const key = takesKey ? headerOf(request, 'idempotency-key') : undefined
    if (key === undefined) return answerWith(await invokeTool(capability, ctx, input))
    const credential = credentialOf(request, services.config.baseUrl)?.value
    const asked = { key, credential, input: parseToolInput(capability, input) }
    const once = await onceOnly(capability, ctx, asked, (ctx) => readiedTool(capability, ctx, input))
    return answerWith(once.output, once.replayed ? ['Idempotency-Replayed', 'true'] : undefined)
  }

  addCapabilityRoute(app, services, answers, capability, {
    method: 'POST',
    url: `/mcp/tools/${capability.tool.name}`,
    operation: `tool.${capability.tool.name}`,
    limitClass: limitClassOfTool(capability),
    locate: locateIn({ method: 'POST', pathFields: new Map(), queryFields: new Set() }),
    // Reports a wrong credential even if no credential is needed.
    identify: authenticate,
    serve,
  })
}

/** Serves every capability that has a tool name, as `POST /mcp/tools/{name}`. */
export function serveTools(
  app: FastifyInstance,
  services: Services,
  answers: Answers,
  capabilities: readonly Capability[],
): void {
  const tools = toolsOf(capabilities)
  for (const capability of tools) addTool(app, services, answers, capability)

  const noSuchTool = () => notFound('Tool', 'The tools are listed at /mcp/manifest.')
  app.post(
    '/mcp/tools/:name',
    { config: { operation: 'tool.unknown' }, onRequest: refuseUncalled(services, noSuchTool) },
    async () => {},
  )

  let manifest: string | undefined
  app.get('/mcp/manifest', { config: { operation: 'manifest', compress: true } }, async (_request, reply) => {
    manifest ??= JSON.stringify(manifestOf(tools, services.config.baseUrl))
    return reply.type('application/json').send(manifest)
  })
}
