import type { Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Viewer } from '../../core/context.ts'
import { thinToolInput } from '../../core/invoke.ts'
import {
  CORE_TOOLS,
  descriptionOf,
  mayUse,
  type ToolCapability,
  thinInputSchemaOf,
  titleOf,
  toolOutput,
} from '../../core/tools.ts'
import { compactSchema, type JsonSchema, withoutFieldsOf } from './compact-schema.ts'

export type Profile = 'full' | 'core'

/** Clients take an unstated `destructiveHint` for true, so a write that destroys nothing says so. */
function annotationsOf({ tool }: ToolCapability): Tool['annotations'] {
  // The vault is a closed world: it does not reach the internet.
  if (tool.readOnly) return { readOnlyHint: true, openWorldHint: false }
  return {
    openWorldHint: false,
    destructiveHint: tool.destructive ?? false,
    ...(tool.idempotent ? { idempotentHint: true } : {}),
  }
}

const isAside = (name: string) => name === 'provenance' || /_(?:at|note)$/.test(name)

/** The names of the fields, and in brackets those of list items; without times, notes and fields that the caller sent. */
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

/** The answer's frame, and what is in `data`; the types of its fields are in the API description. */
function outputSchemaOf(capability: ToolCapability): Tool['outputSchema'] {
  const answered = capability.tool.thin?.output ?? toolOutput(capability)
  const names = namesIn(answered, Object.keys(thinToolInput(capability).shape))
  const type = answered instanceof z.ZodArray ? 'array' : 'object'
  return { type: 'object', properties: { data: { type, description: names } } }
}

/** Makes Claude Code load the tool at once instead of on demand. */
const ALWAYS_LOADED = { 'anthropic/alwaysLoad': true }

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
    ...(CORE_TOOLS.has(capability.tool.name) ? { _meta: ALWAYS_LOADED } : {}),
  }
}

/** What `tools/list` answers: described once at start, then chosen by profile and by what the credential may use. */
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
