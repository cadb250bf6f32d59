import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { AnswerId, Id } from '../../core/schemas.ts'
import { storedOrigin } from '../cards/origin.ts'
import { requireRole } from '../permissions/permission.ts'
import { listPulled } from './import.store.ts'
import { ServerUrl } from './import-schemas.ts'

const PulledCards = z
  .object({
    items: z.array(
      z.object({ card_id: AnswerId, origin_card_id: AnswerId, version: z.int(), title: z.string() }),
    ),
  })
  .meta({ id: 'PulledCards' })

export const listPulledCards = capability({
  name: 'library.pulled',
  summary: 'The cards of a workspace that were pulled from one server',
  description:
    'In the order of their ids there. `after` is the last origin_card_id of the page before. For editors and admins of the workspace.',
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
      items: rows.flatMap(({ card_id, title, origin }) => {
        const from = storedOrigin({ origin })
        return from ? [{ card_id, origin_card_id: from.card_id, version: from.version, title }] : []
      }),
    }
  },
})
