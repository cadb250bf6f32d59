import { z } from 'zod'
import { toolInput } from '../../../core/invoke.ts'
import { MCPToolResponse, type ToolCapability, toolOutput } from '../../../core/tools.ts'
import { ToolManifest } from '../manifest.ts'
import { commonErrors, errorResponses } from './errors.ts'
import { withHeaders } from './headers.ts'
import { headersOf, inJson, replayHeader, securityOf } from './operations.ts'
import { type Json, needsBody, type Schemas, schemaOf } from './schemas.ts'

function dataOf(capability: ToolCapability, components: Schemas): Json {
  const output = toolOutput(capability)
  return output instanceof z.ZodVoid ? { type: 'object' } : schemaOf(output, components)
}

/** The answer is MCPToolResponse, with the data of this tool. */
const answerOf = (capability: ToolCapability, components: Schemas): Json => ({
  allOf: [
    schemaOf(MCPToolResponse, components),
    {
      type: 'object',
      required: ['tool', 'data'],
      properties: {
        tool: { type: 'string', enum: [capability.tool.name] },
        data: dataOf(capability, components),
      },
    },
  ],
})

export function toolOperation(capability: ToolCapability, components: Schemas): Json {
  const { name, description } = capability.tool
  const input = toolInput(capability)
  const key = capability.idempotency !== 'none'
  const errors = commonErrors({ open: false, input: true, body: true, key })
  return {
    operationId: `tool_${name}`,
    tags: ['tools'],
    summary: capability.summary,
    description,
    ...securityOf(capability.scopes),
    parameters: headersOf(capability, key),
    requestBody: { required: needsBody(input), content: inJson(schemaOf(input, components)) },
    responses: {
      200: {
        description: 'Success',
        ...withHeaders(replayHeader(key)),
        content: inJson(answerOf(capability, components)),
      },
      ...errorResponses([...errors, ...(capability.errors ?? [])]),
    },
  }
}

export const manifestOperation = (components: Schemas): Json => ({
  operationId: 'tools_manifest',
  tags: ['tools'],
  summary: 'Every tool with its input schema: the source of truth for tool inputs',
  security: [],
  responses: {
    200: { description: 'Success', content: inJson(schemaOf(ToolManifest, components)) },
    ...errorResponses(commonErrors({ open: true, input: false, body: false, key: false })),
  },
})
