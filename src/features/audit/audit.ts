import type { Ctx } from '../../core/context.ts'
import type { EventName, Events, Subscribers } from '../../core/events.ts'
import { toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import { insertRow } from '../../db/prepared.ts'

type AuditEntry = {
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

const aboutCard = (action: string, { cardId, workspaceId }: { cardId: string; workspaceId: string }) => ({
  action,
  subject: { type: 'card', id: cardId },
  workspaceId,
})

/** The entries that the audit log makes of events. */
const ENTRIES: { [E in EventName]?: (event: Events[E]) => AuditEntry[] } = {
  'card.published': ({ way, fromWorkspaceId, licence, ...card }) => {
    // A pull has one entry for all its cards.
    if (way === 'pulled') return []
    if (way === 'shared') return [aboutCard('card.shared', card)]
    const details = { from_workspace_id: fromWorkspaceId, ...(licence ? { licence } : {}) }
    return [{ ...aboutCard('card.published', card), details }]
  },
  'card.unpublished': (card) => [aboutCard('card.unpublished', card)],
  // Both workspaces record it: one has lost a card, the other has received one.
  'card.moved': ({ cardId, fromWorkspaceId: from, workspaceId: to }) => [
    {
      ...aboutCard('card.moved_out', { cardId, workspaceId: from }),
      details: { to_workspace_id: to },
    },
    {
      ...aboutCard('card.moved_in', { cardId, workspaceId: to }),
      details: { from_workspace_id: from },
    },
  ],
  'card.deleted': (card) => [aboutCard('card.deleted', card)],
  'card.undeleted': (card) => [aboutCard('card.undeleted', card)],
  'card.image_deleted': ({ imageId, ...card }) => [
    { ...aboutCard('card.image_deleted', card), details: { image_id: imageId } },
  ],
  'comment.deleted_by_admin': ({ commentId, authorId, ...card }) => [
    { ...aboutCard('comment.deleted', card), details: { comment_id: commentId, author_id: authorId } },
  ],
  'material.deleted': ({ materialId, workspaceId, ownerId }) => [
    {
      action: 'material.deleted',
      subject: { type: 'raw_material', id: materialId },
      workspaceId,
      details: { owner_id: ownerId },
    },
  ],
}

/** Records events in the audit log. */
export const auditSubscribers: Subscribers<Ctx> = Object.fromEntries(
  Object.entries(ENTRIES).map(([name, entriesOf]) => [
    name,
    [
      async (ctx: Ctx, event: never) => {
        for (const entry of entriesOf(event)) await audit(ctx, entry)
      },
    ],
  ]),
)
