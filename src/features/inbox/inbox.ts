import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { AnswerId, Id, Page, pageOf, Time } from '../../core/schemas.ts'
import { fromJson } from '../../db/columns.ts'
import { readableTitles, type TitledCard } from '../cards/titles.ts'
import {
  isAboutCard,
  NOTICE_KINDS,
  type NoticeDetails,
  type NoticeKind,
  noticeText,
} from '../notices/notice-kinds.ts'
import { NOTICES_KEPT_MS } from '../notices/tell.ts'
import { RoleName } from '../permissions/policy.ts'
import {
  countNotices,
  countUnread,
  deleteNoticesBefore,
  listNoticesOf,
  markRead,
  type NoticeRow,
} from './inbox.store.ts'

export const NoticeResponse = z
  .object({
    notice_id: AnswerId,
    kind: z.enum(NOTICE_KINDS),
    heading: z.string(),
    text: z.string(),
    actor_id: AnswerId.nullable(),
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

const present = (ctx: Ctx, row: NoticeRow, titles: Titles): z.input<typeof NoticeResponse> => {
  const kind = row.kind as NoticeKind
  const details = fromJson<NoticeDetails>(row.details)
  const [card_id = null] = cardOf(row).filter((id) => titles.has(id))
  const card_title = titles.get(card_id ?? '')?.title
  const { heading, line } = noticeText(kind, { actor: row.actor_name ?? 'Somebody', ...details, card_title })
  return {
    notice_id: row.notice_id,
    kind,
    heading,
    text: line,
    actor_id: row.actor_id,
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
    const items = rows.map((row) => present(ctx, row, titles))
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

/** Housekeeping. */
export const dropOldNotices = (ctx: Ctx): Promise<void> =>
  inTx(ctx, (ctx) =>
    deleteNoticesBefore(ctx.db, new Date(ctx.now().getTime() - NOTICES_KEPT_MS).toISOString()),
  )
