import { z } from 'zod'
import { type Capability, capability, thinAnswer } from '../../core/capability.ts'
import type { Ctx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { isOwnAddress } from '../../core/own-addresses.ts'
import { descriptionOf, requiredScopes, toolsOf } from '../../core/tools.ts'
import { withoutEnd } from '../../text/without-end.ts'
import { policyOf } from '../credits/policy.ts'
import {
  AUTHENTICATION,
  CARD_WRITING,
  ERRORS,
  GUIDE_VERSION,
  OVERVIEW,
  PITFALLS,
  SECRETS,
  WORKFLOW,
} from './ai-guide.text.ts'

const AiGuide = z
  .object({
    version: z.string(),
    base_url: z.string(),
    overview: z.string(),
    authentication: z.record(z.string(), z.unknown()),
    workflow: z.array(z.object({ when: z.string(), do: z.string() })),
    tools: z.array(z.object({ name: z.string(), use: z.string(), scopes: z.array(z.string()) })),
    card_writing: z.record(z.string(), z.string()),
    pitfalls: z.array(z.string()),
    secrets: z.string(),
    credits: z.record(z.string(), z.unknown()),
    errors: z.record(z.string(), z.string()),
  })
  .meta({ id: 'AiGuide' })

const Input = z.object({
  base_url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional()
    .describe('Another address of this server, to use in the guide'),
})

type Guide = z.input<typeof AiGuide>

/** A model that reads the guide over MCP has the list of tools already. */
const ThinGuide = AiGuide.omit({ tools: true }).describe('The guide')

const thinGuide = thinAnswer({
  input: z.object({}),
  output: ThinGuide,
  of: (guide: z.output<typeof AiGuide>) => guide,
})

function guideFor(ctx: Ctx, base: string | undefined, capabilities: readonly Capability[]): Guide {
  const baseUrl = withoutEnd(base ?? ctx.config.baseUrl, '/')
  return {
    version: GUIDE_VERSION,
    base_url: baseUrl,
    overview: OVERVIEW,
    authentication: {
      ...AUTHENTICATION,
      tool_endpoint: `POST ${baseUrl}/mcp/tools/{tool_name}`,
      mcp_endpoint: `${baseUrl}/mcp`,
      connect_an_agent: `npx -y ${baseUrl}/kvault.tgz connect`,
    },
    workflow: [...WORKFLOW],
    tools: toolsOf(capabilities).map((tool) => ({
      name: tool.tool.name,
      use: descriptionOf(tool),
      scopes: [...requiredScopes(tool)],
    })),
    card_writing: { ...CARD_WRITING },
    pitfalls: [...PITFALLS],
    secrets: SECRETS,
    credits: policyOf(ctx.config),
    errors: { ...ERRORS },
  }
}

/** The guide lists all tools, itself included, so it asks for the capabilities when it is read, not when it is declared. */
export function aiGuide(all: () => readonly Capability[]) {
  const read = (ctx: Ctx, base: string | undefined) => guideFor(ctx, base, all())

  const readGuide = capability({
    name: 'guide.read',
    summary: 'How an AI agent uses the vault',
    scopes: 'public',
    rest: ['GET /ai-guide'],
    input: Input,
    output: AiGuide,
    run: async (ctx, { base_url }) => {
      // Anybody can make a link to this page: it must not send a reader's key to somebody else's server.
      if (base_url !== undefined && !isOwnAddress(ctx.config, base_url))
        throw invalid('base_url', 'Input should be an address of this server; see BASE_URL and ALLOWED_HOSTS')
      return read(ctx, base_url)
    },
  })

  const getAiGuide = capability({
    name: 'guide.tool',
    summary: 'How an AI agent uses the vault, as a tool',
    scopes: ['search'],
    tool: {
      name: 'get_ai_guide',
      description: 'How to work with this vault: workflow, cards, credits, errors.',
      title: 'Get AI guide',
      readOnly: true,
      thin: thinGuide,
    },
    input: Input,
    output: AiGuide,
    run: async (ctx, { base_url }) => read(ctx, base_url),
  })

  return [readGuide, getAiGuide] as const
}
