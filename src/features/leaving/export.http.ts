import { Readable } from 'node:stream'
import type { Services, UserCtx } from '../../core/context.ts'
import { contextFor } from '../../core/context.ts'
import { notAuthenticated } from '../../core/errors.ts'
import type { Db } from '../../db/db.ts'
import type { RawRoute } from '../../doors/http/raw-route.ts'
import { presentUser, requireUser } from '../accounts/users.ts'

const PAGE = 200

type Row = Record<string, unknown>

/** Everything of one kind in pages by its id, so that memory holds one page however much there is. */
async function* paged(read: (after: string) => Promise<Row[]>, id: string): AsyncGenerator<Row> {
  let after = ''
  for (;;) {
    const rows = await read(after)
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return
    after = String(last[id])
  }
}

const cardsOf = (db: Db, userId: string) => (after: string) =>
  db
    .selectFrom('cards')
    .selectAll()
    .where('owner_id', '=', userId)
    .where('deleted_at', 'is', null)
    .where('card_id', '>', after)
    .orderBy('card_id')
    .limit(PAGE)
    .execute()

const evidencesOf = (db: Db, userId: string) => (after: string) =>
  db
    .selectFrom('card_evidences')
    .innerJoin('cards', 'cards.card_id', 'card_evidences.card_id')
    .selectAll('card_evidences')
    .where('cards.owner_id', '=', userId)
    .where('cards.deleted_at', 'is', null)
    .where('evidence_id', '>', after)
    .orderBy('evidence_id')
    .limit(PAGE)
    .execute()

const eventsOf = (db: Db, userId: string) => (after: string) =>
  db
    .selectFrom('context_events')
    .innerJoin('context_projects', 'context_projects.project_id', 'context_events.project_id')
    .select([
      'context_events.raw_id',
      'context_projects.project_key',
      'context_events.event_type',
      'context_events.created_at',
      'context_events.title',
      'context_events.session_id',
      'context_events.client',
      'context_events.meta',
      'context_events.content',
    ])
    .where('context_events.user_id', '=', userId)
    .where('context_events.raw_id', '>', after)
    .orderBy('context_events.raw_id')
    .limit(PAGE)
    .execute()

const materialsOf = (db: Db, userId: string) => (after: string) =>
  db
    .selectFrom('raw_materials')
    .selectAll()
    .where('owner_id', '=', userId)
    .where('raw_id', '>', after)
    .orderBy('raw_id')
    .limit(PAGE)
    .execute()

const entriesOf = (db: Db, userId: string) => (after: string) =>
  db
    .selectFrom('credit_entries')
    .select(['entry_id', 'delta', 'balance_after', 'reason', 'ref_type', 'ref_id', 'created_at'])
    .where('user_id', '=', userId)
    .where('entry_id', '>', after)
    .orderBy('entry_id')
    .limit(PAGE)
    .execute()

const paymentsOf = (db: Db, userId: string) => (after: string) =>
  db
    .selectFrom('billing_payments')
    .selectAll()
    .where('user_id', '=', userId)
    .where('payment_id', '>', after)
    .orderBy('payment_id')
    .limit(PAGE)
    .execute()

const ticketsOf = (db: Db, userId: string) => (after: string) =>
  db
    .selectFrom('support_tickets')
    .select(['ticket_id', 'email', 'subject', 'message', 'category', 'status', 'created_at', 'closed_at'])
    .where('user_id', '=', userId)
    .where('ticket_id', '>', after)
    .orderBy('ticket_id')
    .limit(PAGE)
    .execute()

const JSON_COLUMNS = new Set([
  'tags',
  'environment',
  'steps',
  'card_payload',
  'meta',
  'review_reasons',
  'redactions',
  'edited_fields',
])

/** Columns that hold JSON leave as JSON, not as text in text. */
const readable = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      JSON_COLUMNS.has(name) && typeof value === 'string' ? JSON.parse(value) : value,
    ]),
  )

async function* exportLines(ctx: UserCtx): AsyncGenerator<string> {
  const { userId } = ctx.viewer
  const line = (kind: string, value: unknown) => `${JSON.stringify({ kind, value })}\n`
  const user = await requireUser(ctx, userId)
  yield line('user', await presentUser(ctx, user))
  yield line('settings', JSON.parse(user.settings))
  const memberships = await ctx.db
    .selectFrom('memberships')
    .selectAll()
    .where('user_id', '=', userId)
    .execute()
  for (const membership of memberships) yield line('membership', membership)
  const parts: [kind: string, read: (after: string) => Promise<Row[]>, id: string][] = [
    ['card', cardsOf(ctx.db, userId), 'card_id'],
    ['evidence', evidencesOf(ctx.db, userId), 'evidence_id'],
    ['memory_event', eventsOf(ctx.db, userId), 'raw_id'],
    ['raw_material', materialsOf(ctx.db, userId), 'raw_id'],
    ['credit_entry', entriesOf(ctx.db, userId), 'entry_id'],
    ['payment', paymentsOf(ctx.db, userId), 'payment_id'],
    ['support_ticket', ticketsOf(ctx.db, userId), 'ticket_id'],
  ]
  for (const [kind, read, id] of parts)
    for await (const row of paged(read, id)) yield line(kind, readable(row))
}

/** All that is the caller's own, one JSON object a line: to keep, to move, or to take before leaving. */
export const exportAccount: RawRoute = {
  name: 'account.export',
  summary: 'Everything that is yours, as lines of JSON',
  route: 'GET /api/v1/auth/me/export',
  scopes: ['account'],
  openapi: {
    responses: {
      200: {
        description: 'One object {kind, value} a line',
        content: { 'application/x-ndjson': { schema: { type: 'string' } } },
      },
    },
  },
  handle: async (services: Services, request, reply) => {
    const { viewer } = request
    if (!viewer) throw notAuthenticated()
    const ctx = {
      ...contextFor(services, { viewer, requestId: request.id, ip: request.ip, ifMatch: undefined }),
      viewer,
    }
    return reply
      .header('Content-Disposition', 'attachment; filename="knowledge-vault-export.ndjson"')
      .type('application/x-ndjson')
      .send(Readable.from(exportLines(ctx)))
  },
}
