import {
  type CallToolResult,
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server'
import type { Capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { type AppError, InvalidInput } from '../../core/errors.ts'
import { callThin, type ToolCapability, toolOutput, toolsOf } from '../../core/invoke.ts'
import { carriesText, fence } from '../../core/untrusted-text.ts'
import { VERSION } from '../../core/version.ts'
import { INSTRUCTIONS } from '../../features/guide/index.ts'
import { echoName, errorBody, validationBody } from '../http/errors.ts'
import { completionOf, listResources, RESOURCE_TEMPLATES, readResource } from './resources.ts'
import { type Profile, toolList } from './tool-list.ts'

type PromptArgument = { name: string; description: string; required: boolean }
type VaultPrompt = {
  name: string
  title: string
  description: string
  arguments: PromptArgument[]
  text: (given: Record<string, string>) => string
}

const PROJECT_KEY: PromptArgument = {
  name: 'project_key',
  description: 'Repository URL or org/repo',
  required: true,
}

const PROMPTS: readonly VaultPrompt[] = [
  {
    name: 'start_of_session',
    title: 'Start of session',
    description: 'Restore what is known about this project and about the user before any work begins.',
    arguments: [PROJECT_KEY],
    text: ({ project_key }) =>
      `Call get_project_context once, with project_key "${project_key}" and max_total_chars 6000. ` +
      'Tell me in at most five lines what we were doing last, which facts and preferences apply, and what you suggest next. ' +
      'If the memory is empty, say so and ask what this project is about.',
  },
  {
    name: 'record_what_we_fixed',
    title: 'Record what we just fixed',
    description:
      'Turn the problem that was just solved into a knowledge card, after checking that there is none yet.',
    arguments: [{ name: 'hint', description: 'What the card should be about', required: false }],
    text: ({ hint }) =>
      `Write down what we just solved${hint ? ` (${hint})` : ''} as a knowledge card. First call search_records with the error text ` +
      'and include_workspaces true; where a card already says this, improve it with update_card instead. Otherwise call ' +
      'record_card: title as somebody would search for it; symptom with the exact error text; fix_summary complete enough to act on; ' +
      'root_cause, steps {order, action, result}, environment versions and tags. Replace every secret by a placeholder such as ' +
      '<API_KEY>. Show me the card; do not share or publish it.',
  },
  {
    name: 'prepare_for_publishing',
    title: 'Prepare a card for publishing',
    description:
      'Bring a private card to the quality that the public library asks for, and publish it once the user agrees.',
    arguments: [{ name: 'card_id', description: 'The card', required: true }],
    text: ({ card_id }) =>
      `Read card ${card_id} with get_card. Check it as a stranger would: does the title name the failure, are symptom and fix_summary ` +
      'each a few full sentences in their own words, is there a root cause, a step or evidence, is anything in it private (names, ' +
      'hosts, paths, customers, secrets)? Propose the changes and, when I agree, make them with update_card. Then ask me whether to ' +
      'publish; only after my yes call publish_card. If it is refused, read the reasons, fix the card and try once more.',
  },
]

/** The context of one request. The server object lives for that request only. */
export type McpCall = {
  ctx: UserCtx
  profile: Profile
  hide: (error: unknown) => AppError
}

const MINUTE = 60_000
const CACHE = {
  'server/discover': { ttlMs: 60 * MINUTE, cacheScope: 'public' },
  'prompts/list': { ttlMs: 60 * MINUTE, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: 60 * MINUTE, cacheScope: 'public' },
  // Private, because the list depends on the scopes of the caller's key.
  'tools/list': { ttlMs: 5 * MINUTE, cacheScope: 'private' },
  'resources/list': { ttlMs: MINUTE, cacheScope: 'private' },
  'resources/read': { ttlMs: 0, cacheScope: 'private' },
} as const

const invalidParams = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

function refusal(error: unknown, hide: McpCall['hide'], input: unknown): CallToolResult {
  const body =
    error instanceof InvalidInput
      ? { status: 422, ...validationBody(error, undefined, { body: input }) }
      : (() => {
          const known = hide(error)
          return { status: known.status, ...errorBody(known) }
        })()
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] }
}

function prompt(name: string, given: Record<string, string>): GetPromptResult {
  const found = PROMPTS.find((candidate) => candidate.name === name)
  if (!found) throw invalidParams(`Unknown prompt: ${echoName(name)}`)
  const missing = found.arguments.filter((argument) => argument.required && !given[argument.name])
  if (missing.length > 0)
    throw invalidParams(`Missing: ${missing.map((argument) => argument.name).join(', ')}`)
  return {
    description: found.description,
    messages: [{ role: 'user', content: { type: 'text', text: found.text(given) } }],
  }
}

async function runTool(
  tool: ToolCapability,
  { ctx, hide }: McpCall,
  input: unknown,
): Promise<CallToolResult> {
  try {
    const answer = await callThin(tool, ctx, input)
    const text = JSON.stringify(answer)
    return {
      content: [{ type: 'text', text: carriesText(toolOutput(tool)) ? fence(text) : text }],
      structuredContent: answer,
    }
  } catch (error) {
    return refusal(error, hide, input)
  }
}

async function shown<T>(hide: McpCall['hide'], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    throw invalidParams(hide(error).message)
  }
}

/**
 * The library wrongly gives -32603 for parameters of a wrong type. Our handlers throw only ProtocolError, so
 * any other error comes from its checks.
 */
class VaultServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const wrapped = super._wrapHandler(method, handler)
    const told: typeof wrapped = async (request, ctx) => {
      try {
        return await wrapped(request, ctx)
      } catch (error) {
        if (error instanceof ProtocolError) throw error
        throw invalidParams(`Invalid ${method} request: ${(error as Error).message}`)
      }
    }
    return told
  }
}

/** Makes the MCP server of one request. Tools, prompts and resources are described once at start. */
export function mcpServers(capabilities: readonly Capability[], baseUrl: string) {
  const tools = toolsOf(capabilities)
  const byName: ReadonlyMap<string, ToolCapability> = new Map(tools.map((tool) => [tool.tool.name, tool]))
  const listTools = toolList(tools)
  const prompts = PROMPTS.map(({ text: _text, ...described }) => described)
  const info = { name: 'knowledge-vault', title: 'Knowledge Vault', version: VERSION, websiteUrl: baseUrl }
  const options = {
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    cacheHints: CACHE,
  }

  const serve = (call: McpCall): Server => {
    const { ctx, profile, hide } = call
    const server = new VaultServer(info, { ...options, instructions: INSTRUCTIONS[profile] })
    server.setRequestHandler('tools/list', () => ({ tools: listTools(ctx.viewer, profile) }))
    server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
      const tool = byName.get(params.name)
      if (!tool) throw invalidParams(`Unknown tool: ${echoName(params.name)}`)
      return runTool(tool, call, params.arguments ?? {})
    })
    server.setRequestHandler('resources/list', () =>
      shown(hide, async () => ({ resources: await listResources(ctx) })),
    )
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }))
    server.setRequestHandler('resources/read', ({ params }) =>
      shown(hide, () => readResource(byName, ctx, params.uri)),
    )
    server.setRequestHandler('completion/complete', ({ params }) =>
      shown(hide, async () => ({ completion: await completionOf(ctx, params.argument) })),
    )
    server.setRequestHandler('prompts/list', () => ({ prompts }))
    server.setRequestHandler('prompts/get', ({ params }) => prompt(params.name, params.arguments ?? {}))
    return server
  }
  return { serve, run: runTool, byName, info }
}
