import type { UserCtx } from '../../core/context.ts'
import { localNumber } from '../../core/language.ts'
import type { WorkspacesTable } from '../../db/tables/workspaces.ts'
import { settingsOf } from '../identity/users/user-settings.ts'
import { requireUser } from '../identity/users/users.ts'
import { enqueueMail, hasRoomInMailbox } from '../mail/outbox.ts'
import { mailWithButton, type Words } from '../mail/template.ts'
import { noticeText } from '../notices/notice-kinds.ts'
import { tell } from '../notices/tell.ts'
import { mayKnowOf } from '../permissions/permission.ts'
import { peopleOf } from './workspace-end.store.ts'

function whatBecame(cards: number, language: string): Words {
  if (cards === 0) return 'None of its cards was yours.'
  if (cards === 1) return 'One card of yours was there. You find it under “My cards”, unpublished.'
  return [
    localNumber(language, cards),
    ' cards of yours were there. You find them under “My cards”, unpublished.',
  ]
}

/**
 * Tells the members and the owners of its cards, in the inbox and, unless they want none, by mail. The person who
 * deletes it is left out.
 */
export async function tellPeople(
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
