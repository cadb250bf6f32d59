import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import type { Subscribers } from '../../core/events.ts'
import { Time } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'

type FirstStepFacts = {
  keys: number
  calls: number
  cards: number
  samples: number
  invites: number
  searched_at: string | null
  dismissed_at: string | null
}

async function firstStepFacts(db: Db, userId: string): Promise<FirstStepFacts> {
  const keys = () => db.selectFrom('api_keys').select('key_id').where('user_id', '=', userId)
  const apps = () =>
    db
      .selectFrom('oauth_grants')
      .select('grant_id')
      .where('user_id', '=', userId)
      .where('activated_at', 'is not', null)
  const cards = () => db.selectFrom('cards').where('owner_id', '=', userId).where('deleted_at', 'is', null)
  const found = async (...queries: { executeTakeFirst: () => Promise<unknown> }[]): Promise<number> => {
    for (const query of queries) if ((await query.executeTakeFirst()) !== undefined) return 1
    return 0
  }
  const noted = await db
    .selectFrom('first_steps')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const { samples } = await cards()
    .select((eb) => eb.fn.countAll<number>().as('samples'))
    .where('sample', 'is not', null)
    .executeTakeFirstOrThrow()
  return {
    keys: await found(keys().limit(1), apps().limit(1)),
    calls: await found(
      keys().where('last_used_at', 'is not', null).limit(1),
      apps().where('last_used_at', 'is not', null).limit(1),
    ),
    cards: await found(cards().select('card_id').where('sample', 'is', null).limit(1)),
    invites: await found(invitesBy(db, userId), codesBy(db, userId), othersInTeamsOf(db, userId)),
    samples,
    searched_at: noted?.searched_at ?? null,
    dismissed_at: noted?.dismissed_at ?? null,
  }
}

const invitesBy = (db: Db, userId: string) =>
  db.selectFrom('workspace_invites').select('invite_id').where('invited_by', '=', userId).limit(1)

const codesBy = (db: Db, userId: string) =>
  db.selectFrom('billing_invites').select('invite_id').where('created_by', '=', userId).limit(1)

const othersInTeamsOf = (db: Db, userId: string) =>
  db
    .selectFrom('memberships as mine')
    .innerJoin('memberships as other', 'other.workspace_id', 'mine.workspace_id')
    .select('other.user_id')
    .where('mine.user_id', '=', userId)
    .where('mine.role', '=', 'admin')
    .where('other.user_id', '!=', userId)
    .limit(1)

type Note = { searched_at: string } | { dismissed_at: string }

export async function noteFirstStep(db: Db, userId: string, note: Note): Promise<void> {
  await db
    .insertInto('first_steps')
    .values({ user_id: userId, searched_at: null, dismissed_at: null, ...note })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(note))
    .execute()
}

async function hasSearched(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('first_steps')
    .select('searched_at')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.searched_at != null
}

type SampleRow = {
  card_id: string
  sample: string
  title: string
  version: number
  status: string
}

export async function sampleRows(db: Db, userId: string): Promise<SampleRow[]> {
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'sample', 'title', 'version', 'status'])
    .where('owner_id', '=', userId)
    .where('sample', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .execute()
  return rows.flatMap(({ sample, ...row }) => (sample === null ? [] : [{ ...row, sample }]))
}

/** In the order in which the checklist shows them. */
const STEPS = ['key', 'call', 'card', 'search', 'invite'] as const

const FirstSteps = z
  .object({
    steps: z.array(
      z.object({
        step: z
          .enum(STEPS)
          .describe(
            'key: an API key or a connected app; call: one of them was used; card: a card of your own; search; invite: somebody else is in a team of yours, or was invited',
          ),
        done: z.boolean(),
      }),
    ),
    done: z.boolean().describe('All of them'),
    dismissed_at: Time.nullable(),
    sample_cards: z.int().describe('How many sample cards you have'),
  })
  .meta({ id: 'FirstSteps' })

async function read(ctx: UserCtx): Promise<z.input<typeof FirstSteps>> {
  const facts = await firstStepFacts(ctx.db, ctx.viewer.userId)
  const isDone: Record<(typeof STEPS)[number], boolean> = {
    key: facts.keys > 0,
    call: facts.calls > 0,
    card: facts.cards > 0,
    search: facts.searched_at !== null,
    invite: facts.invites > 0,
  }
  const steps = STEPS.map((step) => ({ step, done: isDone[step] }))
  return {
    steps,
    done: steps.every(({ done }) => done),
    dismissed_at: facts.dismissed_at,
    sample_cards: facts.samples,
  }
}

export const readFirstSteps = capability({
  name: 'first_steps.read',
  summary: 'Which first steps are done',
  scopes: ['account'],
  rest: ['GET /api/v1/auth/first-steps'],
  input: z.object({}),
  output: FirstSteps,
  run: read,
})

export const dismissFirstSteps = capability({
  name: 'first_steps.dismiss',
  summary: 'Put the checklist of the first steps away; twice changes nothing',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/first-steps/dismiss'],
  input: z.object({}),
  output: FirstSteps,
  run: (ctx) =>
    inTx(ctx, async (ctx) => {
      const before = await read(ctx)
      if (before.dismissed_at !== null) return before
      const dismissed_at = ctx.now().toISOString()
      await noteFirstStep(ctx.db, ctx.viewer.userId, { dismissed_at })
      return { ...before, dismissed_at }
    }),
})

const known = new WeakMap<Ctx['database'], LRUCache<string, true>>()
const MAX_KNOWN = 20_000

function remember({ database }: Ctx, userId: string): void {
  const people = known.get(database) ?? new LRUCache({ max: MAX_KNOWN })
  known.set(database, people.set(userId, true))
}

/** A failure must not fail the search, except in a transaction, which cannot continue after an error. */
export async function noteFirstSearch(ctx: Ctx): Promise<void> {
  const userId = ctx.viewer?.userId
  if (userId === undefined || known.get(ctx.database)?.get(userId)) return
  try {
    if (!(await hasSearched(ctx.db, userId)))
      await inTx(ctx, (ctx) => noteFirstStep(ctx.db, userId, { searched_at: ctx.now().toISOString() }))
    // After the commit only, because the transaction may be rolled back.
    ctx.afterCommit(() => remember(ctx, userId))
  } catch (error) {
    if (ctx.transacting) throw error
    ctx.log.warn({ err: error }, 'the first search of a person could not be noted')
  }
}

export const firstStepSubscribers: Subscribers<Ctx> = { 'search.answered': [noteFirstSearch] }
