import { type Ctx, contextFor, inTx } from '../../core/context.ts'
import type { Events, Subscribers } from '../../core/events.ts'
import type { Db } from '../../db/db.ts'
import type { MissedSearchesTable } from '../../db/knowledge-schema.ts'
import { byBytes } from '../../db/sql-values.ts'
import { sanitise } from '../../redaction/redact.ts'
import { DAY_MS } from '../../shared/time.ts'
import { fold } from '../../text/fold.ts'
import { STOP_WORDS } from '../../text/terms.ts'
import { withoutEnd } from '../../text/unicode.ts'
import { policyOf } from '../permissions/index.ts'

/** With several possible teams none learns the words, which may be meant for another team. */
async function onlyTeamOf(
  db: Db,
  userId: string,
  named: readonly string[],
): Promise<{ workspace_id: string; policy_json: string | null } | undefined> {
  const teams = await db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'memberships.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.policy_json'])
    .where('memberships.user_id', '=', userId)
    .where('workspaces.type', '!=', 'personal')
    .$if(named.length > 0, (query) => query.where('workspaces.workspace_id', 'in', named))
    .limit(2)
    .execute()
  return teams.length === 1 ? teams[0] : undefined
}

export async function countUp(db: Db, workspaceId: string, words: string, now: string): Promise<void> {
  await db
    .insertInto('missed_searches')
    .values({ workspace_id: workspaceId, words, times: 1, last_at: now })
    .onConflict((oc) =>
      oc.columns(['workspace_id', 'words']).doUpdateSet((eb) => ({
        times: eb('missed_searches.times', '+', 1),
        last_at: now,
      })),
    )
    .execute()
}

/** The Monday of the week, in UTC. */
const mondayOf = (now: Date): string => {
  const sinceMonday = (now.getUTCDay() + 6) % 7
  return new Date(now.getTime() - sinceMonday * DAY_MS).toISOString().slice(0, 10)
}

async function countWeekUp(db: Db, workspaceId: string, now: Date): Promise<void> {
  await db
    .insertInto('missed_search_weeks')
    .values({ workspace_id: workspaceId, week: mondayOf(now), times: 1 })
    .onConflict((oc) =>
      oc
        .columns(['workspace_id', 'week'])
        .doUpdateSet((eb) => ({ times: eb('missed_search_weeks.times', '+', 1) })),
    )
    .execute()
}

const MAX_DROPPED = 100

async function dropAllBut(db: Db, workspaceId: string, kept: number): Promise<void> {
  const over = await db
    .selectFrom('missed_searches')
    .select('words')
    .where('workspace_id', '=', workspaceId)
    .orderBy('last_at', 'desc')
    .limit(MAX_DROPPED)
    .offset(kept)
    .execute()
  if (over.length > 0)
    await db
      .deleteFrom('missed_searches')
      .where('workspace_id', '=', workspaceId)
      .where(
        'words',
        'in',
        over.map((row) => row.words),
      )
      .execute()
}

/** A period that includes `since` and excludes `until`. */
type Period = { since: string; until: string | undefined }

const missedIn = (
  db: Db,
  workspaceId: string,
  { since, until }: Period,
  limit: number,
): Promise<MissedSearchesTable[]> =>
  db
    .selectFrom('missed_searches')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('last_at', '>=', since)
    .$if(until !== undefined, (query) => query.where('last_at', '<', until ?? ''))
    .orderBy('times', 'desc')
    .orderBy('last_at', 'desc')
    .orderBy(byBytes(db, 'words'))
    .limit(limit)
    .execute()

async function deleteOf(db: Db, workspaceId: string): Promise<void> {
  for (const table of ['missed_searches', 'missed_search_weeks'] as const)
    await db.deleteFrom(table).where('workspace_id', '=', workspaceId).execute()
}

async function deleteBefore(db: Db, before: string): Promise<void> {
  await db.deleteFrom('missed_searches').where('last_at', '<', before).execute()
}

/** A longer query was pasted, and a log or a letter may name people. */
const MAX_QUERY_LENGTH = 200
const MAX_WORDS = 12
const MIN_WORD_LENGTH = 2
const MAX_WORD_LENGTH = 40

/** A word of letters and digits; no address, path, number or placeholder. */
const WORD = /^[\p{L}\p{N}][\p{L}\p{N}+#_-]*$/u
const LETTER = /\p{L}/u

const OPENING = /^["'“‘`([{<]+/u
const CLOSING = `"'”’\`)]}>,;:!?.`

const isPlain = (word: string): boolean =>
  word.length >= MIN_WORD_LENGTH &&
  word.length <= MAX_WORD_LENGTH &&
  WORD.test(word) &&
  LETTER.test(word) &&
  !STOP_WORDS.has(fold(word))

/** Returns null for a query that was pasted or contains a secret or personal data. */
export function plainWords(query: string): string | null {
  if (query.length > MAX_QUERY_LENGTH || query.includes('\n')) return null
  if (sanitise(query).findings.length > 0) return null
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .map((word) => withoutEnd(word.replace(OPENING, ''), CLOSING))
    .filter(isPlain)
  const distinct = [...new Set(words)]
  return distinct.length > 0 && distinct.length <= MAX_WORDS ? distinct.join(' ') : null
}

const MAX_KEPT = 200
const KEPT_MS = 30 * DAY_MS

type Searched = Events['search.answered']

async function teamThatKeeps(ctx: Ctx, workspaceIds: readonly string[]): Promise<string | undefined> {
  const team = ctx.viewer && (await onlyTeamOf(ctx.db, ctx.viewer.userId, workspaceIds))
  return team && policyOf(team).keepMissedSearches ? team.workspace_id : undefined
}

/**
 * Stores the words without the member. Call it after the search transaction, because a failure here must not
 * fail the search.
 */
export async function noteMissedSearch(ctx: Ctx, searched: Searched): Promise<void> {
  const { query, scope, workspaceIds, hits } = searched
  if (hits > 0 || scope !== 'workspace') return
  if (ctx.transacting) return ctx.afterCommit(() => void noteMissedSearch(contextFor(ctx, ctx), searched))
  const words = plainWords(query)
  if (words === null) return
  try {
    if ((await teamThatKeeps(ctx, workspaceIds)) === undefined) return
    await inTx(ctx, async (ctx) => {
      // Checks again: a team that switches this off meanwhile has deleted its words already.
      const team = await teamThatKeeps(ctx, workspaceIds)
      if (team === undefined) return
      await countUp(ctx.db, team, words, ctx.now().toISOString())
      await countWeekUp(ctx.db, team, ctx.now())
      await dropAllBut(ctx.db, team, MAX_KEPT)
    })
  } catch (error) {
    ctx.log.warn({ err: error }, 'a search without a hit could not be noted')
  }
}

export const missedSearchSubscribers: Subscribers<Ctx> = { 'search.answered': [noteMissedSearch] }

/** Requires that the caller has checked the membership. */
export const missedSearches = (ctx: Ctx, workspaceId: string, period: Period, limit: number) =>
  missedIn(ctx.db, workspaceId, period, limit)

const WEEKS_SHOWN = 8

/** Returns how many searches found nothing in each of the last weeks, oldest first. */
export async function missedByWeek(
  ctx: Ctx,
  workspaceId: string,
): Promise<{ week: string; times: number }[]> {
  const now = ctx.now().getTime()
  const weeks = Array.from({ length: WEEKS_SHOWN }, (_, i) =>
    mondayOf(new Date(now - (WEEKS_SHOWN - 1 - i) * 7 * DAY_MS)),
  )
  const rows = await ctx.db
    .selectFrom('missed_search_weeks')
    .select(['week', 'times'])
    .where('workspace_id', '=', workspaceId)
    .where('week', '>=', weeks[0] ?? '')
    .execute()
  const times = new Map(rows.map((row) => [row.week, row.times]))
  return weeks.map((week) => ({ week, times: times.get(week) ?? 0 }))
}

export const forgetMissedSearches = (ctx: Ctx, workspaceId: string): Promise<void> =>
  deleteOf(ctx.db, workspaceId)

export const dropOldMissedSearches = (ctx: Ctx): Promise<void> =>
  inTx(ctx, async (ctx) => {
    const now = ctx.now().getTime()
    await deleteBefore(ctx.db, new Date(now - KEPT_MS).toISOString())
    const firstShown = mondayOf(new Date(now - WEEKS_SHOWN * 7 * DAY_MS))
    await ctx.db.deleteFrom('missed_search_weeks').where('week', '<', firstShown).execute()
  })
