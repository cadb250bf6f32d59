import type { Db } from '../../db/db.ts'
import type { AuditLogTable } from '../../db/tables/operations.ts'

export type AuditRow = AuditLogTable & { actor_name: string | null; subject_name: string | null }

export type AuditFilter = {
  workspace_id?: string | undefined
  actor_id?: string | undefined
  action?: string | undefined
  /** Leaves out what other people than this one did with their own memory, and who decided as a moderator. */
  readerId?: string
}

/** An admin of the workspace may own the card, and owners do not learn who decided about it (decision 0038). */
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

/** Those of the workspaces that somebody is a member of. */
export async function memberships(
  db: Db,
  userId: string,
  workspaceIds: readonly string[],
): Promise<Set<string>> {
  if (workspaceIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('memberships')
    .select('workspace_id')
    .where('user_id', '=', userId)
    .where('workspace_id', 'in', workspaceIds)
    .execute()
  return new Set(rows.map(({ workspace_id }) => workspace_id))
}

export type Window = { limit: number; offset: number }

/** Newest first: ids sort by the time at which they were made. */
export async function listAudit(
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
    // To find a decision by who made it would confirm a guess.
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
