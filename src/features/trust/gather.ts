import type { Ctx } from '../../core/context.ts'
import { fromJson } from '../../db/columns.ts'
import { policyOf } from '../permissions/policy.ts'
import { cardsToWeigh, changesOfFix, mergedInto, verdictsOn, votesOn } from './trust.store.ts'
import type { CardFacts, Judgement } from './weigh.ts'

type CardRow = Awaited<ReturnType<typeof cardsToWeigh>>[number]
type VerdictRow = Awaited<ReturnType<typeof verdictsOn>>[number]
type VoteRow = Awaited<ReturnType<typeof votesOn>>[number]

/** When the fix last changed: earlier judgements are about another fix. */
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

/** The last judgement of each person in each environment. A person's verdict replaces their vote. */
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
            verdictId: row.verdict_id,
            userId: row.user_id,
            outcome: row.outcome,
            isVote: false,
            isBeforeChange: row.created_at < change.at,
            environment: fromJson(row.environment),
            at: row.created_at,
            closeness: row.closeness,
            nthOfOwner: row.nth_of_owner,
            isReturned: row.returned === 1 && row.closeness !== 'owner',
            isProven: everybodyIsProven || row.email_verified === 1,
          },
        ],
  )
  const judges = new Set(given.map(({ userId }) => userId))
  const voted = votes
    .filter((row) => !judges.has(row.user_id))
    .map(
      (row): Judgement => ({
        verdictId: null,
        userId: row.user_id,
        outcome: row.kind === 'useful' ? 'worked' : 'stale',
        isVote: true,
        isBeforeChange: row.created_at < change.at,
        environment: {},
        at: row.created_at,
        closeness: row.closeness,
        nthOfOwner: 1,
        isReturned: row.returned === 1 && row.closeness !== 'owner',
        isProven: everybodyIsProven || row.email_verified === 1,
      }),
    )
  return [...given, ...voted]
}

/** A card with the judgements of people, and the facts that decide their weight. */
export type Judged = { card: CardRow; judgements: Judgement[]; facts: CardFacts }

/** All judgements of these cards, and of the cards that were merged into them. */
export async function gatherJudgements(ctx: Ctx, cardIds: readonly string[]): Promise<Judged[]> {
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
  return cards.map((card) => ({
    card,
    judgements: judgementsOf(
      verdicts.get(card.card_id) ?? [],
      votes.get(card.card_id) ?? [],
      lastChange(card, changes.get(card.card_id) ?? []),
      everybodyIsProven,
    ),
    facts: {
      cardType: card.card_type,
      isPublic: card.status === 'published' && card.visibility === 'public',
      halfLifeDays: policyOf(card).trustHalfLifeDays,
      now: ctx.now(),
    },
  }))
}
