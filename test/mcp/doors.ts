import type { ToolCapability } from '../../src/core/invoke.ts'
import { hasBody, parseRoute, pathNames } from '../../src/doors/http/routes.ts'
import type { Person } from '../support/cards.ts'
import type { Answer } from '../support/client.ts'

type Input = Record<string, unknown>
export type Outcome = { status: number; data: unknown; credits: { charged: number; earned: number } | null }
export type Door = (as: Person, tool: ToolCapability, input: Input) => Promise<Outcome>

/** The REST call that the declaration describes: path, query and body from one input. */
export async function byRest(as: Person, tool: ToolCapability, input: Input): Promise<Outcome> {
  const [route] = tool.rest ?? []
  if (!route) throw new Error(`${tool.name} has no route`)
  const { method, path } = parseRoute(route)
  const inPath = new Map(pathNames(path).map((name) => [tool.aliases?.[name] ?? name, name]))
  const rest = Object.entries(input).filter(([field]) => !inPath.has(field))
  const asQuery = (field: string) => !hasBody(method) || (tool.query ?? []).includes(field)
  let url = path
  for (const [field, name] of inPath)
    url = url.replace(`{${name}}`, encodeURIComponent(String(input[field] ?? 'missing')))
  const query = new URLSearchParams(
    rest
      .filter(([field]) => asQuery(field))
      .map(([field, value]): [string, string] => [field, String(value)]),
  )
  if (query.size > 0) url += `?${query}`
  const body = Object.fromEntries(rest.filter(([field]) => !asQuery(field)))
  const call = { GET: as.get, DELETE: as.delete, POST: as.post, PUT: as.put, PATCH: as.patch }[method]
  const answer = hasBody(method)
    ? await (call as Person['post'])(url, body)
    : await (call as Person['get'])(url)
  const ok = answer.status < 300
  return {
    status: ok ? 200 : answer.status,
    data: ok ? (answer.body ?? {}) : withoutLocations(answer.body),
    credits: null,
  }
}

export async function byTool(as: Person, tool: ToolCapability, input: Input): Promise<Outcome> {
  return frame(await as.tool(tool.tool.name, input))
}

function frame(answer: Pick<Answer, 'status' | 'body'>): Outcome {
  const { status, body } = answer
  if (status !== 200) return { status, data: withoutLocations(body), credits: null }
  return { status, data: body.data, credits: { charged: body.credits_charged, earned: body.credits_earned } }
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

export async function byMcp(as: Person, tool: ToolCapability, input: Input): Promise<Outcome> {
  const { name } = tool.tool
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: input, _meta: META },
  }
  const answer = await as.post('/mcp', message, {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  })
  const { result } = answer.body
  if (!result.isError) return frame({ status: 200, body: result.structuredContent })
  const { status, ...body } = JSON.parse(result.content[0].text)
  return frame({ status, body })
}

/** A refused field stands in the body at one door and in the path or query at another; the rest must be the same. */
function withoutLocations(body: { detail?: unknown }): unknown {
  if (!Array.isArray(body.detail)) return body
  return body.detail.map(({ type, loc, msg }) => ({ type, field: loc.at(-1), msg }))
}

/** Ids, times, secrets and made-up words differ from call to call; everything else must not. */
export function normal(outcome: Outcome): Outcome {
  const ids = new Map<string, string>()
  const text = JSON.stringify(outcome)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`)
      return ids.get(id) ?? ''
    })
    .replace(/"[0-9a-f]{64}"/g, '"<hash>"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/[0-9a-f]{32}(?=\d*\W)/g, '<word>')
    .replace(/[\w-]{43}(?=")/g, '<token>')
    .replace(/-\d+@example\.com/g, '@example.com')
    .replace(/"took_ms":[\d.]+/g, '"took_ms":0')
    .replace(/vault-data-[0-9a-f]{12}/g, '<mark>')
    .replace(/"score":[\d.]+/g, '"score":0')
  return JSON.parse(text)
}
