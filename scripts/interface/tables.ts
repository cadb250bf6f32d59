import type { Capability, RawRoute, Route } from '../../src/core/capability.ts'
import { inputSchemaOf, requiredScopes, type ToolCapability } from '../../src/core/invoke.ts'
import { fieldText, fieldTexts, type Schema, typeText } from './schema-text.ts'

type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
type Content = Record<string, { schema: Schema }>
export type Operation = {
  tags: string[]
  summary: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { description?: string; content?: Content }>
}
export type Api = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** The parts of the interface in the order in which one meets them; others follow by name. */
const PARTS: Record<string, string> = {
  health: 'Health',
  account: 'Accounts',
  keys: 'API keys',
  apps: 'Connected apps',
  settings: 'Settings',
  workspaces: 'Workspaces',
  members: 'Members',
  invites: 'Invitations',
  invitations: 'Invitations addressed to you',
  audit: 'Audit log',
  cards: 'Cards',
  cases: 'Cases',
  feedback: 'Feedback',
  search: 'Search',
  credits: 'Credits',
  memory: 'Agent Memory',
  materials: 'Raw materials',
  billing: 'Billing',
  support: 'Support',
  guide: 'Guides',
}
const titleOf = (part: string) => PARTS[part] ?? part.charAt(0).toUpperCase() + part.slice(1)

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`
const table = (head: string[], rows: string[]) =>
  [row(...head), `|${head.map(() => '---').join('|')}|`, ...rows].join('\n')

const needs = (scopes: Capability['scopes']) =>
  scopes === 'public' ? 'nothing' : scopes.map((scope) => `\`${scope}\``).join(', ') || 'any credential'

function takes({ parameters = [], requestBody }: Operation): string {
  const inQuery = parameters
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => fieldText(parameter.name, parameter.schema, parameter.required ?? false))
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => {
    const text = schema.$ref ? typeText(schema) : fieldTexts(schema).join('; ') || typeText(schema)
    return type === 'application/json' ? text : `${type}: ${text}`
  })
  return [...inQuery, ...bodies].join('; ') || '–'
}

function answers({ responses }: Operation): string {
  const [status = '', response] = Object.entries(responses).find(([code]) => Number(code) < 400) ?? []
  const [type, body] = Object.entries(response?.content ?? {})[0] ?? []
  if (!body) return status
  return type === 'application/json' ? `${status} ${typeText(body.schema)}` : `${status} ${type}`
}

type Call = { name: string; summary: string; scopes: Capability['scopes']; routes: readonly Route[] }

function callRow(api: Api, call: Call): string | undefined {
  const operations = call.routes.flatMap((route) => {
    const [method = '', path = ''] = route.split(' ')
    return api.paths[path]?.[method.toLowerCase()] ?? []
  })
  const [operation] = operations
  if (!operation) return undefined
  const routes = call.routes.map((route) => `\`${route}\``).join('<br>')
  return row(call.summary, routes, needs(call.scopes), takes(operation), answers(operation))
}

/** Every call that the API description has, part by part. */
export function callTables(
  api: Api,
  capabilities: readonly Capability[],
  rawRoutes: readonly RawRoute[],
): string {
  const calls: Call[] = [
    ...capabilities.map((capability) => ({ ...capability, routes: capability.rest ?? [] })),
    ...rawRoutes.filter((raw) => raw.openapi).map((raw) => ({ ...raw, routes: [raw.route] })),
  ]
  const byPart = Map.groupBy(calls, (call) => call.name.split('.')[0] ?? '')
  const known = Object.keys(PARTS).filter((part) => byPart.has(part))
  const others = [...byPart.keys()].filter((part) => !(part in PARTS)).sort()
  return [...known, ...others]
    .map((part) => {
      const rows = (byPart.get(part) ?? []).flatMap((call) => callRow(api, call) ?? [])
      const head = ['what', 'call', 'needs', 'takes', 'answers']
      return rows.length > 0 ? `### ${titleOf(part)}\n\n${table(head, rows)}` : ''
    })
    .filter(Boolean)
    .join('\n\n')
}

const kindOf = ({ tool }: ToolCapability) =>
  tool.readOnly ? 'reads' : tool.destructive ? 'destroys' : tool.idempotent ? 'writes, repeatable' : 'writes'

export function toolTable(tools: readonly ToolCapability[]): string {
  const rows = tools.map((tool) => {
    const scopes = requiredScopes(tool)
    const inputs = fieldTexts(withoutDefs(inputSchemaOf(tool) as DefinedSchema))
    return row(`\`${tool.tool.name}\``, needs(scopes), kindOf(tool), inputs.join('; ') || '–')
  })
  return table(['tool', 'needs', 'kind', 'takes'], rows)
}

type DefinedSchema = Schema & { $defs?: Record<string, Schema & { id?: string }> }

/** A part without a name of its own is written out where it is used; a named one is a shape further down. */
function withoutDefs({ $defs = {}, ...schema }: DefinedSchema): Schema {
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve)
    if (part === null || typeof part !== 'object') return part
    const { $ref } = part as Schema
    const name = $ref?.split('/').at(-1) ?? ''
    const definition = $defs[name]
    if (definition && definition.id === undefined) return resolve(definition)
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, resolve(inner)]))
  }
  return resolve(schema) as Schema
}

const shapeText = ([name, schema]: [string, Schema]): string => {
  const fields = Object.entries(schema.properties ?? {}).map(([field, inner]) => {
    const line = fieldText(field, inner, schema.required?.includes(field) ?? false)
    return `- ${line}${inner.description ? `: ${inner.description}` : ''}`
  })
  const body = fields.length > 0 ? fields.join('\n') : typeText(schema)
  return [`### ${name}`, schema.description, body].filter(Boolean).join('\n\n')
}

/** The shapes that calls and tools name, without those that belong to one tool's own answer. */
export const shapeList = (api: Api): string =>
  Object.entries(api.components.schemas)
    .filter(([name]) => !name.startsWith('__'))
    .map(shapeText)
    .join('\n\n')

export const rateTable = (perMinute: Record<string, number>): string =>
  table(
    ['kind of call', 'a minute'],
    Object.entries(perMinute).map(([kind, limit]) => row(kind, String(limit))),
  )
