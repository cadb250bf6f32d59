import { z } from 'zod'
import type { Config } from '../../config.ts'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, SELF_GUARDED, type ServerSettings, type UserCtx } from '../../core/context.ts'
import { conflict, forbidden } from '../../core/errors.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import type { Database, Db } from '../../db/db.ts'
import { audit } from '../audit/index.ts'

const Values = z.object({ credits: z.boolean() })

type Values = z.infer<typeof Values>
type Key = keyof Values

const KEYS = Object.keys(Values.shape) as Key[]
const DEFAULTS: Values = { credits: true }

/** What the environment decides; no admin can change it. */
const fixedValues = (config: Config): { [K in Key]: Values[K] | undefined } => ({ credits: config.credits })
const VARIABLES: Record<Key, string> = { credits: 'CREDITS' }

/** Reads the rows; unknown keys may be of a newer version. */
async function readRows(db: Db) {
  const rows = await db
    .selectFrom('server_settings')
    .leftJoin('users', 'users.user_id', 'server_settings.changed_by')
    .select(['key', 'value', 'changed_by', 'display_name', 'changed_at'])
    .execute()
  return new Map(rows.map((row) => [row.key, row]))
}

function currentValue(config: Config, key: Key, stored: { value: string } | undefined): Values[Key] {
  const fixed = fixedValues(config)[key]
  if (fixed !== undefined) return fixed
  return stored ? Values.shape[key].parse(fromJson(stored.value)) : DEFAULTS[key]
}

/** Holds what the environment or the defaults say until `refresh` reads what admins changed. */
export function serverSettingsOf(config: Config, { read }: Database): ServerSettings {
  let begun = 0
  let applied = 0
  const settings: Values = { credits: currentValue(config, 'credits', undefined) }
  const refresh = async () => {
    const turn = ++begun
    const rows = await readRows(read)
    // Reads may overtake each other; the one that began last knows most.
    if (turn < applied) return
    applied = turn
    for (const key of KEYS) settings[key] = currentValue(config, key, rows.get(key))
  }
  return Object.assign(settings, { refresh })
}

const Setting = z
  .object({
    value: z.boolean(),
    source: z.enum(['environment', 'admin', 'default']),
    variable: z.string().describe('The environment variable that overrides the app'),
    changed_by: AnswerId.nullable().describe('The admin who changed it last'),
    changed_by_name: z.string().nullable(),
    changed_at: Time.nullable(),
  })
  .meta({ id: 'ServerSetting' })

const ServerSettingsAnswer = z.object({ credits: Setting }).meta({ id: 'ServerSettings' })

function present(config: Config, key: Key, rows: Awaited<ReturnType<typeof readRows>>) {
  const row = rows.get(key)
  const isFixed = fixedValues(config)[key] !== undefined
  return {
    value: currentValue(config, key, row),
    source: isFixed ? ('environment' as const) : row ? ('admin' as const) : ('default' as const),
    variable: VARIABLES[key],
    changed_by: row?.changed_by ?? null,
    changed_by_name: row?.display_name ?? null,
    changed_at: row?.changed_at ?? null,
  }
}

async function presentAll({ config, db }: Ctx): Promise<z.input<typeof ServerSettingsAnswer>> {
  const rows = await readRows(db)
  return { credits: present(config, 'credits', rows) }
}

function requireAdmin(ctx: UserCtx): void {
  if (!ctx.viewer.isAdmin) throw forbidden('This is for the admins of the service.')
}

export const readServerSettings = capability({
  name: 'server_settings.read',
  summary: 'Settings of the server that an admin changes while it runs; service admins only',
  scopes: ['account'],
  rest: ['GET /api/v1/admin/settings'],
  input: z.object({}),
  output: ServerSettingsAnswer,
  run: async (ctx) => {
    requireAdmin(ctx)
    return presentAll(ctx)
  },
})

async function change(ctx: UserCtx, key: Key, value: Values[Key]): Promise<void> {
  if (fixedValues(ctx.config)[key] !== undefined)
    throw conflict(
      'set_by_environment',
      `${VARIABLES[key]} is set in the environment of the server and decides. Remove it there first.`,
      { variable: VARIABLES[key] },
    )
  const change = {
    value: toJson(value),
    changed_by: ctx.viewer.userId,
    changed_at: ctx.now().toISOString(),
  }
  const before = (await readRows(ctx.db)).get(key)
  if (before?.value === change.value) return
  await ctx.db
    .insertInto('server_settings')
    .values({ key, ...change })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(change))
    .execute()
  await audit(ctx, {
    action: 'server_setting.changed',
    subject: { type: 'server_setting', id: key },
    details: { value },
  })
}

export const changeServerSettings = capability({
  name: 'server_settings.change',
  summary: 'Change settings of the server while it runs; service admins only',
  description:
    'All processes and nodes follow within seconds. credits false: no search is charged, and the app speaks of no credits; balances and the ledger stay. A setting that an environment variable decides answers 409 set_by_environment.',
  scopes: ['account'],
  rest: ['PATCH /api/v1/admin/settings'],
  input: Values.partial().meta({ id: 'ServerSettingsUpdate' }),
  output: ServerSettingsAnswer,
  errors: [409],
  run: async (ctx, input) => {
    requireAdmin(ctx)
    const answer = await inTx(
      ctx,
      async (ctx) => {
        for (const key of KEYS) if (input[key] !== undefined) await change(ctx, key, input[key])
        return presentAll(ctx)
      },
      SELF_GUARDED,
    )
    await ctx.serverSettings.refresh()
    return answer
  },
})
