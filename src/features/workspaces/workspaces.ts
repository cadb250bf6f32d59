import { sql } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import { requireScope } from '../../core/invoke.ts'
import { AnswerId, Id, presentWithin, Time } from '../../core/schemas.ts'
import { MARK, Provenance, plainName } from '../../core/untrusted-text.ts'
import { fromJsonOrNull, toJson, toJsonOrNull } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { MembershipsTable, Role, WorkspacesTable } from '../../db/schema.ts'
import { cleanJson, Findings } from '../../redaction/redact.ts'
import { containsInstructions } from '../../review/find-danger.ts'
import { audit } from '../audit/index.ts'
import {
  lockArrivals,
  lockCardsOf,
  markAll,
  reindexWorkspaceSoon,
  rejectRepeatedIn,
  successorsAround,
} from '../cards/index.ts'
import { requireLiveCredential, requirePublishing, requireUser } from '../identity/index.ts'
import {
  PolicyJson,
  policyOf,
  RoleName,
  requireMayPublish,
  requireRole,
  requireVisible,
} from '../permissions/index.ts'
import { forgetMissedSearches } from '../search/index.ts'
import { refreshTrustIn } from '../trust/index.ts'

async function insertWorkspace(db: Db, row: WorkspacesTable): Promise<void> {
  await db.insertInto('workspaces').values(row).execute()
}

/** Plain insert: a check for conflicts would lock accounts and deadlock registrations on a cluster. */
async function insertFounder(db: Db, row: MembershipsTable): Promise<void> {
  await db.insertInto('memberships').values(row).execute()
}

/** A duplicate at the same time causes a serialisation failure; the retry finds the first row. */
export async function insertMembership(db: Db, row: MembershipsTable): Promise<void> {
  await db
    .insertInto('memberships')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function updateWorkspace(db: Db, workspaceId: string, change: Partial<WorkspacesTable>): Promise<void> {
  await db.updateTable('workspaces').set(change).where('workspace_id', '=', workspaceId).execute()
}

type WorkspaceRow = WorkspacesTable & { role: Role | null; member_count: number }

const workspacesFor = (db: Db, userId: string) =>
  db
    .selectFrom('workspaces')
    .leftJoin('memberships as mine', (join) =>
      join.onRef('mine.workspace_id', '=', 'workspaces.workspace_id').on('mine.user_id', '=', userId),
    )

const memberCount = sql<number>`(select count(*) from memberships as m
  where m.workspace_id = workspaces.workspace_id)`

function findWorkspace(db: Db, userId: string, workspaceId: string): Promise<WorkspaceRow> {
  return workspacesFor(db, userId)
    .selectAll('workspaces')
    .select(['mine.role', memberCount.as('member_count')])
    .where('workspaces.workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
}

type ListOptions = { includePublic: boolean; limit: number; offset: number }

async function listWorkspacesOf(
  db: Db,
  userId: string,
  { includePublic, limit, offset }: ListOptions,
): Promise<{ rows: WorkspaceRow[]; total: number }> {
  const listed = workspacesFor(db, userId).where((eb) =>
    eb.or([
      eb('mine.role', 'is not', null),
      ...(includePublic ? [eb('workspaces.visibility', '=', 'public')] : []),
    ]),
  )
  const { total } = await listed
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await listed
    .selectAll('workspaces')
    .select(['mine.role', memberCount.as('member_count')])
    .orderBy(sql`case when mine.role is null then 1 else 0 end`)
    .orderBy('workspaces.created_at', 'desc')
    .orderBy('workspaces.workspace_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

export async function workspaceName(db: Db, workspaceId: string): Promise<string> {
  const row = await db
    .selectFrom('workspaces')
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return row.name
}

const MAX_LISTED = 500

/** One line without invisible characters: strangers see the name in invitations and mails. */
const WorkspaceName = z.string().overwrite(plainName).min(1).max(120)
const Visibility = z.enum(['private', 'unlisted', 'public'])

const WorkspaceCreate = z
  .object({
    name: WorkspaceName,
    type: z.enum(['org', 'personal', 'team']).default('org'),
    visibility: Visibility.default('private'),
    policy_json: PolicyJson.nullish(),
  })
  .meta({ id: 'WorkspaceCreate' })

const WorkspaceUpdate = z
  .object({
    workspace_id: Id,
    name: WorkspaceName.optional(),
    visibility: Visibility.optional(),
    policy_json: PolicyJson.nullish().describe('Replaces the whole policy; null removes it.'),
  })
  .meta({ id: 'WorkspaceUpdate' })

const WorkspaceResponse = z
  .object({
    workspace_id: AnswerId,
    name: z.string(),
    type: z.enum(['org', 'personal', 'team']),
    visibility: Visibility,
    policy_json: z.record(z.string(), z.unknown()).nullable().describe('Shown to members.'),
    role: RoleName.nullable().describe('Your role; null where you are not a member.'),
    member_count: z.int(),
    provenance: Provenance.describe('Who named it'),
    created_by: AnswerId.nullable(),
    created_at: Time,
    updated_at: Time,
    truncated: z
      .literal(true)
      .optional()
      .describe('In lists beyond 2 MiB policy_json is left out; read the single workspace.'),
  })
  .meta({ id: 'WorkspaceResponse' })

const WorkspaceListResponse = z
  .object({ items: z.array(WorkspaceResponse), total: z.int() })
  .meta({ id: 'WorkspaceListResponse' })

const present = (ctx: UserCtx, row: WorkspaceRow): z.input<typeof WorkspaceResponse> => ({
  ...row,
  provenance: {
    owner: row.created_by === ctx.viewer.userId ? 'you' : row.role === null ? 'public' : 'team',
    workspace: row.workspace_id,
    reviewed: false,
    ...(row.created_by !== ctx.viewer.userId && containsInstructions(row.name) ? MARK : {}),
  },
  // The Public Library is the only system workspace; readers see it as an organisation.
  type: row.type === 'system' ? 'org' : row.type,
  policy_json: row.role === null ? null : fromJsonOrNull(row.policy_json),
})

const presentListed = (ctx: UserCtx) => (row: WorkspaceRow, isLight: boolean) =>
  isLight ? { ...present(ctx, { ...row, policy_json: null }), truncated: true as const } : present(ctx, row)

const textsOf = ({ name, policy_json, role }: WorkspaceRow) => [name, role === null ? null : policy_json]

/** Removes secrets, because members and readers of a public workspace see name and policy. */
const withoutSecrets = <T extends { name?: unknown; policy_json?: unknown }>(given: T): T =>
  cleanJson(given, new Findings())

export const createWorkspace = capability({
  name: 'workspaces.create',
  summary: 'Create a workspace; you become its admin',
  scopes: ['workspace:write'],
  rest: ['POST /api/v1/workspaces'],
  status: 201,
  tool: {
    name: 'create_workspace',
    description: 'Create a workspace for a team (org) or for yourself.',
    input: WorkspaceCreate.extend({ type: z.enum(['org', 'personal']).default('org') }),
  },
  input: WorkspaceCreate,
  output: WorkspaceResponse,
  run: (ctx, { type, visibility, ...given }) => {
    const { name, policy_json } = withoutSecrets(given)
    return inTx(ctx, async (ctx) => {
      // A request that began before its account was deleted would create a workspace that nobody can manage.
      await requireLiveCredential(ctx)
      const now = ctx.now().toISOString()
      const row: WorkspacesTable = {
        workspace_id: newId(),
        name,
        type,
        visibility,
        policy_json: toJsonOrNull(policy_json),
        created_by: ctx.viewer.userId,
        created_at: now,
        updated_at: now,
        deleted_at: null,
        opened_at: null,
      }
      if (visibility !== 'private') await requireMayPublish(ctx, row)
      await insertWorkspace(ctx.db, row)
      await insertFounder(ctx.db, {
        workspace_id: row.workspace_id,
        user_id: ctx.viewer.userId,
        role: 'admin',
        created_at: now,
        role_given_by: null,
        address_known: 1,
      })
      await audit(ctx, {
        action: 'workspace.created',
        subject: { type: 'workspace', id: row.workspace_id },
        workspaceId: row.workspace_id,
        details: { name, type, visibility },
      })
      return present(ctx, { ...row, role: 'admin', member_count: 1 })
    })
  },
})

export const listWorkspaces = capability({
  name: 'workspaces.list',
  summary: 'Your workspaces, and public ones after them; newest first in both',
  scopes: ['search'],
  rest: ['GET /api/v1/workspaces'],
  tool: {
    name: 'list_workspaces',
    description: 'List the workspaces that you are a member of.',
    readOnly: true,
    input: z.object({ include_public: z.boolean().default(false) }),
  },
  input: z.object({
    include_public: z.boolean().default(true),
    page: z.int().min(1).optional(),
    page_size: z.int().min(1).max(MAX_LISTED).optional(),
  }),
  output: WorkspaceListResponse,
  run: async (ctx, { include_public, page = 1, page_size = MAX_LISTED }) => {
    const { rows, total } = await listWorkspacesOf(ctx.db, ctx.viewer.userId, {
      includePublic: include_public,
      limit: page_size,
      offset: (page - 1) * page_size,
    })
    return { items: presentWithin(rows, textsOf, presentListed(ctx)), total }
  },
})

export const getWorkspace = capability({
  name: 'workspaces.get',
  summary: 'One workspace: yours, a public one, or an unlisted one whose id you know',
  scopes: ['search'],
  rest: ['GET /api/v1/workspaces/{workspace_id}'],
  errors: [404],
  input: z.object({ workspace_id: Id }),
  output: WorkspaceResponse,
  run: async (ctx, { workspace_id }) => {
    await requireVisible(ctx, workspace_id)
    return present(ctx, await findWorkspace(ctx.db, ctx.viewer.userId, workspace_id))
  },
})

/** Refuses to open the personal workspace: writes that name no workspace go there. */
async function refuseToOpenHome(ctx: UserCtx, workspaceId: string): Promise<void> {
  const { personal_workspace_id } = await requireUser(ctx, ctx.viewer.userId)
  if (workspaceId === personal_workspace_id)
    throw conflict('personal_workspace', 'The personal workspace of an account stays private.')
}

const BY_READERS: readonly WorkspacesTable['visibility'][] = ['private', 'unlisted', 'public']

/** Requires permission to show the workspace's cards to strangers. */
async function requireMayShow(
  ctx: UserCtx,
  { workspace_id, type, visibility: before }: WorkspacesTable,
  visibility: WorkspacesTable['visibility'],
): Promise<void> {
  if (BY_READERS.indexOf(visibility) <= BY_READERS.indexOf(before)) return
  if (type === 'personal') await refuseToOpenHome(ctx, workspace_id)
  requireScope(ctx, 'publish')
  await requirePublishing(ctx)
  await requireMayPublish(ctx, { workspace_id, visibility })
}

export const changeWorkspace = capability({
  name: 'workspaces.update',
  summary: 'Change name, visibility or policy of a workspace; admins only',
  description:
    'To let more people read it (unlisted, public) needs the scope publish too, and publishing enabled in the user settings.',
  scopes: ['workspace:write'],
  rest: ['PATCH /api/v1/workspaces/{workspace_id}'],
  errors: [404, 409],
  input: WorkspaceUpdate,
  output: WorkspaceResponse,
  run: (ctx, { workspace_id, visibility, ...given }) => {
    const { name, policy_json } = withoutSecrets(given)
    return inTx(ctx, async (ctx) => {
      const { workspace } = await requireRole(ctx, workspace_id, 'admin')
      if (visibility !== undefined) await requireMayShow(ctx, workspace, visibility)
      if (name !== undefined && workspace.visibility !== 'private') await requireMayPublish(ctx, workspace)
      const isOpened =
        visibility !== undefined && visibility !== 'private' && workspace.visibility === 'private'
      const now = ctx.now().toISOString()
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(visibility === undefined ? {} : { visibility }),
        ...(isOpened ? { opened_at: now } : {}),
        ...(policy_json === undefined ? {} : { policy_json: toJsonOrNull(policy_json) }),
      }
      if (Object.keys(change).length > 0) {
        const isShownAnew = visibility !== undefined && visibility !== workspace.visibility
        if (isShownAnew) await lockArrivals(ctx)
        const successors = isShownAnew ? await successorsAround(ctx.db, workspace_id) : []
        if (isShownAnew) await lockCardsOf(ctx, { workspaceId: workspace_id, successors }, 'judged')
        if (isOpened) await rejectRepeatedIn(ctx, { workspace_id, visibility })
        await updateWorkspace(ctx.db, workspace_id, { ...change, updated_at: now })
        if (isShownAnew) {
          await reindexWorkspaceSoon(ctx, workspace_id)
          await markAll(ctx, successors)
        }
        if (isOpened) await refreshTrustIn(ctx, workspace_id)
        if (policy_json && !policyOf({ policy_json: toJson(policy_json) }).keepMissedSearches)
          await forgetMissedSearches(ctx, workspace_id)
        await audit(ctx, {
          action: 'workspace.updated',
          subject: { type: 'workspace', id: workspace_id },
          workspaceId: workspace_id,
          details: { name, visibility, policy_json },
        })
      }
      return present(ctx, await findWorkspace(ctx.db, ctx.viewer.userId, workspace_id))
    })
  },
})

export async function createPersonalWorkspace(
  ctx: Ctx,
  owner: { userId: string; workspaceId: string },
): Promise<void> {
  const now = ctx.now().toISOString()
  await insertWorkspace(ctx.db, {
    workspace_id: owner.workspaceId,
    name: 'Personal',
    type: 'personal',
    visibility: 'private',
    policy_json: null,
    created_by: owner.userId,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    opened_at: null,
  })
  await insertFounder(ctx.db, {
    workspace_id: owner.workspaceId,
    user_id: owner.userId,
    role: 'admin',
    created_at: now,
    role_given_by: null,
    address_known: 1,
  })
}
