import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Capability } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { InvalidInput, notFound } from '../../core/errors.ts'
import { contextOfRequest } from '../../core/http/context-of-request.ts'
import { credentialOf } from '../../core/http/credential-of-request.ts'
import { onceOnly } from '../../core/http/idempotency.ts'
import { invoke, readied, toolInput } from '../../core/invoke.ts'
import {
  inputSchemaOf,
  limitClassOfTool,
  requiredScopes,
  type ToolCapability,
  toolAnswer,
  toolsOf,
} from '../../core/tools.ts'
import { GUIDE_VERSION } from '../../features/ai-guide/ai-guide.text.ts'
import { authenticate } from './admission.ts'
import type { Answer, Answers, FlatHeaders } from './fast-path/answers.ts'
import { addCapabilityRoute } from './fast-path/capability-route.ts'

function bodyOf(request: FastifyRequest): object {
  const { body } = request
  if (body === undefined) return {}
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new InvalidInput([
      { type: 'dict_type', path: [], msg: 'The body should be a JSON object', input: null },
    ])
  return body
}

function addTool(
  app: FastifyInstance,
  services: Services,
  answers: Answers,
  capability: ToolCapability,
): void {
  const schema = toolInput(capability)
  const takesKey = capability.idempotency !== 'none'
  const answerWith = (output: unknown, headers?: FlatHeaders): Answer => ({
    status: 200,
    text: JSON.stringify(toolAnswer(capability, output)),
    headers,
  })

  async function serve(request: FastifyRequest): Promise<Answer> {
    const input = bodyOf(request)
    const ctx = contextOfRequest(services, request)
    const key = takesKey ? request.headers['idempotency-key'] : undefined
    if (typeof key !== 'string' || key === '') return answerWith(await invoke(capability, ctx, input, schema))
    const credential = credentialOf(request, services.config.baseUrl)?.value
    const once = await onceOnly(capability, ctx, { key, credential, input }, (ctx) =>
      readied(capability, ctx, input, schema),
    )
    return answerWith(once.output, once.replayed ? ['Idempotency-Replayed', 'true'] : undefined)
  }

  addCapabilityRoute(app, services, answers, capability, {
    method: 'POST',
    url: `/mcp/tools/${capability.tool.name}`,
    operation: `tool.${capability.tool.name}`,
    limitClass: limitClassOfTool(capability),
    // A wrong credential is told to an agent even where none is needed.
    identify: authenticate,
    serve,
  })
}

/** Made from the declarations that validate; the source of truth for tool inputs. */
export const manifestOf = (tools: readonly ToolCapability[], baseUrl: string) => ({
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
  tools: tools.map((capability) => ({
    name: capability.tool.name,
    description: capability.tool.description,
    scopes: requiredScopes(capability),
    read_only: capability.tool.readOnly ?? false,
    destructive: capability.tool.destructive ?? false,
    idempotent: capability.tool.idempotent ?? capability.tool.readOnly ?? false,
    input_schema: inputSchemaOf(capability),
    endpoint: `${baseUrl}/mcp/tools/${capability.tool.name}`,
  })),
})

/** The tool interface: every capability that has a tool name, as `POST /mcp/tools/{name}`. */
export function serveTools(
  app: FastifyInstance,
  services: Services,
  answers: Answers,
  capabilities: readonly Capability[],
): void {
  const tools = toolsOf(capabilities)
  for (const capability of tools) addTool(app, services, answers, capability)

  app.post('/mcp/tools/:name', { config: { operation: 'tool.unknown' } }, async () => {
    throw notFound('Tool', 'The tools are listed at /mcp/manifest.')
  })

  let manifest: string | undefined
  app.get('/mcp/manifest', { config: { operation: 'manifest' } }, async (_request, reply) => {
    manifest ??= JSON.stringify(manifestOf(tools, services.config.baseUrl))
    return reply.type('application/json').send(manifest)
  })
}
