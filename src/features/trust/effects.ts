import { Readable } from 'node:stream'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { capability, type RawRoute } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { notAuthenticated } from '../../core/errors.ts'
import { contextOfRequest, parseQuery } from '../../core/http.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'
import { DAY_MS } from '../../shared/time.ts'
import { isOfWorkspace } from '../cards/index.ts'
import { requireRole } from '../permissions/index.ts'
import { stands } from './refresh.ts'

type EffectsQuery = { userId: string; workspaceId: string | undefined; since: string }

const members = (db: Db, workspaceId: string) =>
  db.selectFrom('memberships').select('memberships.user_id').where('workspace_id', '=', workspaceId)

/** Limits rows to the person or team. A team must not see what members did before they joined. */
function isTheirs(
  table: 'recall_calls' | 'recall_items' | 'recoveries',
  { userId, workspaceId }: EffectsQuery,
): RawBuilder<SqlBool> {
  const [user, time] = [sql.ref(`${table}.user_id`), sql.ref(`${table}.created_at`)]
  if (workspaceId === undefined) return sql`${user} = ${userId}`
  const ofMembers = sql`select m.user_id from memberships m where m.workspace_id = ${workspaceId}`
  return sql`${user} in (${ofMembers}) and exists (${ofMembers} and m.user_id = ${user} and m.created_at <= ${time})`
}

const ASKING = ['failure', 'prompt'] as const

const callsOf = (db: Db, asked: EffectsQuery) =>
  db
    .selectFrom('recall_calls')
    .where('recall_calls.created_at', '>=', asked.since)
    .where('recall_calls.moment', 'in', ASKING)
    .where(isTheirs('recall_calls', asked))

const itemsOf = (db: Db, asked: EffectsQuery) =>
  db
    .selectFrom('recall_items')
    .where('recall_items.kind', '=', 'card')
    .where('recall_items.created_at', '>=', asked.since)
    .where(isTheirs('recall_items', asked))
    .$if(asked.workspaceId !== undefined, (query) =>
      query.where('recall_items.item_id', 'in', (eb) =>
        eb
          .selectFrom('cards')
          .select('cards.card_id')
          .where(isOfWorkspace(asked.workspaceId ?? '')),
      ),
    )

async function countMembers(db: Db, workspaceId: string): Promise<number> {
  const { people } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return people
}

const countAsked = async (db: Db, asked: EffectsQuery): Promise<number> => {
  const { all } = await callsOf(db, asked)
    .select(({ fn }) => fn.countAll<number>().as('all'))
    .executeTakeFirstOrThrow()
  return all
}

/** For a team, only answers with its cards count: how often a member's agent asks is private. */
async function countCalls(db: Db, asked: EffectsQuery) {
  const { answered, chars } = await callsOf(db, asked)
    .where('recall_calls.is_silent', '=', 0)
    .$if(asked.workspaceId !== undefined, (query) =>
      query.where('recall_calls.call_id', 'in', itemsOf(db, asked).select('recall_items.call_id')),
    )
    .select(({ fn, lit }) => [
      fn.countAll<number>().as('answered'),
      fn.coalesce(fn.sum<number>('recall_calls.chars'), lit(0)).as('chars'),
    ])
    .executeTakeFirstOrThrow()
  const all = asked.workspaceId === undefined ? await countAsked(db, asked) : answered
  return { all, answered, chars: Number(chars) }
}

async function countItems(db: Db, asked: EffectsQuery) {
  const { delivered, opened } = await itemsOf(db, asked)
    .select(({ fn }) => [
      fn.countAll<number>().as('delivered'),
      fn.count<number>('recall_items.opened_at').as('opened'),
    ])
    .executeTakeFirstOrThrow()
  return { delivered, opened }
}

/** Queried separately, because a cluster stores deliveries and verdicts apart. */
const verdictsOf = (db: Db, { userId, workspaceId, since }: EffectsQuery) =>
  db
    .selectFrom('card_verdicts')
    .select(['card_id', 'user_id', 'environment_key', 'outcome', 'created_at'])
    .where('user_id', workspaceId ? 'in' : '=', workspaceId ? members(db, workspaceId) : userId)
    .where('created_at', '>=', since)
    .orderBy('created_at')
    .orderBy('verdict_id')
    .execute()

const CARDS_AT_ONCE = 500

async function countVerdicts(db: Db, asked: EffectsQuery) {
  const all = await verdictsOf(db, asked)
  // The last verdict in an environment replaces earlier ones.
  const last = new Map(all.map((row) => [`${row.user_id} ${row.card_id} ${row.environment_key}`, row]))
  const given = [...last.values()].filter(({ outcome }) => outcome !== 'withdrawn')
  const verdicts = Map.groupBy(given, (row) => `${row.user_id} ${row.card_id}`)
  const cardIds = [...new Set(given.map((row) => row.card_id))]
  const counts = { judged: 0, worked: 0 }
  for (let from = 0; from < cardIds.length; from += CARDS_AT_ONCE) {
    const items = await itemsOf(db, asked)
      .select(['recall_items.user_id', 'recall_items.item_id', 'recall_items.created_at'])
      .where('recall_items.item_id', 'in', cardIds.slice(from, from + CARDS_AT_ONCE))
      .execute()
    for (const item of items) {
      const said = verdicts.get(`${item.user_id} ${item.item_id}`) ?? []
      const after = said.filter((verdict) => verdict.created_at >= item.created_at)
      if (after.length > 0) counts.judged++
      if (after.some(({ outcome }) => outcome === 'worked')) counts.worked++
    }
  }
  return counts
}

type Overcome = { user_id: string; signature: string; attempts: number; delivered: number | null }

const MAX_RECOVERIES = 10_000

const recoveriesOf = (db: Db, asked: EffectsQuery): Promise<Overcome[]> =>
  db
    .selectFrom('recoveries')
    .leftJoin(
      itemsOf(db, { ...asked, since: '' })
        .innerJoin('recall_calls', (join) =>
          join
            .onRef('recall_calls.user_id', '=', 'recall_items.user_id')
            .onRef('recall_calls.call_id', '=', 'recall_items.call_id'),
        )
        .select(({ fn }) => [
          'recall_calls.user_id',
          'recall_calls.session_id',
          'recall_calls.signature',
          fn.countAll<number>().as('delivered'),
        ])
        .groupBy(['recall_calls.user_id', 'recall_calls.session_id', 'recall_calls.signature'])
        .as('helped'),
      (join) =>
        join
          .onRef('helped.user_id', '=', 'recoveries.user_id')
          .onRef('helped.session_id', '=', 'recoveries.session_id')
          .onRef('helped.signature', '=', 'recoveries.signature'),
    )
    .select(['recoveries.user_id', 'recoveries.signature', 'recoveries.attempts', 'helped.delivered'])
    .where(isTheirs('recoveries', asked))
    .where('recoveries.created_at', '>=', asked.since)
    .orderBy('recoveries.created_at')
    .orderBy('recoveries.recovery_id')
    .limit(MAX_RECOVERIES)
    .execute()

const ROWS_AT_ONCE = 500

type DeliveryRow = Record<
  | 'delivery_id'
  | 'created_at'
  | 'moment'
  | 'client'
  | 'project_key'
  | 'session_id'
  | 'signature'
  | 'kind'
  | 'item_id'
  | 'opened_at',
  string | null
> & { chars: number; confidence: number | null }

async function* deliveriesOf(db: Db, userId: string, since: string): AsyncGenerator<DeliveryRow> {
  for (let last = { created_at: since, delivery_id: '' }, full = true; full; ) {
    const rows = await db
      .selectFrom('recall_items')
      .innerJoin('recall_calls', (join) =>
        join
          .onRef('recall_calls.user_id', '=', 'recall_items.user_id')
          .onRef('recall_calls.call_id', '=', 'recall_items.call_id'),
      )
      .select([
        'recall_items.delivery_id',
        'recall_items.created_at',
        'recall_calls.moment',
        'recall_calls.client',
        'recall_calls.project_key',
        'recall_calls.session_id',
        'recall_calls.signature',
        'recall_calls.chars',
        'recall_items.kind',
        'recall_items.item_id',
        'recall_items.confidence',
        'recall_items.opened_at',
      ])
      .where('recall_items.user_id', '=', userId)
      .where((eb) =>
        eb.or([
          eb('recall_items.created_at', '>', last.created_at),
          eb.and([
            eb('recall_items.created_at', '=', last.created_at),
            eb('recall_items.delivery_id', '>', last.delivery_id),
          ]),
        ]),
      )
      .orderBy('recall_items.created_at')
      .orderBy('recall_items.delivery_id')
      .limit(ROWS_AT_ONCE)
      .execute()
    yield* rows
    last = rows.at(-1) ?? last
    full = rows.length === ROWS_AT_ONCE
  }
}

type Repeats = { seen_again: number; fewer: number }

export function countRepeats(inOrder: readonly Overcome[]): Repeats {
  const first = new Map<string, number>()
  const repeats = { seen_again: 0, fewer: 0 }
  for (const { user_id, signature, attempts, delivered } of inOrder) {
    const key = `${user_id} ${signature}`
    const before = first.get(key)
    if (before === undefined) {
      if (!delivered) first.set(key, attempts)
    } else if (delivered) {
      repeats.seen_again += 1
      if (attempts < before) repeats.fewer += 1
    }
  }
  return repeats
}

const share = (what: string, of: string) =>
  z.object({ count: z.int().describe(what), of: z.int().describe(of) })

const EffectsResponse = z
  .object({
    since: Time,
    workspace_id: AnswerId.nullable(),
    people: z.int().describe('Whose figures are added up'),
    answered: share(
      'Times that recall delivered something',
      'Times that it was asked, at a failure or a prompt; for a workspace only those that its cards answered',
    ),
    opened: share('Cards that were read within a day', 'Cards that were delivered'),
    judged: share('Cards that the same person judged afterwards', 'Cards that were delivered'),
    worked: share('Cards that worked', 'Cards that were judged'),
    avoided: share(
      'Errors that took fewer attempts than the first time',
      'Errors that were seen again after a card was delivered for them',
    ),
    characters: share('Characters handed to agents', 'Times that recall delivered something'),
  })
  .meta({ id: 'EffectsResponse' })

export const readEffects = capability({
  name: 'effects.read',
  summary: 'What recall did for you, or for a team: each count with its total',
  description:
    'With workspace_id: the sums over its members, for the cards of that workspace only. It does not say who did what, nor how often agents asked.',
  scopes: ['search'],
  rest: ['GET /api/v1/effects'],
  input: z.object({ workspace_id: Id.optional(), days: z.int().min(1).max(365).default(30) }),
  output: EffectsResponse,
  errors: [404],
  run: async (ctx, { workspace_id, days }) => {
    if (workspace_id !== undefined) await requireRole(ctx, workspace_id, 'viewer')
    const since = new Date(ctx.now().getTime() - days * DAY_MS).toISOString()
    const asked = { userId: ctx.viewer.userId, workspaceId: workspace_id, since }
    const calls = await countCalls(ctx.db, asked)
    const { delivered, opened } = await countItems(ctx.db, asked)
    const { judged, worked } = await countVerdicts(ctx.db, asked)
    const repeats = countRepeats(await recoveriesOf(ctx.db, asked))
    return {
      since,
      workspace_id: workspace_id ?? null,
      people: workspace_id === undefined ? 1 : await countMembers(ctx.db, workspace_id),
      answered: { count: calls.answered, of: calls.all },
      opened: { count: opened, of: delivered },
      judged: { count: judged, of: delivered },
      worked: { count: worked, of: judged },
      avoided: { count: repeats.fewer, of: repeats.seen_again },
      characters: { count: calls.chars, of: calls.answered },
    }
  },
})

type DayCount = { day: string; what: 'delivered' | 'worked' | 'failed'; times: number }

const dayOf = (column: 'recall_items.created_at' | 'card_verdicts.created_at') =>
  sql<string>`substr(${sql.ref(column)}, 1, 10)`

async function deliveredByDay(db: Db, asked: EffectsQuery): Promise<DayCount[]> {
  const day = dayOf('recall_items.created_at')
  const rows = await itemsOf(db, asked)
    .select(({ fn }) => [day.as('day'), fn.countAll<number>().as('times')])
    .groupBy(day)
    .execute()
  return rows.map((row) => ({ ...row, what: 'delivered' }))
}

/** For a team: what its members said of its cards since they joined. */
async function saidByDay(db: Db, { userId, workspaceId, since }: EffectsQuery): Promise<DayCount[]> {
  const day = dayOf('card_verdicts.created_at')
  const rows = await db
    .selectFrom('card_verdicts')
    .select(({ fn }) => [day.as('day'), 'outcome', fn.countAll<number>().as('times')])
    .where('card_verdicts.created_at', '>=', since)
    .where(stands)
    .$if(workspaceId === undefined, (query) => query.where('card_verdicts.user_id', '=', userId))
    .$if(workspaceId !== undefined, (query) =>
      query
        .innerJoin('cards', 'cards.card_id', 'card_verdicts.card_id')
        .innerJoin('memberships', (join) =>
          join
            .on('memberships.workspace_id', '=', workspaceId ?? '')
            .onRef('memberships.user_id', '=', 'card_verdicts.user_id')
            .onRef('memberships.created_at', '<=', 'card_verdicts.created_at'),
        )
        .where(isOfWorkspace(workspaceId ?? ''))
        .where('cards.deleted_at', 'is', null),
    )
    .groupBy([day, 'outcome'])
    .execute()
  return rows.map(({ outcome, ...row }) => ({ ...row, what: outcome === 'worked' ? 'worked' : 'failed' }))
}

const EffectDays = z
  .object({
    workspace_id: AnswerId.nullable(),
    days: z.array(
      z.object({
        day: z.string().describe('A day in UTC, such as 2026-11-19'),
        delivered: z.int().describe('Cards that recall handed to agents'),
        worked: z.int().describe('Verdicts worked'),
        failed: z.int().describe('Verdicts failed and outdated'),
      }),
    ),
  })
  .meta({ id: 'EffectDays' })

export const readEffectDays = capability({
  name: 'effects.days',
  summary: 'What recall delivered and what came of it, day by day',
  description:
    'Every day is listed, oldest first. With workspace_id: the sums over its members, for the cards of that workspace only.',
  scopes: ['search'],
  rest: ['GET /api/v1/effects/days'],
  input: z.object({ workspace_id: Id.optional(), days: z.int().min(7).max(365).default(30) }),
  output: EffectDays,
  errors: [404],
  run: async (ctx, { workspace_id, days }) => {
    if (workspace_id !== undefined) await requireRole(ctx, workspace_id, 'viewer')
    const last = Date.parse(ctx.now().toISOString().slice(0, 10))
    const first = new Date(last - (days - 1) * DAY_MS)
    const asked = { userId: ctx.viewer.userId, workspaceId: workspace_id, since: first.toISOString() }
    const counted = [...(await deliveredByDay(ctx.db, asked)), ...(await saidByDay(ctx.db, asked))]
    const byDay = Map.groupBy(counted, ({ day }) => day)
    const sum = (day: string, what: DayCount['what']) =>
      (byDay.get(day) ?? []).reduce((all, one) => (one.what === what ? all + one.times : all), 0)
    return {
      workspace_id: workspace_id ?? null,
      days: Array.from({ length: days }, (_, index) => {
        const day = new Date(first.getTime() + index * DAY_MS).toISOString().slice(0, 10)
        return {
          day,
          delivered: sum(day, 'delivered'),
          worked: sum(day, 'worked'),
          failed: sum(day, 'failed'),
        }
      }),
    }
  },
})

const Query = z.object({
  format: z.enum(['csv', 'json']).default('json'),
  days: z.int().min(1).max(365).default(30),
})

const COLUMNS = [
  'delivery_id',
  'created_at',
  'moment',
  'client',
  'project_key',
  'session_id',
  'signature',
  'chars',
  'kind',
  'item_id',
  'confidence',
  'opened_at',
] as const satisfies readonly (keyof DeliveryRow)[]

/** An apostrophe goes before text that a spreadsheet would run as a formula (CSV injection). */
function cell(value: string | number | null): string {
  const text = String(value ?? '')
  const plain = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

async function* asCsv(rows: AsyncIterable<DeliveryRow>): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for await (const row of rows) yield `${COLUMNS.map((name) => cell(row[name])).join(',')}\r\n`
}

async function* asJson(rows: AsyncIterable<DeliveryRow>): AsyncGenerator<string> {
  let before = '['
  for await (const row of rows) {
    yield `${before}${JSON.stringify(row)}`
    before = ',\n'
  }
  yield before === '[' ? '[]' : ']'
}

const parameter = (name: string, schema: object) => ({ name, in: 'query' as const, required: false, schema })

export const effectRows: RawRoute = {
  name: 'effects.rows',
  summary: 'The rows behind your own figures, as CSV or JSON',
  route: 'GET /api/v1/effects/rows',
  scopes: ['search'],
  openapi: {
    parameters: [
      parameter('format', { type: 'string', enum: ['csv', 'json'], default: 'json' }),
      parameter('days', { type: 'integer', minimum: 1, maximum: 365, default: 30 }),
    ],
    responses: {
      200: {
        description: 'A row for every delivery, oldest first',
        content: {
          'application/json': { schema: { type: 'array', items: { type: 'object' } } },
          'text/csv': { schema: { type: 'string' } },
        },
      },
    },
    errors: [422],
  },
  handle: async (services, request, reply) => {
    const { viewer } = request
    if (!viewer) throw notAuthenticated()
    const { format, days } = parseQuery(Query, request)
    const ctx: UserCtx = { ...contextOfRequest(services, request), viewer }
    const since = new Date(ctx.now().getTime() - days * DAY_MS).toISOString()
    const rows = deliveriesOf(ctx.db, viewer.userId, since)
    const isCsv = format === 'csv'
    return reply
      .header('Content-Disposition', `attachment; filename="knowledge-vault-effects.${format}"`)
      .type(isCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
      .send(Readable.from(isCsv ? asCsv(rows) : asJson(rows)))
  },
}
