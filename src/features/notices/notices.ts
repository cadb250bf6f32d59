import { sql } from 'kysely'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { NoticesTable, UsersTable } from '../../db/schema.ts'
import { DAY_MS } from '../../shared/time.ts'
import { enqueueMail, mailbox, mailWithButton, type WaitingMail } from '../mail/index.ts'
import { type NoticeDetails, type NoticeKind, noticeText } from './notice-kinds.ts'

/** Must match the unique index of unread notices. */
const THING = sql`user_id, kind, coalesce(workspace_id, ''), coalesce(subject_id, '')`

/** Replaces the unread notice of the same thing, even one that another process writes at this moment. */
async function putNotice(db: Db, row: NoticesTable): Promise<void> {
  const { notice_id, actor_id, details, created_at } = row
  await db
    .insertInto('notices')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .expression(THING)
        .where('read_at', 'is', null)
        .doUpdateSet({ notice_id, actor_id, details, created_at }),
    )
    .execute()
}

type Cause = {
  userId: string
  kind: string
  workspaceId: string | null
  subjectId: string | null
  actorId?: string
}

async function deleteUnread(
  db: Db,
  { userId, kind, workspaceId, subjectId, actorId }: Cause,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('notices')
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .where('kind', '=', kind)
    .where('workspace_id', workspaceId === null ? 'is' : '=', workspaceId)
    .where('subject_id', subjectId === null ? 'is' : '=', subjectId)
    .$if(actorId !== undefined, (query) => query.where('actor_id', '=', actorId ?? ''))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

async function lastReadAt(
  db: Db,
  { userId, kind, subjectId }: { userId: string; kind: string; subjectId: string },
): Promise<string | null> {
  const { last } = await db
    .selectFrom('notices')
    .select((eb) => eb.fn.max('read_at').as('last'))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('subject_id', '=', subjectId)
    .executeTakeFirstOrThrow()
  return last
}

async function wasTold(db: Db, userId: string, kind: string, since: string): Promise<boolean> {
  const row = await db
    .selectFrom('notices')
    .select('notice_id')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('created_at', '>=', since)
    .executeTakeFirst()
  return row !== undefined
}

type Telling = {
  userId: string
  kind: NoticeKind
  workspaceId?: string
  subjectId?: string
  details?: NoticeDetails
}

export const NOTICES_KEPT_MS = 180 * DAY_MS

type Deed = { actorId: string | null; at: string }

export const tell = (ctx: Ctx, telling: Telling): Promise<void> =>
  tellOf(ctx, telling, { actorId: ctx.viewer?.userId ?? null, at: ctx.now().toISOString() })

export async function tellOf(ctx: Ctx, telling: Telling, { actorId, at }: Deed): Promise<void> {
  if (!ctx.transacting) throw new Error('tell() belongs in the transaction of what it tells')
  const { userId, kind, workspaceId = null, subjectId = null, details = {} } = telling
  await putNotice(ctx.db, {
    notice_id: newId(),
    user_id: userId,
    kind,
    actor_id: actorId,
    workspace_id: workspaceId,
    subject_id: subjectId,
    details: toJson(details),
    created_at: at,
    read_at: null,
  })
  ctx.mustSee(userId)
}

export async function unreadSince(
  ctx: Ctx,
  about: Pick<Telling, 'userId' | 'kind'> & { subjectId: string },
): Promise<string> {
  const kept = new Date(ctx.now().getTime() - NOTICES_KEPT_MS).toISOString()
  const read = await lastReadAt(ctx.db, about)
  return read !== null && read > kept ? read : kept
}

export async function untell(
  ctx: UserCtx,
  { userId, kind, workspaceId, subjectId }: Telling,
): Promise<boolean> {
  const isGone = await deleteUnread(ctx.db, {
    userId,
    kind,
    workspaceId: workspaceId ?? null,
    subjectId: subjectId ?? null,
    actorId: ctx.viewer.userId,
  })
  ctx.mustSee(userId)
  return isGone
}

/** Removes an unread notice whose cause is gone, whoever caused it last. */
export async function untellAny(ctx: Ctx, { userId, kind, workspaceId, subjectId }: Telling): Promise<void> {
  const thing = { workspaceId: workspaceId ?? null, subjectId: subjectId ?? null }
  await deleteUnread(ctx.db, { userId, kind, ...thing })
  ctx.mustSee(userId)
}

/** Repeats the notice of a lasting condition after some days. */
export async function tellAgainAfter(ctx: Ctx, days: number, telling: Telling): Promise<void> {
  const since = new Date(ctx.now().getTime() - days * DAY_MS).toISOString()
  if (!(await wasTold(ctx.db, telling.userId, telling.kind, since))) await tell(ctx, telling)
}

/** Reads the settings directly, because an import of `settingsOf` would be circular. */
const wantsMail = ({ settings }: UsersTable): boolean =>
  fromJson<{ email_notifications?: boolean }>(settings).email_notifications ?? true

type Mailed = {
  user: UsersTable
  actor: string
  /** The state that is mailed once; without a state, a cause is mailed once a day. */
  state?: string
}

export async function tellByMail(ctx: Ctx, { user, actor, state }: Mailed, telling: Telling): Promise<void> {
  await tell(ctx, telling)
  if (!user.email || !wantsMail(user)) return
  const { heading, line } = noticeText(telling.kind, { actor, ...telling.details })
  const day = ctx.now().toISOString().slice(0, 10)
  const once = state ?? `${telling.subjectId ?? telling.workspaceId ?? ''}:${day}`
  await enqueueMail(ctx, `notice:${user.user_id}:${telling.kind}:${once}`, {
    to: user.email,
    subject: heading,
    ...mailWithButton({
      heading,
      lines: [line],
      button: { label: 'Open your inbox', url: `${ctx.config.baseUrl}/inbox` },
      footer: `To stop these mails, turn off e-mail notifications: ${ctx.config.baseUrl}/settings`,
    }),
  })
}

/** Renders when the mail is sent; `part` is the position of the reader in the state key. */
export const noticeMailNow =
  (part: number) =>
  async (ctx: Ctx, mail: WaitingMail): Promise<WaitingMail | null> => {
    const userId = mail.stateKey.split(':')[part] ?? ''
    const user = await ctx.db.selectFrom('users').selectAll().where('user_id', '=', userId).executeTakeFirst()
    return user?.email && mailbox(user.email) === mail.to && wantsMail(user) ? mail : null
  }
