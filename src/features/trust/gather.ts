import type { Ctx } from '../../core/context.ts'
import { fromJson } from '../../db/columns.ts'
import { isEveryAddressProven } from '../mail/provable.ts'
import { policyOf } from '../permissions/policy.ts'
import {
  cardsToWeigh,
  changesOfFix,
  membersAmong,
  mergedInto,
  praisedBy,
  verdictsOn,
  votesOn,
} from './trust.store.ts'
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

type Said = Pick<VerdictRow, 'user_id' | 'owner_id' | 'closeness'>

/** The owner has praised a card of the judge too. */
async function whoseIsReturned(ctx: Ctx, said: readonly Said[]): Promise<(row: Said) => boolean> {
  const pairs = new Set<string>()
  for (const [owner, rows] of Map.groupBy(said, (row) => row.owner_id)) {
    const judges = new Set(rows.map((row) => row.user_id).filter((judge) => judge !== owner))
    for (const judge of await praisedBy(ctx.db, owner, [...judges])) pairs.add(`${owner} ${judge}`)
  }
  return (row) => row.closeness !== 'owner' && pairs.has(`${row.owner_id} ${row.user_id}`)
}

/** Strangers can read it, and so judge it. */
const isOpen = ({ status, visibility }: CardRow): boolean =>
  status === 'published' && visibility !== 'private'

/** The workspace whose members count in full: that of the card, or the private team that it was published from. */
function workspaceOfMembers(card: CardRow): string | null {
  if (!isOpen(card)) return card.workspace_id
  const isFromTeam = card.origin_type !== 'personal' && card.origin_visibility === 'private'
  return isFromTeam ? card.origin_workspace_id : null
}

/** Whether a person is a member where the members of a card count in full. */
async function membersOf(ctx: Ctx, cards: readonly CardRow[], said: readonly Said[]) {
  const workspaceIds = new Set(cards.flatMap((card) => workspaceOfMembers(card) ?? []))
  const userIds = new Set(said.map(({ user_id }) => user_id))
  const found = await membersAmong(ctx.db, [...workspaceIds], [...userIds])
  const members = new Set(found.map(({ workspace_id, user_id }) => `${workspace_id} ${user_id}`))
  return (card: CardRow, userId: string) => members.has(`${workspaceOfMembers(card)} ${userId}`)
}

type Weighed = {
  card: CardRow
  change: FixChange
  isReturned: (row: Said) => boolean
  isMember: (card: CardRow, userId: string) => boolean
  everybodyIsProven: boolean
}

/**
 * What was said in another workspace, of a draft that strangers read now, or of a card that was merged into this one,
 * counts without its environment.
 */
const wasSaidHere = (row: VerdictRow, card: CardRow): boolean =>
  row.card_id === card.card_id &&
  [card.seen_since, card.opened_at, card.visibility === 'private' ? null : card.published_at].every(
    (since) => since === null || row.created_at >= since,
  )

/**
 * A verdict replaces what its giver said on reading. Only `outdated`, said after it, counts beside it: what worked once
 * can be wrong today, and `useful` adds nothing to a verdict.
 */
function countsBeside(given: readonly Judgement[]): (vote: VoteRow) => boolean {
  const lastAt = new Map<string, string>()
  for (const { userId, at } of given) if (at > (lastAt.get(userId) ?? '')) lastAt.set(userId, at)
  return ({ user_id, kind, created_at }) => {
    const at = lastAt.get(user_id)
    return at === undefined || (kind === 'outdated' && created_at > at)
  }
}

/** The last judgement of each person in each environment. */
function judgementsOf(
  verdicts: readonly VerdictRow[],
  votes: readonly VoteRow[],
  { card, change, isReturned, isMember, everybodyIsProven }: Weighed,
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
            environment: wasSaidHere(row, card) ? fromJson(row.environment) : {},
            at: row.created_at,
            closeness: row.closeness,
            nthOfOwner: row.nth_of_owner,
            isReturned: isReturned(row),
            isProven: everybodyIsProven || row.email_verified === 1,
            since: row.judge_since,
            isMember: isMember(card, row.user_id),
          },
        ],
  )
  const voted = votes.filter(countsBeside(given)).map(
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
      isReturned: isReturned(row),
      isProven: everybodyIsProven || row.email_verified === 1,
      since: row.judge_since,
      isMember: isMember(card, row.user_id),
    }),
  )
  return [...given, ...voted]
}

/** A card with the judgements of people, and the facts that decide their weight for those who read it where it is. */
export type Judged = {
  card: CardRow
  judgements: Judgement[]
  facts: CardFacts
  /** Strangers read it, and the members of the private team that it was published from see it as their own. */
  hasTeam: boolean
}

/** All judgements of these cards, and of the cards that were merged into them. */
export async function gatherJudgements(ctx: Ctx, cardIds: readonly string[]): Promise<Judged[]> {
  const cards = await cardsToWeigh(ctx.db, cardIds)
  const changes = Map.groupBy(await changesOfFix(ctx.db, cardIds), (row) => row.card_id)
  const merges = await mergedInto(ctx.db, cardIds)
  const takenBy = new Map(merges.map((row) => [row.from_card_id, row.into_card_id]))
  const all = [...cardIds, ...takenBy.keys()]
  const countedOn = (row: { card_id: string }) => takenBy.get(row.card_id) ?? row.card_id
  const allVerdicts = await verdictsOn(ctx.db, all)
  const allVotes = await votesOn(ctx.db, all)
  const said = [...allVerdicts, ...allVotes]
  const isReturned = await whoseIsReturned(ctx, said)
  const isMember = await membersOf(ctx, cards, said)
  const verdicts = Map.groupBy(allVerdicts, countedOn)
  const votes = Map.groupBy(allVotes, countedOn)
  const everybodyIsProven = isEveryAddressProven(ctx)
  return cards.map((card) => ({
    card,
    judgements: judgementsOf(verdicts.get(card.card_id) ?? [], votes.get(card.card_id) ?? [], {
      card,
      change: lastChange(card, changes.get(card.card_id) ?? []),
      isReturned,
      isMember,
      everybodyIsProven,
    }),
    facts: {
      cardType: card.card_type,
      isPublic: card.status === 'published' && card.visibility === 'public',
      isForMembers: !isOpen(card),
      halfLifeDays: policyOf(card).trustHalfLifeDays,
      seenSince: card.seen_since,
      now: ctx.now(),
    },
    hasTeam: isOpen(card) && workspaceOfMembers(card) !== null,
  }))
}
