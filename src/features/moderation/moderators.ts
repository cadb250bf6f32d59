import { sql } from 'kysely'
import type { Ctx, UserCtx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import type { ModerationDecision } from '../../db/knowledge-schema.ts'
import { LEFT_WORKSPACE } from '../cards/index.ts'
import { findUser, isServiceModerator } from '../identity/index.ts'
import { tell, tellByMail } from '../notices/index.ts'
import { mayKnowOf } from '../permissions/index.ts'
import type { BanRow, Moderator } from './matters.ts'

/** Returns true if nobody may decide about the card: the only admin of its private team owns it. */
export async function hasNoModerator(
  db: Db,
  card: { workspace_id: string; owner_id: string },
): Promise<boolean> {
  const alone = await db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', '=', card.workspace_id)
    .where('visibility', '=', 'private')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships')
            .select('user_id')
            .where('workspace_id', '=', card.workspace_id)
            .where('role', '=', 'admin')
            .where('user_id', '!=', card.owner_id),
        ),
      ),
    )
    .executeTakeFirst()
  return alone !== undefined
}

async function moderatorsFor(
  db: Db,
  workspaceId: string,
  addresses: readonly string[],
): Promise<{ userIds: string[]; workspaceName: string }> {
  const admins = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'admin')
    .limit(50)
    .execute()
  const { name: workspaceName, visibility } = await db
    .selectFrom('workspaces')
    .select(['name', 'visibility'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  if (visibility === 'private') return { userIds: admins.map((row) => row.user_id), workspaceName }
  const named = await db
    .selectFrom('users')
    .select('user_id')
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('service_admin', '=', 1),
        addresses.length === 0
          ? sql<boolean>`1 = 0`
          : eb.and([eb('email_verified', '=', 1), eb('email_normal', 'in', addresses)]),
      ]),
    )
    .limit(50)
    .execute()
  return { userIds: [...new Set([...admins, ...named].map((row) => row.user_id))], workspaceName }
}

/** A connected app acts for a person, but never as a moderator of the service. */
export async function moderatorOf(ctx: UserCtx): Promise<Moderator> {
  const { userId, credential } = ctx.viewer
  const user = await findUser(ctx.db, userId)
  const isService = credential.kind !== 'oauth' && user !== undefined && isServiceModerator(ctx.config, user)
  return { userId, isService }
}

const whoModerates = (ctx: Ctx, workspaceId: string): ReturnType<typeof moderatorsFor> =>
  moderatorsFor(ctx.db, workspaceId, [...ctx.config.adminEmails, ...ctx.config.moderatorEmails])

/** Removes the viewer, so that no message names who reported or who decided. */
const unnamed = (ctx: Ctx): Ctx => ({ ...ctx, viewer: null })

type Told = { owner_id: string; card_id: string; workspace_id: string }
type Matter = Told & { matter_id: string; revision: number }
type Said = { reason?: string; isBanned?: boolean; isUnbanned?: boolean }

/** Notifies the owner at once, in the inbox and by mail if enabled; also for a second decision on one day. */
export async function tellOwner(
  ctx: Ctx,
  { owner_id, card_id, matter_id, revision }: Matter,
  outcome: 'hidden_by_reports' | ModerationDecision,
  { reason, isBanned = false, isUnbanned = false }: Said = {},
): Promise<void> {
  const user = await findUser(ctx.db, owner_id)
  if (!user || user.deleted_at !== null) return
  const kind = outcome === 'hidden_by_reports' ? 'card.hidden' : 'card.moderated'
  const mailed = { user, actor: 'A moderator', state: `${matter_id}:${revision}` }
  await tellByMail(unnamed(ctx), mailed, {
    userId: owner_id,
    kind,
    subjectId: card_id,
    details: {
      ...(outcome === 'hidden_by_reports' ? {} : { decision: outcome }),
      ...(reason ? { reason } : {}),
      ...(isBanned ? { banned: true } : {}),
      ...(isUnbanned ? { unbanned: true } : {}),
    },
  })
}

const EVERYWHERE = 'the library, and in public and unlisted workspaces,'

type Lifted = Pick<
  BanRow,
  'ban_id' | 'user_id' | 'workspace_id' | 'workspace_name' | 'visibility' | 'role_there'
>

/** Hides the name of a private team that the banned person has left. */
function nameToSay({ workspace_name, visibility, role_there }: Lifted): string {
  if (workspace_name === null) return EVERYWHERE
  return mayKnowOf(visibility, role_there) ? workspace_name : `${LEFT_WORKSPACE},`
}

export async function tellUnbanned(ctx: Ctx, ban: Lifted, reason: string): Promise<void> {
  const user = await findUser(ctx.db, ban.user_id)
  if (!user) return
  await tellByMail(
    unnamed(ctx),
    { user, actor: 'A moderator', state: ban.ban_id },
    {
      userId: ban.user_id,
      kind: 'publisher.ban_lifted',
      subjectId: ban.ban_id,
      ...(ban.workspace_id === null ? {} : { workspaceId: ban.workspace_id }),
      details: { workspace_name: nameToSay(ban), reason },
    },
  )
}

/** A fixed order avoids deadlocks between two reports at the same moment. */
export async function tellModerators(ctx: Ctx, { owner_id, workspace_id: workspaceId }: Told): Promise<void> {
  const { userIds, workspaceName } = await whoModerates(ctx, workspaceId)
  const details = { workspace_name: workspaceName }
  for (const userId of userIds.toSorted())
    if (userId !== owner_id)
      await tell(unnamed(ctx), { userId, kind: 'moderation.waiting', workspaceId, details })
}
