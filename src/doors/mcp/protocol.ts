import type { IncomingHttpHeaders } from 'node:http'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  type McpServerFactory,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { Capability } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import type { ToolCapability } from '../../core/invoke.ts'
import { ownHosts } from '../../core/own-addresses.ts'
import { headerText } from '../../text/unicode.ts'
import { type McpCall, mcpServers } from './server.ts'
import { acceptsBoth, LAST_LEGACY, LEGACY, MODERN } from './versions.ts'

type Message = {
  method?: unknown
  params?: { name?: unknown; uri?: unknown; _meta?: Record<string, unknown> }
}

/** Corrects a known client defect: a header of 2025-11-25 with a body of 2026-07-28. */
export function agreeingHeaders(given: IncomingHttpHeaders, body: unknown): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, String(value))
  const message = (typeof body === 'object' && body !== null ? body : {}) as Message
  const claimed = message.params?._meta?.[PROTOCOL_VERSION_META_KEY]
  if (claimed !== MODERN || headers.get('mcp-protocol-version') !== LAST_LEGACY) return headers
  headers.set('mcp-protocol-version', MODERN)
  const name = message.params?.name ?? message.params?.uri
  if (typeof message.method === 'string' && !headers.has('mcp-method'))
    headers.set('mcp-method', headerText(message.method))
  if (typeof name === 'string' && !headers.has('mcp-name')) headers.set('mcp-name', headerText(name))
  return headers
}

/** Answered here, because the protocol's library is slow. Must accept nothing that the library refuses. */
export type PlainCall = {
  id: string | number
  era: 'modern' | 'legacy'
  tool: ToolCapability
  input: Record<string, unknown>
}

const RESERVED = 'io.modelcontextprotocol/'
const MODERN_META = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY]

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasOnly = (value: Fields, names: readonly string[]) =>
  Object.keys(value).every((name) => names.includes(name))

const isId = (value: unknown): value is string | number =>
  typeof value === 'string' || Number.isSafeInteger(value)

function isPlainMeta(meta: Fields, reserved: readonly string[]): boolean {
  const { progressToken } = meta
  if (progressToken !== undefined && !isId(progressToken)) return false
  return Object.keys(meta).every((name) => !name.startsWith(RESERVED) || reserved.includes(name))
}

function isLegacy(headers: IncomingHttpHeaders, meta: unknown): boolean {
  if (!LEGACY.includes(headers['mcp-protocol-version'])) return false
  return meta === undefined || (isObject(meta) && isPlainMeta(meta, []))
}

function isModern(headers: IncomingHttpHeaders, name: string, meta: unknown): boolean {
  if (headers['mcp-protocol-version'] !== MODERN || headers['mcp-method'] !== 'tools/call') return false
  if (headers['mcp-name'] !== name || !isObject(meta) || !isPlainMeta(meta, MODERN_META)) return false
  const [version, client, capabilities] = MODERN_META.map((key) => meta[key])
  return (
    version === MODERN &&
    isClient(client) &&
    isObject(capabilities) &&
    Object.values(capabilities).every(isObject)
  )
}

const isClient = (client: unknown) =>
  client === undefined ||
  (isObject(client) &&
    hasOnly(client, ['name', 'version', 'title']) &&
    typeof client.name === 'string' &&
    typeof client.version === 'string' &&
    (client.title === undefined || typeof client.title === 'string'))

export function plainCall(
  headers: IncomingHttpHeaders,
  body: unknown,
  tools: ReadonlyMap<string, ToolCapability>,
): PlainCall | undefined {
  if (!isObject(body) || body.jsonrpc !== '2.0' || body.method !== 'tools/call' || !isId(body.id))
    return undefined
  const { id, params } = body
  if (!hasOnly(body, ['jsonrpc', 'id', 'method', 'params']) || !isObject(params)) return undefined
  const { name, arguments: input = {}, _meta: meta } = params
  if (!hasOnly(params, ['name', 'arguments', '_meta']) || typeof name !== 'string') return undefined
  const tool = tools.get(name)
  if (!tool || !isObject(input)) return undefined
  if (!acceptsBoth(headers.accept) || !headers['content-type']?.startsWith('application/json'))
    return undefined
  if (isLegacy(headers, meta)) return { id, era: 'legacy', tool, input }
  if (isModern(headers, name, meta)) return { id, era: 'modern', tool, input }
  return undefined
}

const plainAnswer = ({ id, era }: PlainCall, result: CallToolResult, serverInfo: object): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    result:
      era === 'legacy'
        ? result
        : { ...result, resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: serverInfo } },
  })

export type McpOptions = {
  /** For the conformance tests only: another server behind the same endpoint. */
  factory?: McpServerFactory
}

/** Against DNS rebinding: another site's page must not talk to a vault on the reader's machine. */
function checkHost(request: FastifyRequest, hosts: string[]): void {
  const host = validateHostHeader(request.headers.host, hosts)
  const origin = validateOriginHeader(request.headers.origin, hosts)
  const problem = !host.ok ? host.message : !origin.ok ? origin.message : undefined
  if (problem !== undefined)
    throw new AppError(
      403,
      'forbidden',
      `${problem}. Set BASE_URL to this address, or add it to ALLOWED_HOSTS.`,
    )
}

/** Returns why without the library's message, which may quote secrets from headers and bodies. */
function refusalOf({ name, message, stack = '' }: Error) {
  const reason = /^Rejected inbound request \(([a-z-]{1,60})\)/.exec(message)?.[1] ?? name
  return { reason, at: stack.replace(message, '').match(/^ {4}at .{0,200}$/gm) ?? [] }
}

/** Opens everything that needs the protocol's library; loaded with the first MCP request. */
export function openProtocol(services: Services, capabilities: readonly Capability[], options: McpOptions) {
  const { serve, run, byName, info } = mcpServers(capabilities, services.config.baseUrl)
  const factory: McpServerFactory = ({ authInfo }) => serve(authInfo?.extra?.call as McpCall)
  const handler = createMcpHandler(options.factory ?? factory, {
    onerror: (error) => services.log.debug(refusalOf(error), 'MCP request refused'),
  })
  const hosts = [...ownHosts(services.config)]

  const answerPlain = async (headers: IncomingHttpHeaders, body: unknown, call: McpCall) => {
    const plain = options.factory ? undefined : plainCall(headers, body, byName)
    return plain && plainAnswer(plain, await run(plain.tool, call, plain.input), info)
  }

  return {
    byName,
    answerPlain,
    handler,
    agreeingHeaders,
    checkHost: (request: FastifyRequest) => checkHost(request, hosts),
  }
}

export type Protocol = ReturnType<typeof openProtocol>
