import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { AnswerId, Id, Page, pageOf, Time } from '../../core/schemas.ts'
import { fromJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { NoticesTable, Role } from '../../db/schema.ts'
import { commentTexts, readableTitles, type TitledCard } from '../cards/index.ts'
import {
  isAboutCard,
  NOTICE_KINDS,
  NOTICES_KEPT_MS,
  type NoticeDetails,
  type NoticeKind,
  noticeText,
} from '../notices/index.ts'
import { RoleName } from '../permissions/index.ts'
import { newestNotes, noteKey } from '../trust/index.ts'

type NoticeRow = NoticesTable & {
  actor_name: string | null
  /** The reader's current role there; null for a former member. */
  my_role: Role | null
  invite_status: string | null
  invite_expires_at: string | null
}

type NoticePage = { unreadOnly: boolean; limit: number; offset: number }

function listNoticesOf(db: Db, userId: string, page: NoticePage): Promise<NoticeRow[]> {
  return db
    .selectFrom('notices')
    .leftJoin('users', 'users.user_id', 'notices.actor_id')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'notices.workspace_id')
        .onRef('memberships.user_id', '=', 'notices.user_id'),
    )
    .leftJoin('workspace_invites', (join) =>
      join
        .onRef('workspace_invites.invite_id', '=', 'notices.subject_id')
        .onRef('workspace_invites.for_user_id', '=', 'notices.user_id'),
    )
    .selectAll('notices')
    .select([
      'users.display_name as actor_name',
      'memberships.role as my_role',
      'workspace_invites.status as invite_status',
      'workspace_invites.expires_at as invite_expires_at',
    ])
    .where('notices.user_id', '=', userId)
    .$if(page.unreadOnly, (query) => query.where('notices.read_at', 'is', null))
    .orderBy('notices.created_at', 'desc')
    .orderBy('notices.notice_id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

async function countNotices(db: Db, userId: string): Promise<{ total: number; unread: number }> {
  const { total, read } = await db
    .selectFrom('notices')
    .select(({ fn }) => [fn.countAll<number>().as('total'), fn.count<number>('read_at').as('read')])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return { total, unread: total - read }
}

async function countUnread(db: Db, userId: string): Promise<number> {
  const { unread } = await db
    .selectFrom('notices')
    .select(({ fn }) => fn.countAll<number>().as('unread'))
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow()
  return unread
}

async function markRead(
  db: Db,
  userId: string,
  noticeIds: readonly string[] | undefined,
  now: string,
): Promise<void> {
  await db
    .updateTable('notices')
    .set({ read_at: now })
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .$if(noticeIds !== undefined, (query) => query.where('notice_id', 'in', noticeIds ?? []))
    .execute()
}

async function deleteNoticesBefore(db: Db, before: string): Promise<void> {
  await db.deleteFrom('notices').where('created_at', '<', before).execute()
}

const NoticeResponse = z
  .object({
    notice_id: AnswerId,
    kind: z.enum(NOTICE_KINDS),
    heading: z.string(),
    text: z.string(),
    actor_id: AnswerId.nullable(),
    actor_name: z.string().nullable(),
    said: z.enum(['worked', 'failed', 'stale']).nullable().describe('For card.feedback'),
    card_title: z.string().nullable(),
    workspace_id: AnswerId.nullable(),
    role: RoleName.nullable().describe('Your role in that workspace now; null where you are no member.'),
    invite_id: AnswerId.nullable().describe('An invitation that you can accept or decline here.'),
    card_id: AnswerId.nullable().describe(
      'The card that it is about, as long as you may read it, with the scope search.',
    ),
    created_at: Time,
    read_at: Time.nullable(),
  })
  .meta({ id: 'NoticeResponse' })

const isOpenInvite = (ctx: Ctx, row: NoticeRow) =>
  row.invite_status === 'pending' && (row.invite_expires_at ?? '') > ctx.now().toISOString()

type Titles = ReadonlyMap<string, TitledCard>

const cardOf = ({ kind, subject_id }: NoticeRow): string[] =>
  isAboutCard(kind as NoticeKind) && subject_id !== null ? [subject_id] : []

const detailsOf = (row: NoticeRow) => fromJson<NoticeDetails>(row.details)

/** Returns by notice what was said: the comment, or the note of a verdict, as the reader may see it now. */
async function quotesOf(
  ctx: UserCtx,
  rows: readonly NoticeRow[],
  titles: Titles,
): Promise<Map<string, string>> {
  const about = rows.flatMap((row) => {
    const [cardId] = cardOf(row).filter((id) => titles.has(id))
    return cardId === undefined ? [] : [{ row, cardId }]
  })
  const commented = about.flatMap(({ row, cardId }) => {
    const { comment_id: commentId } = detailsOf(row)
    return commentId === undefined ? [] : [{ row, cardId, commentId }]
  })
  const judged = about.flatMap(({ row, cardId }) =>
    row.kind === 'card.feedback' && row.actor_id !== null ? [{ row, cardId, userId: row.actor_id }] : [],
  )
  const [texts, notes] = [await commentTexts(ctx, commented), await newestNotes(ctx, judged)]
  const quotes = [
    ...commented.map(({ row, commentId }) => [row.notice_id, texts.get(commentId)] as const),
    ...judged.map(({ row, ...said }) => [row.notice_id, notes.get(noteKey(said))] as const),
  ]
  return new Map(quotes.flatMap(([id, text]) => (text ? [[id, text] as const] : [])))
}

const present = (
  ctx: Ctx,
  row: NoticeRow,
  { titles, quote }: { titles: Titles; quote: string | undefined },
): z.input<typeof NoticeResponse> => {
  const kind = row.kind as NoticeKind
  const details = detailsOf(row)
  const [card_id = null] = cardOf(row).filter((id) => titles.has(id))
  const card_title = titles.get(card_id ?? '')?.title
  const actor = row.actor_name ?? 'Somebody'
  const { heading, line } = noticeText(kind, { actor, ...details, card_title, quote })
  return {
    notice_id: row.notice_id,
    kind,
    heading,
    text: line,
    actor_id: row.actor_id,
    actor_name: row.actor_name,
    said: details.said ?? null,
    card_title: card_title ?? null,
    workspace_id: row.workspace_id,
    role: row.my_role,
    invite_id: isOpenInvite(ctx, row) ? row.subject_id : null,
    card_id,
    created_at: row.created_at,
    read_at: row.read_at,
  }
}

export const listNotices = capability({
  name: 'notices.list',
  summary: 'Your inbox: what others did that concerns you, newest first',
  scopes: ['account'],
  rest: ['GET /api/v1/notices'],
  input: z.object({ unread_only: z.boolean().default(false), ...Page }),
  output: pageOf(NoticeResponse).extend({ unread: z.int() }).meta({ id: 'NoticeListResponse' }),
  run: async (ctx, { unread_only, page, page_size }) => {
    const { total, unread } = await countNotices(ctx.db, ctx.viewer.userId)
    const rows = await listNoticesOf(ctx.db, ctx.viewer.userId, {
      unreadOnly: unread_only,
      limit: page_size,
      offset: (page - 1) * page_size,
    })
    const titles = await readableTitles(ctx, rows.flatMap(cardOf))
    const quotes = await quotesOf(ctx, rows, titles)
    const items = rows.map((row) => present(ctx, row, { titles, quote: quotes.get(row.notice_id) }))
    return { items, total: unread_only ? unread : total, page, page_size, unread }
  },
})

const UnreadCount = z.object({ unread: z.int() }).meta({ id: 'UnreadCount' })

export const unreadNotices = capability({
  name: 'notices.unread',
  summary: 'How many notices you have not read',
  scopes: ['account'],
  rest: ['GET /api/v1/notices/unread'],
  input: z.object({}),
  output: UnreadCount,
  run: async (ctx) => ({ unread: await countUnread(ctx.db, ctx.viewer.userId) }),
})

export const readNotices = capability({
  name: 'notices.mark_read',
  summary: 'Mark notices as read: those named, or all',
  scopes: ['account'],
  rest: ['POST /api/v1/notices/read'],
  input: z
    .object({ notice_ids: z.array(Id).min(1).max(100).optional().describe('All when left out.') })
    .meta({ id: 'NoticesRead' }),
  output: UnreadCount,
  run: (ctx, { notice_ids }) =>
    inTx(ctx, async (ctx) => {
      await markRead(ctx.db, ctx.viewer.userId, notice_ids, ctx.now().toISOString())
      return { unread: await countUnread(ctx.db, ctx.viewer.userId) }
    }),
})

export const dropOldNotices = (ctx: Ctx): Promise<void> =>
  inTx(ctx, (ctx) =>
    deleteNoticesBefore(ctx.db, new Date(ctx.now().getTime() - NOTICES_KEPT_MS).toISOString()),
  )
