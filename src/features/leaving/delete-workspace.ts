import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { conflict, invalid } from '../../core/errors.ts'
import { AnswerId, Id } from '../../core/schemas.ts'
import type { WorkspacesTable } from '../../db/tables/workspaces.ts'
import { audit } from '../audit/audit.ts'
import { cardsByOwner, countCardsIn, sendCardsHome } from '../cards/go-home.ts'
import { holdCardsOf } from '../cards/hold-card.ts'
import { successorsAround } from '../cards/succession-mark.ts'
import { requireUser } from '../identity/users/users.ts'
import { countOpenInvites, endInvitesOf } from '../invitations/invitations.ts'
import { countMaterialsIn, sendMaterialsHome } from '../materials/go-home.ts'
import { endModerationIn } from '../moderation/forget.ts'
import { requireRole } from '../permissions/permission.ts'
import { closeWorkspace, countMembers, holdWorkspace } from './workspace-end.store.ts'
import { tellPeople } from './workspace-end-mail.ts'

const numbers = {
  members: z.int().describe('You included'),
  own_cards: z.int().describe('Your cards there; they go to your personal workspace'),
  cards_of_others: z.int().describe("Cards of others; they go to their owners' personal workspaces"),
  published_cards: z
    .int()
    .describe('Among all of these: cards that others can read today and will no longer be able to'),
  deleted_cards: z.int().describe('Deleted cards that their owners can still bring back, even afterwards'),
  raw_materials: z.int().describe('They go to their owners'),
  open_invites: z.int().describe('Their links stop working'),
}

const WorkspaceDeletion = z
  .object({ workspace_id: AnswerId, name: z.string(), ...numbers })
  .meta({ id: 'WorkspaceDeletion' })

/** Admins only, and never a personal workspace: cards that name no workspace go there. */
async function requireDeletable(ctx: UserCtx, workspaceId: string): Promise<WorkspacesTable> {
  const { workspace } = await requireRole(ctx, workspaceId, 'admin')
  const { personal_workspace_id } = await requireUser(ctx, ctx.viewer.userId)
  if (workspaceId === personal_workspace_id)
    throw conflict(
      'personal_workspace',
      'This is the personal workspace of your account. It is deleted only together with the account.',
    )
  return workspace
}

async function countAll(
  ctx: UserCtx,
  { workspace_id, name }: WorkspacesTable,
): Promise<z.input<typeof WorkspaceDeletion>> {
  const cards = await countCardsIn(ctx, workspace_id, ctx.viewer.userId)
  return {
    workspace_id,
    name,
    members: await countMembers(ctx.db, workspace_id),
    own_cards: cards.own,
    cards_of_others: cards.ofOthers,
    published_cards: cards.published,
    deleted_cards: cards.deleted,
    raw_materials: await countMaterialsIn(ctx, workspace_id),
    open_invites: await countOpenInvites(ctx, workspace_id),
  }
}

const WHAT_HAPPENS =
  "Cards and raw materials go to their owners' personal workspaces, the cards unpublished; a card that was published here from another workspace returns there. Cards that were published out of it stay where they are. Cards of people who have deleted their account come to you. Memory stays with whoever wrote it. Invitations end."

export const previewWorkspaceDeletion = capability({
  name: 'workspaces.preview_deletion',
  summary: 'What deleting a workspace would do, in numbers; admins only',
  description: `Nothing is changed. ${WHAT_HAPPENS}`,
  scopes: ['workspace:write'],
  rest: ['GET /api/v1/workspaces/{workspace_id}/deletion'],
  errors: [404, 409],
  input: z.object({ workspace_id: Id }),
  output: WorkspaceDeletion,
  run: async (ctx, { workspace_id }) => countAll(ctx, await requireDeletable(ctx, workspace_id)),
})

function requireName(typed: string, { name }: WorkspacesTable): void {
  if (typed.trim() !== name)
    throw invalid('confirm_name', 'This is not the name of the workspace. Type it exactly as it is shown')
}

export const deleteWorkspace = capability({
  name: 'workspaces.delete',
  summary: 'Delete a workspace; its cards go home to their owners; admins only',
  description: `For good. ${WHAT_HAPPENS} Members are told by mail. GET …/deletion gives the numbers beforehand.`,
  scopes: ['workspace:write'],
  rest: ['DELETE /api/v1/workspaces/{workspace_id}'],
  errors: [404, 409],
  input: z.object({
    workspace_id: Id,
    confirm_name: z.string().min(1).max(500).describe('The name of the workspace, typed by a person'),
  }),
  output: WorkspaceDeletion.extend({ deleted: z.literal(true) }).meta({ id: 'WorkspaceDeleted' }),
  run: (ctx, { workspace_id, confirm_name }) =>
    inTx(
      ctx,
      async (ctx) => {
        // Before anything is locked: others must not be able to lock the cards of a team.
        requireName(confirm_name, await requireDeletable(ctx, workspace_id))
        const successors = await successorsAround(ctx.db, workspace_id)
        await holdCardsOf(ctx, { workspaceId: workspace_id, successors }, 'all')
        await holdWorkspace(ctx, workspace_id)
        const workspace = await requireDeletable(ctx, workspace_id)
        requireName(confirm_name, workspace)
        const told = await countAll(ctx, workspace)
        const { personal_workspace_id } = await requireUser(ctx, ctx.viewer.userId)
        await tellPeople(ctx, workspace, await cardsByOwner(ctx, workspace_id))
        await endModerationIn(ctx, workspace_id)
        await sendCardsHome(ctx, workspace_id, personal_workspace_id)
        await sendMaterialsHome(ctx, workspace_id)
        await endInvitesOf(ctx, workspace_id)
        await closeWorkspace(ctx, workspace_id)
        const { workspace_id: _, ...details } = told
        await audit(ctx, {
          action: 'workspace.deleted',
          subject: { type: 'workspace', id: workspace_id },
          workspaceId: workspace_id,
          details,
        })
        return { ...told, deleted: true as const }
      },
      // Not serialisable: cards that were published here (read committed) while this waited must be seen; see holdWorkspace.
      SELF_GUARDED,
    ),
})
