import { type Ctx, inTx } from '../../core/context.ts'
import { fromJson, toJsonOrNull } from '../../db/columns.ts'
import { policyOf } from '../permissions/policy.ts'
import { trustFrom } from './stored-trust.ts'
import {
  cardsToWeigh,
  changesOfFix,
  dueCards,
  judgedCards,
  mergedInto,
  saveTrust,
  settleDue,
  verdictsOn,
  votesOn,
} from './trust.store.ts'
import type { Judgement } from './weigh.ts'

type CardRow = Awaited<ReturnType<typeof cardsToWeigh>>[number]
type VerdictRow = Awaited<ReturnType<typeof verdictsOn>>[number]
type VoteRow = Awaited<ReturnType<typeof votesOn>>[number]

/** When the fix got its present form: what was said before is about another one. */
type FixChange = { version: number; at: string }

function lastChange(card: CardRow, former: readonly { version: number; edited_at: string }[]): FixChange {
  const fields = fromJson<string[]>(card.edited_fields)
  if (card.version > 1 && (fields.includes('fix_summary') || fields.includes('steps')))
    return { version: card.version, at: card.edited_at }
  return former.reduce<FixChange>(
    (last, { version, edited_at }) => (version > last.version ? { version, at: edited_at } : last),
    { version: 1, at: '' },
  )
}

/** One per person and environment: the last word. A verdict of the same person makes their vote say nothing more. */
function judgementsOf(
  verdicts: readonly VerdictRow[],
  votes: readonly VoteRow[],
  change: FixChange,
  everybodyIsProven: boolean,
): Judgement[] {
  const last = new Map(verdicts.map((row) => [`${row.user_id} ${row.environment_key}`, row]))
  const given = [...last.values()].flatMap((row): Judgement[] =>
    row.outcome === 'withdrawn'
      ? []
      : [
          {
            userId: row.user_id,
            outcome: row.outcome,
            isVote: false,
            isBeforeChange: row.created_at < change.at,
            environment: fromJson(row.environment),
            at: row.created_at,
            closeness: row.closeness,
            nthOfOwner: row.nth_of_owner,
            isReturned: row.returned === 1,
            isProven: everybodyIsProven || row.email_verified === 1,
          },
        ],
  )
  const judges = new Set(given.map(({ userId }) => userId))
  const voted = votes
    .filter((row) => !judges.has(row.user_id))
    .map(
      (row): Judgement => ({
        userId: row.user_id,
        outcome: row.kind === 'useful' ? 'worked' : 'stale',
        isVote: true,
        isBeforeChange: row.created_at < change.at,
        environment: {},
        at: row.created_at,
        closeness: row.closeness,
        nthOfOwner: 1,
        isReturned: row.returned === 1,
        isProven: everybodyIsProven || row.email_verified === 1,
      }),
    )
  return [...given, ...voted]
}

/** Computes the trust of these cards from all that was said, and writes it where it has changed. In the caller's transaction. */
export async function refreshTrust(ctx: Ctx, cardIds: readonly string[]): Promise<void> {
  if (cardIds.length === 0) return
  const cards = await cardsToWeigh(ctx.db, cardIds)
  const changes = Map.groupBy(await changesOfFix(ctx.db, cardIds), (row) => row.card_id)
  const merges = await mergedInto(ctx.db, cardIds)
  const takenBy = new Map(merges.map((row) => [row.from_card_id, row.into_card_id]))
  const all = [...cardIds, ...takenBy.keys()]
  const countedOn = (row: { card_id: string }) => takenBy.get(row.card_id) ?? row.card_id
  const verdicts = Map.groupBy(await verdictsOn(ctx.db, all), countedOn)
  const votes = Map.groupBy(await votesOn(ctx.db, all), countedOn)
  // Without mail nobody can prove an address.
  const everybodyIsProven = ctx.config.mail.smtpUrl === undefined
  for (const card of cards) {
    const judgements = judgementsOf(
      verdicts.get(card.card_id) ?? [],
      votes.get(card.card_id) ?? [],
      lastChange(card, changes.get(card.card_id) ?? []),
      everybodyIsProven,
    )
    const trust = trustFrom(judgements, {
      cardType: card.card_type,
      isPublic: card.status === 'published' && card.visibility === 'public',
      halfLifeDays: policyOf(card).trustHalfLifeDays,
      now: ctx.now(),
    })
    const stored = toJsonOrNull(trust)
    if (stored !== card.trust)
      await saveTrust(ctx.db, card.card_id, {
        trust: stored,
        confirmed_at: trust?.last_confirmed_at ?? null,
      })
  }
}

const AT_ONCE = 200
const INSIDE = { isolation: 'read committed' } as const

/** The job: cards that something said elsewhere has touched. */
export async function refreshDueTrust(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let full = true; full && !stopping.aborted; ) {
    const due = await dueCards(ctx.db, AT_ONCE)
    full = due.length === AT_ONCE
    if (due.length === 0) return
    await inTx(
      ctx,
      async (ctx) => {
        // Marked first as done: what is marked again meanwhile stays marked.
        await settleDue(ctx.db, due)
        await refreshTrust(ctx, due)
      },
      INSIDE,
    )
  }
}

/** The job: verdicts grow old, and people prove their addresses, without anybody saying anything. */
export async function refreshAllTrust(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let after = ''; !stopping.aborted; ) {
    const some = await judgedCards(ctx.db, after, AT_ONCE)
    await inTx(ctx, (ctx) => refreshTrust(ctx, some), INSIDE)
    if (some.length < AT_ONCE) return
    after = some.at(-1) ?? after
  }
}
