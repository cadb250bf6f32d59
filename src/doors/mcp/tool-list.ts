import type { Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Viewer } from '../../core/context.ts'
import { CORE_TOOLS, descriptionOf, inputSchemaOf, mayUse, type ToolCapability } from '../../core/tools.ts'
import { compactSchema } from './compact-schema.ts'

export type Profile = 'full' | 'core'

/** Clients take an unstated `destructiveHint` for true, so a write that destroys nothing says so. */
function annotationsOf({ tool }: ToolCapability): Tool['annotations'] {
  if (tool.readOnly) return { readOnlyHint: true }
  return {
    destructiveHint: tool.destructive ?? false,
    ...(tool.idempotent ? { idempotentHint: true } : {}),
  }
}

/** The answer's frame; what is inside `data` is told by the description and, in full, by the API description. */
function outputSchemaOf({ output }: ToolCapability): Tool['outputSchema'] {
  const moves =
    output instanceof z.ZodObject
      ? ['credits_charged', 'credits_earned'].filter((field) => field in output.shape)
      : []
  return {
    type: 'object',
    properties: {
      data: { type: output instanceof z.ZodArray ? 'array' : 'object' },
      ...Object.fromEntries(moves.map((field) => [field, { type: 'integer' }])),
    },
  }
}

const describeTool = (capability: ToolCapability): Tool => ({
  name: capability.tool.name,
  description: descriptionOf(capability),
  inputSchema: { type: 'object', ...compactSchema(inputSchemaOf(capability)) },
  outputSchema: outputSchemaOf(capability),
  annotations: annotationsOf(capability),
})

/** What `tools/list` answers: described once at start, then chosen by profile and by what the credential may use. */
export function toolList(tools: readonly ToolCapability[]) {
  const described = tools.map((capability) => ({ capability, tool: describeTool(capability) }))
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
