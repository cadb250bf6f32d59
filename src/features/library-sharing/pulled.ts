import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { AnswerId, Id } from '../../core/schemas.ts'
import { presentOrigin } from '../cards/origin.ts'
import { requireRole } from '../permissions/permission.ts'
import { listPulled } from './import.store.ts'
import { ServerUrl } from './import-schemas.ts'

const PulledCards = z
  .object({
    items: z.array(
      z.object({
        card_id: AnswerId,
        origin_card_id: AnswerId,
        version: z.int().describe('Of the card there, as it was pulled'),
        title: z.string(),
        card_version: z.int().describe('Of the card here, for If-Match'),
        changed_here: z.boolean().describe('Somebody here has edited it, or added evidence, since'),
      }),
    ),
  })
  .meta({ id: 'PulledCards' })

export const listPulledCards = capability({
  name: 'library.pulled',
  summary: 'The cards of a workspace that were pulled from one server',
  description:
    'Sorted by their ids on that server. `after` is the last origin_card_id of the previous page. For editors and admins of the workspace.',
  scopes: ['search'],
  rest: ['GET /api/v1/library/pulled'],
  input: z.object({
    workspace_id: Id,
    server: ServerUrl,
    after: Id.optional(),
    limit: z.int().min(1).max(500).default(500),
  }),
  output: PulledCards,
  errors: [404],
  run: async (ctx, { workspace_id, server, after = '', limit }) => {
    await requireRole(ctx, workspace_id, 'editor')
    const { userId: viewerId } = ctx.viewer
    const rows = await listPulled(ctx.db, { viewerId, workspaceId: workspace_id, server, after, limit })
    return {
      items: rows.flatMap((row) => {
        const from = presentOrigin(row)
        if (!from) return []
        const { card_id, title, version: card_version } = row
        // A pulled card comes without evidence.
        const changed_here = from.changed_here || row.evidence_count > 0
        return [
          { card_id, origin_card_id: from.card_id, version: from.version, title, card_version, changed_here },
        ]
      }),
    }
  },
})
