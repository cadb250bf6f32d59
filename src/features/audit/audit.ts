import type { Ctx } from '../../core/context.ts'
import { toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import { insertRow } from '../../db/prepared.ts'

export type AuditEntry = {
  /** `noun.verb`, such as `member.removed`. */
  action: string
  subject: { type: string; id: string }
  workspaceId?: string
  details?: Record<string, unknown>
  /** For actions without a signed-in caller, such as registration. */
  actorId?: string
}

/** Records an action. Call it in the transaction of the action. Rows of the table are never changed. */
export async function audit(ctx: Ctx, entry: AuditEntry): Promise<void> {
  if (!ctx.transacting) throw new Error('audit() belongs in the transaction of what it records')
  await insertRow(ctx.db, 'audit_log', {
    audit_id: newId(),
    actor_id: entry.actorId ?? ctx.viewer?.userId ?? null,
    workspace_id: entry.workspaceId ?? null,
    action: entry.action,
    subject_type: entry.subject.type,
    subject_id: entry.subject.id,
    details: toJson(entry.details ?? {}),
    request_id: ctx.requestId,
    created_at: ctx.now().toISOString(),
  })
}
