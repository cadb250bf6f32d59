import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import { readCites } from '../cites/read-cites.ts'
import { requireUser } from '../identity/users/users.ts'
import { requireRole } from '../permissions/permission.ts'
import { appendEvidences, insertCard } from './cards.store.ts'
import { columnsOf, secretsInContent, warningsFor } from './content.ts'
import { attachNamedImages } from './images/attach.ts'
import { saved } from './saved.ts'
import {
  type CardAnswer,
  CaseCreate,
  type CaseCreateInput,
  CaseResponse,
  MAX_BODY_BYTES,
  RecordTool,
} from './schemas.ts'
import { thinWrite } from './thin.ts'

/** A card that names no workspace goes to the personal one. Any other workspace needs the role of an editor. */
async function workspaceFor(ctx: UserCtx, workspaceId: string | null | undefined): Promise<string> {
  if (workspaceId == null) return (await requireUser(ctx, ctx.viewer.userId)).personal_workspace_id
  return (await requireRole(ctx, workspaceId, 'editor')).workspace.workspace_id
}

/** In the open transaction. */
export async function record(ctx: UserCtx, input: CaseCreateInput): Promise<CardAnswer> {
  const { workspace_id, evidences, ...given } = input
  const workspaceId = await workspaceFor(ctx, workspace_id)
  const content = { ...given, scope_notes: null }
  const card_id = newId()
  const owner = ctx.viewer.userId
  const now = ctx.now().toISOString()
  await insertCard(
    ctx.db,
    {
      card_id,
      owner_id: owner,
      workspace_id: workspaceId,
      origin_workspace_id: workspaceId,
      status: 'unpublished',
      version: 1,
      ...columnsOf(content),
      cites: toJson(readCites(content)),
      evidence_count: evidences.length,
      created_at: now,
      updated_at: now,
      edited_at: now,
      edited_by: owner,
      edited_fields: toJson([]),
      recorded_with: ctx.viewer.credential.kind,
    },
    content.tags,
  )
  await attachNamedImages(ctx, card_id, content)
  const inEvidence = await appendEvidences(ctx.db, evidences, {
    cardId: card_id,
    present: 0,
    version: 1,
    addedBy: owner,
    now,
  })
  return {
    ...(await saved(ctx, card_id)),
    warnings: warningsFor([...secretsInContent(content), ...inEvidence]),
    credits_earned: 0,
  }
}

export const recordCard = capability({
  name: 'cards.record',
  summary: 'Record a new card; it stays unpublished',
  description:
    'The card is private to its workspace until it is shared or published. Without workspace_id it goes to the personal workspace; another workspace takes the role editor or admin.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards', 'POST /api/v1/cases'],
  status: 201,
  tool: {
    name: 'record_card',
    description: 'Save a solved problem, decision or how-to as a private card.',
    input: RecordTool,
    thin: thinWrite,
  },
  input: CaseCreate,
  output: CaseResponse,
  errors: [404, 413],
  maxBodyBytes: MAX_BODY_BYTES,
  run: (ctx, input) => inTx(ctx, (ctx) => record(ctx, input)),
})
