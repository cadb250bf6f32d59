import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { forbidden, notFound } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { AnswerId, Id, Page, pageOf, presentWithin, Time } from '../../core/schemas.ts'
import { freeJson } from '../../core/validation.ts'
import { fromJson, fromJsonOrNull, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { RawMaterialsTable } from '../../db/knowledge-schema.ts'
import type { Role, Schema } from '../../db/schema.ts'
import { cleanJson, cleanLongText, cleanOptional, cleanText, Findings } from '../../redaction/redact.ts'
import { MORE_THAN_CONTROLS, requiredText } from '../../redaction/required-text.ts'
import { cutText } from '../../text/unicode.ts'
import { requireRole } from '../permissions/index.ts'
import { chargeText, freeText, storedTextBytes, textBytes } from '../storage/index.ts'

type Materials = ExpressionBuilder<Schema, 'raw_materials'>

const isOwnerOr = (eb: Materials, viewerId: string, roles: readonly Role[]): Expression<SqlBool> =>
  eb.or([
    eb('raw_materials.owner_id', '=', viewerId),
    eb(
      'raw_materials.workspace_id',
      'in',
      eb
        .selectFrom('memberships')
        .select('memberships.workspace_id')
        .where('memberships.user_id', '=', viewerId)
        .where('memberships.role', 'in', roles),
    ),
  ])

const mayRead = (eb: Materials, viewerId: string) => isOwnerOr(eb, viewerId, ['admin', 'editor'])
/** Must allow the same people as for a card. */
const mayDelete = (eb: Materials, viewerId: string) => isOwnerOr(eb, viewerId, ['admin'])

async function insertMaterial(db: Db, row: RawMaterialsTable): Promise<void> {
  await db.insertInto('raw_materials').values(row).execute()
}

async function findMaterial(db: Db, viewerId: string, rawId: string): Promise<RawMaterialsTable | undefined> {
  return db
    .selectFrom('raw_materials')
    .selectAll()
    .where('raw_id', '=', rawId)
    .where((eb) => mayRead(eb, viewerId))
    .executeTakeFirst()
}

/** Removes a material for good; returns undefined without permission. */
async function removeMaterial(
  db: Db,
  viewerId: string,
  rawId: string,
): Promise<Pick<RawMaterialsTable, 'workspace_id' | 'owner_id'> | undefined> {
  const removed = await db
    .deleteFrom('raw_materials')
    .where('raw_id', '=', rawId)
    .where((eb) => mayDelete(eb, viewerId))
    .returning(['workspace_id', 'owner_id', storedTextBytes('raw_materials').as('bytes')])
    .executeTakeFirst()
  if (removed) await freeText(db, [{ user_id: removed.owner_id, bytes: removed.bytes }])
  return removed
}

type Listing = { workspaceId: string | undefined; page: number; pageSize: number; characters: number }

async function listMaterials(
  db: Db,
  viewerId: string,
  { workspaceId, page, pageSize, characters }: Listing,
): Promise<{ rows: RawMaterialsTable[]; total: number }> {
  const visible = db
    .selectFrom('raw_materials')
    .where((eb) => mayRead(eb, viewerId))
    .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId as string))
  const rows = await visible
    .select(['raw_id', 'owner_id', 'workspace_id', 'kind', 'title', 'source_url', 'tags', 'meta'])
    .select(['redactions', 'created_at', sql<string>`substr(content, 1, ${characters})`.as('content')])
    .orderBy('created_at', 'desc')
    .orderBy('raw_id', 'desc')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
  const { total } = await visible
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}

async function personalWorkspaceOf(db: Db, userId: string): Promise<string> {
  const { personal_workspace_id } = await db
    .selectFrom('users')
    .select('personal_workspace_id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return personal_workspace_id
}

async function countRowsIn(db: Db, workspaceId: string): Promise<number> {
  const { materials } = await db
    .selectFrom('raw_materials')
    .select(({ fn }) => fn.countAll<number>().as('materials'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return materials
}

/** Moves materials to personal workspaces, because deleting an account deletes its materials. */
async function moveToOwners(db: Db, workspaceId: string): Promise<void> {
  await db
    .updateTable('raw_materials')
    .set({
      workspace_id: sql<string>`(select personal_workspace_id from users where users.user_id = raw_materials.owner_id)`,
    })
    .where('workspace_id', '=', workspaceId)
    .execute()
}

const MAX_BODY_BYTES = 8 * 1024 * 1024
const LIST_CHARACTERS = 2000
const LIGHT_CHARACTERS = 200

const Meta = freeJson(64 * 1024)

const RawMaterialCreate = z
  .object({
    workspace_id: Id.nullish().describe('The personal workspace, when left out.'),
    title: z.string().max(5000).nullish(),
    kind: requiredText(1, 100).default('note'),
    content: z
      .string()
      .min(1)
      .max(1_000_000)
      .refine(...MORE_THAN_CONTROLS),
    source_url: z.string().max(4000).nullish(),
    tags: z.array(requiredText(1, 100)).max(50).default([]),
    meta: Meta.nullish(),
  })
  .meta({ id: 'RawMaterialCreate' })

const RawMaterialResponse = z
  .object({
    raw_id: AnswerId,
    workspace_id: AnswerId,
    owner_id: AnswerId,
    title: z.string().nullable(),
    kind: z.string(),
    content: z.string(),
    source_url: z.string().nullable(),
    tags: z.array(z.string()),
    meta: Meta.nullable(),
    redactions: z
      .array(z.object({ kind: z.string(), count: z.int() }))
      .describe('Kinds of secret that were replaced by placeholders, and how many.'),
    truncated: z
      .boolean()
      .describe(
        'Whether something was cut, as content is in lists. After 2 MiB of a page, title and source_url are cut too, and tags and meta are left out.',
      ),
    created_at: Time,
  })
  .meta({ id: 'RawMaterialResponse' })

function present(
  row: RawMaterialsTable,
  length = Number.POSITIVE_INFINITY,
): z.input<typeof RawMaterialResponse> {
  const { text, truncated } = cutText(row.content, length)
  return {
    ...row,
    content: text,
    truncated,
    tags: fromJson(row.tags),
    meta: fromJsonOrNull(row.meta),
    redactions: fromJson(row.redactions),
  }
}

const textsOf = (row: RawMaterialsTable) => [row.title, row.content, row.source_url, row.tags, row.meta]

function presentListed(row: RawMaterialsTable, isLight: boolean): z.input<typeof RawMaterialResponse> {
  if (!isLight) return present(row, LIST_CHARACTERS)
  const cut = (text: string | null) => (text === null ? null : cutText(text, LIGHT_CHARACTERS).text)
  const light = { ...row, title: cut(row.title), source_url: cut(row.source_url), tags: '[]', meta: null }
  return { ...present(light, LIGHT_CHARACTERS), truncated: true }
}

async function targetWorkspace(ctx: UserCtx, workspaceId: string | null | undefined): Promise<string> {
  if (workspaceId == null) return personalWorkspaceOf(ctx.db, ctx.viewer.userId)
  await requireRole(ctx, workspaceId, 'editor')
  return workspaceId
}

export const createMaterial = capability({
  name: 'materials.create',
  summary: 'Store a raw material: a log, a transcript, a note',
  description: 'Secrets are replaced by placeholders of their kind before anything is stored.',
  scopes: ['record'],
  rest: ['POST /api/v1/raw-materials'],
  status: 201,
  maxBodyBytes: MAX_BODY_BYTES,
  errors: [404, 413],
  input: RawMaterialCreate,
  output: RawMaterialResponse,
  prepare: async ({ work }, input) => {
    const findings = new Findings()
    const content = await cleanLongText(work, input.content, findings)
    return work.measure(() => ({
      content,
      kind: cleanText(input.kind, findings),
      title: cleanOptional(input.title, findings),
      source_url: cleanOptional(input.source_url, findings),
      tags: toJson([...new Set(input.tags.map((tag) => cleanText(tag, findings)))]),
      meta: input.meta ? toJson(cleanJson(input.meta, findings)) : null,
      redactions: toJson(findings.list()),
    }))
  },
  run: (ctx, input, cleaned) =>
    inTx(ctx, async (ctx) => {
      const row: RawMaterialsTable = {
        raw_id: newId(ctx.now().getTime()),
        owner_id: ctx.viewer.userId,
        workspace_id: await targetWorkspace(ctx, input.workspace_id),
        created_at: ctx.now().toISOString(),
        ...cleaned,
      }
      await chargeText(ctx, textBytes('raw_materials', row))
      await insertMaterial(ctx.db, row)
      return present(row)
    }),
})

export const listRawMaterials = capability({
  name: 'materials.list',
  summary: 'Raw materials that you may see, newest first, each content cut to its beginning',
  scopes: ['search'],
  rest: ['GET /api/v1/raw-materials'],
  input: z.object({ workspace_id: Id.optional(), ...Page }),
  output: pageOf(RawMaterialResponse).meta({ id: 'RawMaterialListResponse' }),
  run: async (ctx, { workspace_id, page, page_size }) => {
    const { rows, total } = await listMaterials(ctx.db, ctx.viewer.userId, {
      workspaceId: workspace_id,
      page,
      pageSize: page_size,
      characters: LIST_CHARACTERS + 1,
    })
    return { items: presentWithin(rows, textsOf, presentListed), total, page, page_size }
  },
})

export const readMaterial = capability({
  name: 'materials.read',
  summary: 'One raw material, whole',
  scopes: ['search'],
  rest: ['GET /api/v1/raw-materials/{raw_id}'],
  errors: [404],
  input: z.object({ raw_id: Id }),
  output: RawMaterialResponse,
  run: async (ctx, { raw_id }) => {
    const row = await findMaterial(ctx.db, ctx.viewer.userId, raw_id)
    if (!row) throw notFound('Raw material')
    return present(row)
  },
})

export const deleteMaterial = capability({
  name: 'materials.delete',
  summary: 'Delete a raw material for good',
  description: 'By its owner, or by an admin of its workspace. It cannot be brought back.',
  scopes: ['record'],
  rest: ['DELETE /api/v1/raw-materials/{raw_id}'],
  status: 204,
  errors: [404],
  input: z.object({ raw_id: Id }),
  output: z.void(),
  run: (ctx, { raw_id }) =>
    inTx(ctx, async (ctx) => {
      const removed = await removeMaterial(ctx.db, ctx.viewer.userId, raw_id)
      if (!removed) {
        if (!(await findMaterial(ctx.db, ctx.viewer.userId, raw_id))) throw notFound('Raw material')
        throw forbidden('Only the owner, and admins of its workspace, may delete this raw material.')
      }
      await emit(ctx, 'material.deleted', {
        materialId: raw_id,
        workspaceId: removed.workspace_id,
        ownerId: removed.owner_id,
      })
    }),
})

export const countMaterialsIn = (ctx: Ctx, workspaceId: string): Promise<number> =>
  countRowsIn(ctx.db, workspaceId)

export const sendMaterialsHome = (ctx: Ctx, workspaceId: string): Promise<void> =>
  moveToOwners(ctx.db, workspaceId)
