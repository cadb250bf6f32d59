import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Capability } from '../../core/capability.ts'
import { contextFor, type Services, type UserCtx } from '../../core/context.ts'
import { AppError, InvalidInput, notAuthenticated } from '../../core/errors.ts'
import { limitClassOfTool, mayUse, requiredScopes, type ToolCapability } from '../../core/invoke.ts'
import { addressFor } from '../../core/own-addresses.ts'
import { bearerChallenge, GRANTABLE_SCOPES } from '../../features/identity/index.ts'
import {
  authenticate,
  isLongBody,
  mayHaveEnded,
  recogniseAgain,
  refuseWhileLow,
  storesText,
} from '../http/admission.ts'
import { sendError, toAppError } from '../http/errors.ts'
import { applyRateLimit } from '../http/rate-limit.ts'
import type { McpOptions, Protocol } from './protocol.ts'
import type { McpCall } from './server.ts'
import type { Profile } from './tool-list.ts'
import { acceptsNoAnswer } from './versions.ts'

const MIN_BODY_LIMIT = 1024 * 1024

function profileOf(request: FastifyRequest): Profile {
  const { profile } = request.query as Record<string, unknown>
  if (profile === undefined || profile === 'full') return 'full'
  if (profile === 'core') return 'core'
  throw new AppError(400, 'bad_request', 'profile is core or full.')
}

function calledTool(body: unknown, tools: ReadonlyMap<string, ToolCapability>): ToolCapability | undefined {
  const message = body as { method?: unknown; params?: { name?: unknown } } | null | undefined
  if (message?.method !== 'tools/call' || typeof message.params?.name !== 'string') return undefined
  return tools.get(message.params.name)
}

const NOT_ACCEPTABLE = 'Not Acceptable: Client must accept both application/json and text/event-stream'

const rpcError = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } })

function signInRefusal(refused: AppError, config: Config, host: string | undefined): AppError {
  const address = addressFor(config, host)
  const isKnown = new URL(address).host === host?.toLowerCase()
  const detail = isKnown
    ? refused.message
    : `${refused.message} To sign in, connect to ${address}/mcp; an API key works at this address too.`
  const isMissing = refused.code === 'not_authenticated'
  const challenge = bearerChallenge(
    address,
    GRANTABLE_SCOPES,
    isMissing ? undefined : { error: 'invalid_token', description: detail },
  )
  return new AppError(401, refused.code, detail, refused.extra, {
    ...refused.headers,
    'WWW-Authenticate': challenge,
  })
}

function checkScopes(config: Config, request: FastifyRequest, tool: ToolCapability | undefined): void {
  const { viewer } = request
  if (!tool || viewer?.credential.kind !== 'oauth' || mayUse(tool, viewer)) return
  const needed = [...new Set([...viewer.scopes, ...requiredScopes(tool)])]
  throw new AppError(
    403,
    'missing_scope',
    `${tool.tool.name} needs ${requiredScopes(tool).join(' and ')}.`,
    { required_scopes: requiredScopes(tool) },
    {
      'WWW-Authenticate': bearerChallenge(addressFor(config, request.headers.host), needed, {
        error: 'insufficient_scope',
        description: `${tool.tool.name} needs more scopes`,
      }),
    },
  )
}

const callOf = (services: Services, request: FastifyRequest): McpCall => ({
  ctx: contextFor(services, {
    viewer: request.viewer,
    requestId: request.id,
    ip: request.clientHost,
    ifMatch: undefined,
    meter: request.meter,
  }) as UserCtx,
  profile: profileOf(request),
  hide: (error) => toAppError(error, request, services),
})

async function answerByLibrary(
  { handler, agreeingHeaders }: Protocol,
  call: McpCall,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const response = await handler.fetch(
    new Request(`${call.ctx.config.baseUrl}/mcp`, {
      method: 'POST',
      headers: agreeingHeaders(request.headers, request.body),
      signal: gone.signal,
    }),
    { parsedBody: request.body, authInfo: { token: '', clientId: '', scopes: [], extra: { call } } },
  )
  const type = response.headers.get('content-type')
  if (response.body === null || !type?.startsWith('application/json')) return reply.send(response)
  return reply
    .code(response.status)
    .type(type)
    .send(await response.text())
}

function answerError(services: Services, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof InvalidInput)
    return reply.code(400).send(rpcError(-32700, `Parse error: ${error.issues[0]?.ctx?.error ?? 'not JSON'}`))
  const known = toAppError(error, request, services)
  return sendError(
    reply,
    known.status === 401 ? signInRefusal(known, services.config, request.headers.host) : known,
  )
}

/** Serves `{base_url}/mcp`: the Model Context Protocol over Streamable HTTP, in both eras, without sessions. */
export async function serveMcp(
  app: FastifyInstance,
  services: Services,
  capabilities: readonly Capability[],
  options: McpOptions = {},
): Promise<void> {
  // Loaded on demand, because many vaults have no MCP clients.
  let loading: Promise<Protocol> | undefined
  const protocol = () => {
    loading ??= import('./protocol.ts').then(({ openProtocol }) =>
      openProtocol(services, capabilities, options),
    )
    return loading
  }
  const bodyLimit = Math.max(
    MIN_BODY_LIMIT,
    ...capabilities.map(({ tool, maxBodyBytes }) => (tool ? (maxBodyBytes ?? 0) : 0)),
  )

  async function admit(request: FastifyRequest, reply: FastifyReply) {
    request.startedAt = performance.now()
    ;(await protocol()).checkHost(request)
    request.viewer = await authenticate(services, request)
    if (request.viewer && !acceptsNoAnswer(request.headers)) return undefined
    await applyRateLimit(services, 'read', request.viewer, request)
    if (!request.viewer) throw notAuthenticated()
    return reply.code(406).send(rpcError(-32000, NOT_ACCEPTABLE))
  }

  async function answer(request: FastifyRequest, reply: FastifyReply) {
    // The protocol has no batches since 2025-06-18; a batch would count once against the limits.
    if (Array.isArray(request.body))
      return reply.code(400).send(rpcError(-32600, 'Invalid Request: send one message at a time'))
    if (mayHaveEnded(request)) await recogniseAgain(services, { scopes: [] }, request)
    const opened = await protocol()
    const tool = calledTool(request.body, opened.byName)
    await applyRateLimit(services, tool ? limitClassOfTool(tool) : 'read', request.viewer, request)
    checkScopes(services.config, request, tool)
    if (tool && isLongBody(request) && storesText('POST', limitClassOfTool(tool)))
      await refuseWhileLow(services)
    const call = callOf(services, request)
    const plain = await opened.answerPlain(request.headers, request.body, call)
    if (plain !== undefined) return reply.type('application/json; charset=utf-8').send(plain)
    return answerByLibrary(opened, call, request, reply)
  }

  await app.register(async (scope) => {
    scope.addHook('onClose', async () => (await loading)?.handler.close())
    scope.setErrorHandler((error, request, reply) => answerError(services, error, request, reply))
    scope.post('/mcp', { bodyLimit, config: { operation: 'mcp' }, onRequest: admit }, answer)
  })
}
