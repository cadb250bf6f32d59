import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Capability } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { invalid, notFound } from '../../core/errors.ts'
import { contextOfRequest } from '../../core/http/context-of-request.ts'
import { credentialOf, headerOf } from '../../core/http/credential-of-request.ts'
import { onceOnly } from '../../core/http/idempotency.ts'
import { invokeTool, parseToolInput, readiedTool } from '../../core/invoke.ts'
import { limitClassOfTool, type ToolCapability, toolAnswer, toolsOf } from '../../core/tools.ts'
import { authenticate } from './admission.ts'
import type { Answer, Answers, FlatHeaders } from './fast-path/answers.ts'
import { addCapabilityRoute } from './fast-path/capability-route.ts'
import { locateIn } from './locate.ts'
import { manifestOf } from './manifest.ts'
import { refuseUncalled } from './wrong-addresses.ts'

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
    // An agent learns of a wrong credential even if none is needed.
    identify: authenticate,
    serve,
  })
}

/** The tool interface: every capability that has a tool name, as `POST /mcp/tools/{name}`. */
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
