import type { Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Viewer } from '../../core/context.ts'
import {
  CORE_TOOLS,
  descriptionOf,
  mayUse,
  type ToolCapability,
  thinInputSchemaOf,
  thinToolInput,
  titleOf,
  toolOutput,
} from '../../core/invoke.ts'

// A model pays for each character; some clients give models only the descriptions.

export type JsonSchema = { [key: string]: unknown }

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const DROPPED = new Set([
  '$schema',
  '$defs',
  '$id',
  'id',
  'title',
  'examples',
  'pattern',
  'format',
  'propertyNames',
  'maxItems',
  'minItems',
  'maxProperties',
])
/** Higher limits are left out of the schema. */
const LONG = 300
/** Lower minimum lengths are left out of the schema; every address and token is longer. */
const SHORT = 10
/** Minimums up to this are left out of the schema. */
const MIN_COUNT = 1
/** Depth of the tool's own fields. Deeper fields keep only names and types. */
const OWN_FIELDS = 1

type Where = { defs: JsonSchema; depth: number; inside: readonly string[]; isItem?: boolean }

export function compactSchema(schema: unknown): JsonSchema {
  const defs = isObject(schema) && isObject(schema.$defs) ? schema.$defs : {}
  return compact(schema, { defs, depth: 0, inside: [] })
}

function compact(schema: unknown, where: Where): JsonSchema {
  if (!isObject(schema)) return {}
  if (typeof schema.$ref === 'string') return resolve(schema, schema.$ref, where)
  if (Array.isArray(schema.anyOf)) return alternatives(schema, schema.anyOf, where)
  const out: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) if (matters(key, value, where)) out[key] = value
  if (typeof out.description === 'string') out.description = firstClause(out.description)
  if (where.depth === OWN_FIELDS) sayLimits(out)
  if (Number(out.minimum) <= MIN_COUNT && out.maximum !== undefined) delete out.minimum
  if (out.items !== undefined) {
    const inner = compact(out.items, { ...where, depth: where.depth + 1, isItem: true })
    delete out.items
    if (Object.keys(inner).length > 0) out.items = inner
  }
  if (isObject(out.properties))
    out.properties = Object.fromEntries(
      Object.entries(out.properties).map(([name, inner]) => [
        name,
        compact(inner, { ...where, depth: where.depth + 1, isItem: false }),
      ]),
    )
  return out
}

const firstClause = (text: string): string => text.split('; ', 1)[0] ?? text

const range = (least: unknown, most: unknown): string[] => {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}`]
  if (most !== undefined) return [`at most ${most}`]
  return least === undefined ? [] : [`at least ${least}`]
}

function sayLimits(field: JsonSchema): void {
  const words = [
    ...range(field.minimum, field.maximum),
    ...range(field.minLength, field.maxLength).map((text) => `${text} characters`),
    ...(field.default === undefined ? [] : [`default ${field.default}`]),
  ].join(', ')
  if (words === '') return
  field.description = typeof field.description === 'string' ? `${field.description}; ${words}` : words
}

function matters(key: string, value: unknown, { depth, isItem }: Where): boolean {
  if (DROPPED.has(key)) return false
  switch (key) {
    case 'description':
      return depth <= OWN_FIELDS
    // Objects in lists keep their fields. For other nested objects the description names the keys.
    case 'properties':
      return depth !== OWN_FIELDS || isItem === true
    // A model must know a `false` at the top level: an additional key is an error.
    case 'additionalProperties':
      return depth === 0
    case 'default':
      return depth <= OWN_FIELDS && value !== null && value !== false && typeof value !== 'object'
    case 'minLength':
      return depth <= OWN_FIELDS && Number(value) > SHORT
    case 'maxLength':
      return depth <= OWN_FIELDS && Number(value) <= LONG
    case 'minimum':
    case 'maximum':
      return Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER
    default:
      return true
  }
}

/** Replaces a reference by its schema. A schema that contains itself becomes any JSON. */
function resolve({ $ref: _ref, ...rest }: JsonSchema, ref: string, where: Where): JsonSchema {
  const name = ref.replace('#/$defs/', '')
  if (where.inside.includes(name) || refersTo(where.defs[name], ref)) return compact(rest, where)
  return compact(
    { ...(where.defs[name] as JsonSchema), ...rest },
    { ...where, inside: [...where.inside, name] },
  )
}

const refersTo = (schema: unknown, ref: string): boolean =>
  JSON.stringify(schema ?? null).includes(`"$ref":"${ref}"`)

function alternatives(schema: JsonSchema, anyOf: unknown[], where: Where): JsonSchema {
  const { anyOf: _anyOf, ...rest } = schema
  const options = anyOf.filter(isObject).filter((option) => option.type !== 'null')
  if (options.length === 1) return compact({ ...options[0], ...rest }, where)
  return { ...compact(rest, where), anyOf: options.map((option) => compact(option, where)) }
}

export function withoutFieldsOf(schema: JsonSchema, other: JsonSchema): JsonSchema {
  const spelt = other.properties as Record<string, JsonSchema>
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, field]) => [
    name,
    spelt[name] ? inShort(field, spelt[name]) : field,
  ])
  return { ...schema, properties: Object.fromEntries(properties) }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

function inShort(field: JsonSchema, spelt: JsonSchema): JsonSchema {
  const short = { ...field }
  if (isObject(spelt.items) && isObject(spelt.items.properties)) short.items = { type: 'object' }
  if (short.enum !== undefined && isSame(short.enum, spelt.enum)) delete short.enum
  if (short.description === spelt.description && short.default === spelt.default) {
    delete short.description
    delete short.default
  }
  return short
}

export type Profile = 'full' | 'core'

/** Clients take a missing `destructiveHint` for true, so a harmless write sets it to false. */
function annotationsOf({ tool }: ToolCapability): Tool['annotations'] {
  if (tool.readOnly) return { readOnlyHint: true, openWorldHint: false }
  return {
    openWorldHint: false,
    destructiveHint: tool.destructive ?? false,
    ...(tool.idempotent ? { idempotentHint: true } : {}),
  }
}

const isAside = (name: string) => name === 'provenance' || /_(?:at|note)$/.test(name)

function namesIn(output: unknown, sent: readonly string[]): string {
  if (output instanceof z.ZodArray) return `[${namesIn(output.element, sent)}]`
  if (!(output instanceof z.ZodObject)) return 'empty'
  if (output.description) return output.description
  const names = Object.entries(output.shape)
    .filter(([name]) => !isAside(name) && !sent.includes(name))
    .map(([name, field]) =>
      field instanceof z.ZodArray && field.element instanceof z.ZodObject
        ? `${name} ${namesIn(field, sent)}`
        : name,
    )
  return names.join(', ')
}

function outputSchemaOf(capability: ToolCapability): Tool['outputSchema'] {
  const answered = capability.tool.thin?.output ?? toolOutput(capability)
  const names = namesIn(answered, Object.keys(thinToolInput(capability).shape))
  const type = answered instanceof z.ZodArray ? 'array' : 'object'
  return { type: 'object', properties: { data: { type, description: names } } }
}

/** Makes Claude Code load the tool at once instead of on demand. */
const ALWAYS_LOADED = { 'anthropic/alwaysLoad': true }
/** Core tools that agents need less often, so that the mark costs nothing there. */
const ON_DEMAND: ReadonlySet<string> = new Set(['verify_card', 'recall', 'search_project_context'])

const isAlwaysLoaded = (name: string): boolean => CORE_TOOLS.has(name) && !ON_DEMAND.has(name)

const inputOf = (capability: ToolCapability): JsonSchema => compactSchema(thinInputSchemaOf(capability))

const describeTool = (capability: ToolCapability, tools: readonly ToolCapability[]): Tool => {
  const like = tools.find(({ tool }) => tool.name === capability.tool.fieldsOf)
  const input = inputOf(capability)
  return {
    name: capability.tool.name,
    title: titleOf(capability),
    description: descriptionOf(capability),
    inputSchema: { type: 'object', ...(like ? withoutFieldsOf(input, inputOf(like)) : input) },
    outputSchema: outputSchemaOf(capability),
    annotations: annotationsOf(capability),
    ...(isAlwaysLoaded(capability.tool.name) ? { _meta: ALWAYS_LOADED } : {}),
  }
}

/** Returns the answer of `tools/list`, chosen by profile and by the scopes of the credential. */
export function toolList(tools: readonly ToolCapability[]) {
  const described = tools.map((capability) => ({ capability, tool: describeTool(capability, tools) }))
  const chosen = new Map<string, Tool[]>()
  return (viewer: Viewer, profile: Profile): Tool[] => {
    const key = `${profile} ${[...viewer.scopes].sort().join(' ')}`
    let list = chosen.get(key)
    if (!list) {
      list = described
        .filter(({ capability }) => mayUse(capability, viewer))
        .filter(({ tool }) => profile === 'full' || CORE_TOOLS.has(tool.name))
        .map(({ tool }) => tool)
      chosen.set(key, list)
    }
    return list
  }
}
