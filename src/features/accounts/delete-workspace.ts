import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { conflict, invalid } from '../../core/errors.ts'
import { AnswerId, Id } from '../../core/schemas.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import { type Db, isSqlite } from '../../db/db.ts'
import type { Role, WorkspacesTable } from '../../db/schema.ts'
import { localNumber } from '../../shared/language.ts'
import { audit } from '../audit/index.ts'
import {
  cardsByOwner,
  countCardsIn,
  countMaterialsIn,
  lockCardsOf,
  sendCardsHome,
  sendMaterialsHome,
  successorsAround,
} from '../cards/index.ts'
import { requireUser, type Settings, settingsOf } from '../identity/index.ts'
import { enqueueMail, hasRoomInMailbox, mailWithButton, type Words } from '../mail/index.ts'
import { endModerationIn } from '../moderation/index.ts'
import { noticeText, tell } from '../notices/index.ts'
import { mayKnowOf, requireRole } from '../permissions/index.ts'
import { forgetMissedSearches } from '../search/index.ts'
import { countOpenInvites, endInvitesOf } from '../workspaces/index.ts'

/**
 * Locks the cards first, in the order of card changes. On PostgreSQL, every insert locks the workspace's row
 * by its foreign key, so later writers wait and then find no membership.
 */
async function lockWorkspace({ db, database, viewer }: UserCtx, workspaceId: string): Promise<void> {
  if (database.engine !== 'postgres') return
  await db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', '=', workspaceId)
    .forUpdate()
    .execute()
  // The caller's role must not change until the end.
  await db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', viewer.userId)
    .forUpdate()
    .execute()
}

async function countMembers(db: Db, workspaceId: string): Promise<number> {
  const { members } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('members'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return members
}

/** Locks the rows before reading them, in one order: members may be in another team being deleted. */
async function forgetAsDefault({ db }: UserCtx, workspaceId: string): Promise<void> {
  const members = db
    .selectFrom('memberships')
    .select('memberships.user_id')
    .where('workspace_id', '=', workspaceId)
  const rows = await db
    .selectFrom('users')
    .select(['user_id', 'settings'])
    .where('user_id', 'in', members)
    .where('settings', 'like', `%${workspaceId}%`)
    .orderBy('user_id')
    .$if(!isSqlite(db), (query) => query.forNoKeyUpdate())
    .execute()
  for (const { user_id, settings } of rows)
    await db
      .updateTable('users')
      .set({
        settings: toJson({
          ...fromJson<Settings>(settings),
          default_workspace_id: null,
          share_recorded: false,
        }),
      })
      .where('user_id', '=', user_id)
      .execute()
}

/** Makes the workspace private and without members. The row stays for memory and the audit log. */
async function closeWorkspace(ctx: UserCtx, workspaceId: string): Promise<void> {
  await forgetAsDefault(ctx, workspaceId)
  const now = ctx.now().toISOString()
  await ctx.db.deleteFrom('memberships').where('workspace_id', '=', workspaceId).execute()
  await forgetMissedSearches(ctx, workspaceId)
  await ctx.db
    .updateTable('workspaces')
    .set({ visibility: 'private', policy_json: null, updated_at: now, deleted_at: now })
    .where('workspace_id', '=', workspaceId)
    .execute()
}

type Person = { user_id: string; email: string; settings: string; role: Role | null }

/** Returns members, and former members who own a card there; without `exceptId` and deleted accounts. */
async function peopleOf(db: Db, workspaceId: string, exceptId: string): Promise<Person[]> {
  const rows = await db
    .selectFrom('users')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'users.user_id')
        .on('memberships.workspace_id', '=', workspaceId),
    )
    .select(['users.user_id', 'users.email', 'users.settings', 'memberships.role'])
    .where('users.deleted_at', 'is', null)
    .where('users.user_id', '!=', exceptId)
    .where((eb) =>
      eb.or([
        eb('memberships.role', 'is not', null),
        eb(
          'users.user_id',
          'in',
          eb
            .selectFrom('cards')
            .select('cards.owner_id')
            .where('cards.workspace_id', '=', workspaceId)
            .where('cards.deleted_at', 'is', null),
        ),
      ]),
    )
    .execute()
  return rows.flatMap(({ email, ...row }) => (email === null ? [] : [{ ...row, email }]))
}

function whatBecame(cards: number, language: string): Words {
  if (cards === 0) return 'None of its cards was yours.'
  if (cards === 1) return 'One card of yours was there. You find it under “My cards”, unpublished.'
  return [
    localNumber(language, cards),
    ' cards of yours were there. You find them under “My cards”, unpublished.',
  ]
}

async function tellPeople(
  ctx: UserCtx,
  workspace: WorkspacesTable,
  cardsOf: ReadonlyMap<string, number>,
): Promise<void> {
  const { workspace_id: workspaceId, name: workspace_name } = workspace
  const { display_name: actor } = await requireUser(ctx, ctx.viewer.userId)
  for (const person of await peopleOf(ctx.db, workspaceId, ctx.viewer.userId)) {
    const { user_id: userId, email, settings, role } = person
    // An owner of cards there may have left.
    const isNamed = mayKnowOf(workspace.visibility, role)
    const details = isNamed ? { workspace_name } : {}
    const teller = isNamed ? ctx : { ...ctx, viewer: null }
    await tell(teller, { userId, kind: 'workspace.deleted', workspaceId, details })
    const { email_notifications, language } = settingsOf({ settings })
    if (!email_notifications || !(await hasRoomInMailbox(ctx, 'workspace_deleted', email))) continue
    const { heading } = noticeText('workspace.deleted', { actor, ...details })
    await enqueueMail(ctx, `workspace_deleted:${workspaceId}:${userId}`, {
      to: email,
      subject: heading,
      ...mailWithButton({
        heading,
        lines: [whatBecame(cardsOf.get(userId) ?? 0, language), 'What your agents remember stays with you.'],
        button: { label: 'My cards', url: `${ctx.config.baseUrl}/cards` },
        footer: `You get this mail because you were a member of the workspace, or had a card in it. To stop such mails, turn off e-mail notifications: ${ctx.config.baseUrl}/settings`,
      }),
    })
  }
}

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
        // Checked before locking: others must not be able to lock the cards of a team.
        requireName(confirm_name, await requireDeletable(ctx, workspace_id))
        const successors = await successorsAround(ctx.db, workspace_id)
        await lockCardsOf(ctx, { workspaceId: workspace_id, successors }, 'all')
        await lockWorkspace(ctx, workspace_id)
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
      // Not serialisable: cards that were published here (read committed) while this waited must be seen; see lockWorkspace.
      SELF_GUARDED,
    ),
})
