import { z } from 'zod'
import {
  descriptionOf,
  extensionsLast,
  inputSchemaOf,
  requiredScopes,
  type ToolCapability,
} from '../../core/tools.ts'
import { GUIDE_VERSION } from '../../features/ai-guide/ai-guide.text.ts'

const ManifestTool = z
  .object({
    name: z.string(),
    extension: z.literal(true).optional().describe('Extends the interface; such tools come last'),
    description: z.string(),
    scopes: z.array(z.string()),
    read_only: z.boolean(),
    destructive: z.boolean(),
    idempotent: z.boolean(),
    input_schema: z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12'),
    endpoint: z.string(),
  })
  .meta({ id: 'ToolManifestEntry' })

export const ToolManifest = z
  .object({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    base_url: z.string(),
    mcp_endpoint: z.string(),
    auth: z.object({ type: z.string(), header: z.string(), alternative: z.string(), oauth: z.string() }),
    tools: z.array(ManifestTool),
  })
  .meta({ id: 'ToolManifest' })

/** Made from the declarations that validate; the source of truth for tool inputs. */
export const manifestOf = (
  tools: readonly ToolCapability[],
  baseUrl: string,
): z.input<typeof ToolManifest> => ({
  name: 'knowledge-vault',
  version: GUIDE_VERSION,
  description:
    'Search, record, share and publish knowledge cards; keep the memory of each project; run workspaces.',
  base_url: baseUrl,
  mcp_endpoint: `${baseUrl}/mcp`,
  auth: {
    type: 'api_key',
    header: 'X-API-Key',
    alternative: 'Authorization: Bearer <API_KEY>',
    oauth: `${baseUrl}/.well-known/oauth-protected-resource/mcp`,
  },
  tools: extensionsLast(tools).map((capability) => ({
    name: capability.tool.name,
    ...(capability.tool.extension ? { extension: true as const } : {}),
    description: descriptionOf(capability),
    scopes: [...requiredScopes(capability)],
    read_only: capability.tool.readOnly ?? false,
    destructive: capability.tool.destructive ?? false,
    idempotent: capability.tool.idempotent ?? capability.tool.readOnly ?? false,
    input_schema: inputSchemaOf(capability),
    endpoint: `${baseUrl}/mcp/tools/${capability.tool.name}`,
  })),
})
