import { Readable } from 'node:stream'
import { z } from 'zod'
import type { UserCtx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import { notAuthenticated } from '../../core/errors.ts'
import { contextOfRequest } from '../../core/http/context-of-request.ts'
import { parseQuery } from '../../core/http/query.ts'
import type { RawRoute } from '../../core/http/raw-route.ts'
import { type DeliveryRow, deliveriesOf } from './effects.store.ts'

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

/** Quoted if necessary. An apostrophe goes before what a spreadsheet would take for a formula. */
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

/** The rows behind one's own figures: what was delivered, when, and whether it was opened. */
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
