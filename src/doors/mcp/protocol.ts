import type { IncomingHttpHeaders } from 'node:http'
import {
  createMcpHandler,
  type McpServerFactory,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { Capability } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { ownHosts } from '../../core/own-addresses.ts'
import { agreeingHeaders } from './client-defects.ts'
import { plainAnswer, plainCall } from './plain-call.ts'
import { type McpCall, mcpServers } from './server.ts'

export type McpOptions = {
  /** Only the conformance tests set it: another server behind the same door. */
  factory?: McpServerFactory
}

/** Against DNS rebinding: a page of another site must not talk to a vault on the reader's own machine. */
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

/**
 * Why the library refused a request, without its message: that quotes headers and bodies, and a header that disagrees
 * with its body may hold anything.
 */
function refusalOf({ name, message, stack = '' }: Error) {
  const reason = /^Rejected inbound request \(([a-z-]{1,60})\)/.exec(message)?.[1] ?? name
  return { reason, at: stack.replace(message, '').match(/^ {4}at .{0,200}$/gm) ?? [] }
}

/** Everything that needs the protocol's library, loaded with the first MCP request. */
export function openProtocol(services: Services, capabilities: readonly Capability[], options: McpOptions) {
  const { serve, run, byName, info } = mcpServers(capabilities, services.config.baseUrl)
  const factory: McpServerFactory = ({ authInfo }) => serve(authInfo?.extra?.call as McpCall)
  const handler = createMcpHandler(options.factory ?? factory, {
    onerror: (error) => services.log.debug(refusalOf(error), 'MCP request refused'),
  })
  const hosts = [...ownHosts(services.config)]

  /** The answer to a plain call, or undefined if the call is not plain. */
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
