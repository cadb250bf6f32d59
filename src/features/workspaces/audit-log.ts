import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { forbidden } from '../../core/errors.ts'
import { AnswerId, Id, Page, pageOf, Time } from '../../core/schemas.ts'
import { fromJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { AuditLogTable } from '../../db/schema.ts'
import { readableTitles } from '../cards/index.ts'
import { requireRole } from '../permissions/index.ts'

type AuditRow = AuditLogTable & { actor_name: string | null; subject_name: string | null }

type AuditFilter = {
  workspace_id?: string | undefined
  actor_id?: string | undefined
  action?: string | undefined
  /** If set, leaves out what other people did with their own memory, and which moderators decided. */
  readerId?: string
}

/** Hides the moderator (decision 0038), because an admin of the workspace may own the card. */
const DECISIONS: readonly string[] = [
  'moderation.decided',
  'moderation.appeal_decided',
  'publisher.banned',
  'publisher.ban_lifted',
]

function withoutModerator(row: AuditRow, readerId: string): AuditRow {
  const isUnnamed = DECISIONS.includes(row.action) && row.actor_id !== readerId
  return isUnnamed ? { ...row, actor_id: null, actor_name: null } : row
}

async function memberships(db: Db, userId: string, workspaceIds: readonly string[]): Promise<Set<string>> {
  if (workspaceIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('memberships')
    .select('workspace_id')
    .where('user_id', '=', userId)
    .where('workspace_id', 'in', workspaceIds)
    .execute()
  return new Set(rows.map(({ workspace_id }) => workspace_id))
}

type Window = { limit: number; offset: number }

async function listAudit(
  db: Db,
  filter: AuditFilter,
  { limit, offset }: Window,
): Promise<{ rows: AuditRow[]; total: number }> {
  const { readerId, actor_id } = filter
  const matching = db
    .selectFrom('audit_log')
    .leftJoin('users', 'users.user_id', 'audit_log.actor_id')
    .$if(readerId !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb('audit_log.action', 'not like', 'memory.%'),
          eb('audit_log.actor_id', '=', readerId ?? ''),
        ]),
      ),
    )
    // A search by actor must not reveal who made a decision.
    .$if(readerId !== undefined && actor_id !== undefined && actor_id !== readerId, (query) =>
      query.where('audit_log.action', 'not in', DECISIONS),
    )
    .where((eb) =>
      eb.and(
        (['workspace_id', 'actor_id', 'action'] as const).flatMap((column) => {
          const value = filter[column]
          return value === undefined ? [] : [eb(`audit_log.${column}`, '=', value)]
        }),
      ),
    )
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await matching
    .selectAll('audit_log')
    .leftJoin('users as subjects', (join) =>
      join.onRef('subjects.user_id', '=', 'audit_log.subject_id').on('audit_log.subject_type', '=', 'user'),
    )
    .select(['users.display_name as actor_name', 'subjects.display_name as subject_name'])
    .orderBy('audit_log.audit_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows: readerId === undefined ? rows : rows.map((row) => withoutModerator(row, readerId)), total }
}

const AuditEntryResponse = z
  .object({
    audit_id: AnswerId,
    action: z.string().describe('What was done, such as member.removed or card.published.'),
    actor_id: AnswerId.nullable().describe(
      'Who did it; null for the service itself, and for a decision of another moderator in the log of a workspace.',
    ),
    actor_name: z.string().nullable(),
    workspace_id: AnswerId.nullable(),
    subject_type: z.string(),
    subject_id: z.string(),
    subject_name: z
      .string()
      .nullable()
      .describe('The name of the person it was done to; null when the subject is not a person.'),
    card_title: z
      .string()
      .nullable()
      .describe('Set when the subject is a card that you may read, with the scope search; otherwise null.'),
    other_card: z
      .object({ card_id: AnswerId, title: z.string() })
      .nullable()
      .describe(
        'The card that the subject was linked with or merged into, if you may read it, with the scope search; otherwise null.',
      ),
    details: z.record(z.string(), z.unknown()),
    request_id: z.string(),
    created_at: Time,
  })
  .meta({ id: 'AuditEntryResponse' })

const AuditListResponse = pageOf(AuditEntryResponse).meta({ id: 'AuditListResponse' })

const Filter = {
  action: z.string().min(1).max(100).optional(),
  actor_id: Id.optional(),
}

type Details = Record<string, unknown>
type Subject = { action: string; subject_id: string }

const otherCardIds = ({ details: { from_card_id, into_card_id } }: { details: Details }): string[] =>
  [from_card_id, into_card_id].filter((id) => typeof id === 'string')

const OTHER_WORKSPACES = ['from_workspace_id', 'to_workspace_id'] as const

const otherWorkspaceIds = (details: Details): string[] =>
  OTHER_WORKSPACES.map((name) => details[name]).filter((id) => typeof id === 'string')

/** Removes ids of foreign workspaces, which would reveal which authors share a private team. */
async function withoutForeign<T extends { details: Details }>(
  ctx: UserCtx,
  entries: readonly T[],
  readerId: string | undefined,
): Promise<T[]> {
  if (readerId === undefined) return [...entries]
  const ids = new Set(entries.flatMap(({ details }) => otherWorkspaceIds(details)))
  const known = await memberships(ctx.db, readerId, [...ids])
  const isShown = ([name, id]: [string, unknown]) =>
    !OTHER_WORKSPACES.some((one) => one === name) || known.has(String(id))
  return entries.map((entry) => ({
    ...entry,
    details: Object.fromEntries(Object.entries(entry.details).filter(isShown)),
  }))
}

/** The other card of a link may be private, so the row is about the first card. */
function subjectOf(row: Subject & { details: Details }, titles: ReadonlyMap<string, unknown>): string {
  const { kind, from_card_id } = row.details
  const isNamedOnly = row.action.endsWith('linked') && kind !== 'supersedes'
  return isNamedOnly && typeof from_card_id === 'string' && !titles.has(row.subject_id)
    ? from_card_id
    : row.subject_id
}

async function readPage(
  ctx: UserCtx,
  filter: AuditFilter,
  { page, page_size }: { page: number; page_size: number },
): Promise<z.input<typeof AuditListResponse>> {
  const { rows, total } = await listAudit(ctx.db, filter, {
    limit: page_size,
    offset: (page - 1) * page_size,
  })
  const stored = rows.map((row) => ({ ...row, details: fromJson<Details>(row.details) }))
  const entries = await withoutForeign(ctx, stored, filter.readerId)
  const titles = await readableTitles(
    ctx,
    entries.flatMap((row) => (row.subject_type === 'card' ? [row.subject_id, ...otherCardIds(row)] : [])),
  )
  const items = entries.map((row) => ({
    ...row,
    subject_id: filter.readerId === undefined ? row.subject_id : subjectOf(row, titles),
    card_title: titles.get(row.subject_id)?.title ?? null,
    other_card: otherCardIds(row).flatMap((cardId) => titles.get(cardId) ?? [])[0] ?? null,
  }))
  return { items, total, page, page_size }
}

export const readWorkspaceAudit = capability({
  name: 'audit.workspace',
  summary: 'Who did what in a workspace, newest first; its admins only',
  scopes: ['workspace:write'],
  rest: ['GET /api/v1/workspaces/{workspace_id}/audit'],
  errors: [404],
  input: z.object({ workspace_id: Id, ...Filter, ...Page }),
  output: AuditListResponse,
  run: async (ctx, { workspace_id, action, actor_id, ...page }) => {
    await requireRole(ctx, workspace_id, 'admin')
    return readPage(ctx, { workspace_id, action, actor_id, readerId: ctx.viewer.userId }, page)
  },
})

export const readAudit = capability({
  name: 'audit.all',
  summary: 'Who did what on this server, newest first; service admins only',
  scopes: ['account'],
  rest: ['GET /api/v1/admin/audit'],
  input: z.object({ workspace_id: Id.optional(), ...Filter, ...Page }),
  output: AuditListResponse,
  run: async (ctx, { workspace_id, action, actor_id, ...page }) => {
    if (!ctx.viewer.isAdmin) throw forbidden('This is for the admins of the service.')
    return readPage(ctx, { workspace_id, action, actor_id }, page)
  },
})
