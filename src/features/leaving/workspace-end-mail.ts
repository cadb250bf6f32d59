import type { UserCtx } from '../../core/context.ts'
import { localNumber } from '../../core/language.ts'
import { withoutLinks } from '../../core/names.ts'
import type { WorkspacesTable } from '../../db/tables/workspaces.ts'
import { settingsOf } from '../identity/users/user-settings.ts'
import { requireUser } from '../identity/users/users.ts'
import { enqueueMail, hasRoomInMailbox } from '../mail/outbox.ts'
import { mailWithButton, type Words } from '../mail/template.ts'
import { tell } from '../notices/tell.ts'
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
  const { display_name } = await requireUser(ctx, ctx.viewer.userId)
  const people = await peopleOf(ctx.db, workspace.workspace_id, ctx.viewer.userId)
  for (const { user_id, email, settings } of people) {
    await tell(ctx, {
      userId: user_id,
      kind: 'workspace.deleted',
      workspaceId: workspace.workspace_id,
      details: { workspace_name: workspace.name },
    })
    const { email_notifications, language } = settingsOf({ settings })
    if (!email_notifications || !(await hasRoomInMailbox(ctx, 'workspace_deleted', email))) continue
    const subject = `${withoutLinks(display_name)} deleted the workspace ${withoutLinks(workspace.name)}`
    await enqueueMail(ctx, `workspace_deleted:${workspace.workspace_id}:${user_id}`, {
      to: email,
      subject,
      ...mailWithButton({
        heading: subject,
        lines: [whatBecame(cardsOf.get(user_id) ?? 0, language), 'What your agents remember stays with you.'],
        button: { label: 'My cards', url: `${ctx.config.baseUrl}/cards` },
        footer: `You get this mail because you were a member of the workspace, or had a card in it. To stop such mails, turn off e-mail notifications: ${ctx.config.baseUrl}/settings`,
      }),
    })
  }
}
