import type { IncomingHttpHeaders } from 'node:http'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server'
import type { ToolCapability } from '../../core/tools.ts'
import { acceptsBoth } from './accepts.ts'
import { LEGACY, MODERN } from './versions.ts'

/**
 * A `tools/call` in the form that nearly every client sends. It is answered here: the protocol's library makes a
 * server, two messages and a stream for each call and takes five times as long as the call itself. Everything else
 * (another method, headers that disagree, additional fields) goes to the library, so nothing is accepted here that it
 * refuses.
 */
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

/** Reserved fields of `_meta` other than those that every message has mean something that only the library knows. */
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

/** The answer's message, as each era writes it. */
export const plainAnswer = ({ id, era }: PlainCall, result: CallToolResult, serverInfo: object): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    result:
      era === 'legacy'
        ? result
        : { ...result, resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: serverInfo } },
  })
