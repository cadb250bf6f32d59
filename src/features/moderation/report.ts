import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, SELF_GUARDED } from '../../core/context.ts'
import { conflict, missingScope, notAuthenticated, notFound, rateLimited } from '../../core/errors.ts'
import { sha256 } from '../../core/secrets.ts'
import { flag } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import type { ModerationMattersTable } from '../../db/tables/moderation.ts'
import { audit } from '../audit/audit.ts'
import { holdAnyCard } from '../cards/hold-card.ts'
import { hideCard, type ModeratedCard } from '../cards/moderated.ts'
import { CardId } from '../cards/schemas.ts'
import { isEveryAddressProven } from '../mail/provable.ts'
import { cleanOptional, Findings } from '../redaction/stored.ts'
import { trustCounts } from '../trust/stored-trust.ts'
import { wasKept } from './hiding.store.ts'
import { insertMatter, updateMatter, waitingMatter } from './matters.store.ts'
import { hasNoModerator } from './moderators.store.ts'
import {
  bondsAmong,
  countAnonymous,
  isOpenNow,
  isReported,
  putReport,
  reportableCard,
  reportersOf,
} from './reports.store.ts'
import { CardReport, CardReported, ReportableCard } from './schemas.ts'
import { tellModerators, tellOwner } from './tell-people.ts'
import { hidesCard, thresholdFor, weighReports } from './weigh-reports.ts'

const REPORTS_A_MINUTE = 10
const ANONYMOUS_A_MINUTE = 5
/** In one matter. Anonymous reports weigh little, and more of them would only fill the disk. */
const MOST_ANONYMOUS = 50

/** A hash, so that the stored key does not show an IP address. */
const reporterKey = ({ viewer, hashKey, ip }: Ctx): string =>
  viewer ? viewer.userId : `address:${sha256(`report\n${hashKey}\n${ip}`)}`

function requireReporter(ctx: Ctx): void {
  if (ctx.viewer && !ctx.viewer.scopes.has('record')) throw missingScope(['record'])
  if (!ctx.viewer && !ctx.config.publicPages)
    throw notAuthenticated(
      'Sign in to report a card. This server shows cards only to people who are signed in.',
    )
}

function requireModestReporter(ctx: Ctx): void {
  requireReporter(ctx)
  if (!ctx.config.rateLimit) return
  const state = ctx.viewer
    ? ctx.limits.hit(`report:${ctx.viewer.userId}`, REPORTS_A_MINUTE)
    : ctx.limits.hit(`report-from:${ctx.ip}`, ANONYMOUS_A_MINUTE)
  if (state.exceeded) throw rateLimited(state, 'Too many reports.')
}

export const newMatter = (
  ctx: Ctx,
  card: Pick<ModeratedCard, 'card_id' | 'owner_id' | 'version'>,
  more: Pick<ModerationMattersTable, 'cause' | 'workspace_id' | 'ask_note' | 'was_open'>,
): ModerationMattersTable => {
  const now = ctx.now().toISOString()
  return {
    matter_id: newId(),
    card_id: card.card_id,
    owner_id: card.owner_id,
    status: 'open',
    revision: 1,
    card_version: card.version,
    hidden_by_reports: 0,
    decision: null,
    reason: null,
    decided_by: null,
    decided_at: null,
    decided_version: null,
    decided_by_service: 0,
    can_appeal: 0,
    appeal_note: null,
    appealed_at: null,
    created_at: now,
    updated_at: now,
    ...more,
  }
}

const isCrowded = async (ctx: Ctx, matterId: string): Promise<boolean> =>
  (await countAnonymous(ctx.db, matterId)) >= MOST_ANONYMOUS

/** The open matter about this card, or a new one. */
async function matterFor(
  ctx: Ctx,
  card: ModeratedCard,
  waiting: ModerationMattersTable | undefined,
): Promise<ModerationMattersTable> {
  const { workspace_id } = card
  const was_open = flag(await isOpenNow(ctx.db, workspace_id))
  if (waiting) {
    await updateMatter(ctx.db, waiting.matter_id, {
      card_version: card.version,
      was_open,
      updated_at: ctx.now().toISOString(),
    })
    return waiting
  }
  const made = newMatter(ctx, card, { cause: 'reports', workspace_id, ask_note: null, was_open })
  await insertMatter(ctx.db, made)
  await tellModerators(ctx, made)
  return made
}

/** The weight of a matter's reports now, and the weight that would hide the card. */
export async function weightOf(ctx: Ctx, matterId: string, card: Pick<ModeratedCard, 'trust'>) {
  const reporters = await reportersOf(ctx.db, matterId, isEveryAddressProven(ctx))
  const bonds = await bondsAmong(
    ctx.db,
    reporters.map(({ userId }) => userId),
  )
  const anonymous = await countAnonymous(ctx.db, matterId)
  const weighed = weighReports({ reporters, bonds, anonymous }, ctx.now())
  return { ...weighed, threshold: thresholdFor(trustCounts(card.trust)?.worked ?? 0) }
}

/** Hides the card until a moderator looks. A version that moderators have kept is not hidden again. */
async function hideIfHeavy(ctx: Ctx, found: ModerationMattersTable, card: ModeratedCard): Promise<void> {
  if (card.hidden_at !== null || (await wasKept(ctx.db, card))) return
  const { threshold, ...weighed } = await weightOf(ctx, found.matter_id, card)
  if (!hidesCard(weighed, threshold)) return
  await hideCard(ctx, card)
  await updateMatter(ctx.db, found.matter_id, { hidden_by_reports: 1, revision: found.revision + 1 })
  await tellOwner(ctx, found, 'hidden_by_reports')
  await audit(
    { ...ctx, viewer: null },
    {
      action: 'card.hidden_by_reports',
      subject: { type: 'card', id: card.card_id },
      workspaceId: found.workspace_id,
      details: { matter_id: found.matter_id, weight: weighed.weight, threshold },
    },
  )
}

async function cardToReport(ctx: Ctx, cardId: string): Promise<ModeratedCard> {
  const card = await reportableCard(ctx.db, cardId, ctx.viewer?.userId ?? null)
  if (!card) throw notFound('Card')
  if (card.owner_id === ctx.viewer?.userId)
    throw conflict('own_card', 'This is your own card. Change it, take it back or delete it.')
  // Moderators of the service see what strangers could read, and no draft that a colleague shows them by a report.
  if (card.status !== 'published')
    throw conflict('not_shared', 'This card is not shared yet. Talk to its owner.')
  // Taken and thanked for, it would lie where nobody may read it.
  if (await hasNoModerator(ctx.db, card))
    throw conflict(
      'no_moderator',
      'Only admins of this private team decide about its cards, and nobody but the owner of this card is one. Talk to them.',
    )
  return card
}

export const readReportable = capability({
  name: 'cards.reportable',
  summary: 'The card that a report would be about',
  description:
    'Says beforehand whether you can report it, with the errors that the report would have. A key also needs the scope search, as for every title.',
  scopes: 'public',
  rest: ['GET /api/v1/cards/{card_id}/report'],
  input: CardId,
  output: ReportableCard,
  errors: [401, 403, 404, 409],
  run: async (ctx, { card_id }) => {
    requireReporter(ctx)
    if (ctx.viewer && !ctx.viewer.scopes.has('search')) throw missingScope(['search'])
    const { title } = await cardToReport(ctx, card_id)
    return { card_id, title }
  },
})

export const reportCard = capability({
  name: 'cards.report',
  summary: 'Report a card to its moderators',
  description:
    'For every card that you may read; without an account for the cards of the public pages, few a minute from one address. One report for each person and card: until it is decided, a new one replaces the former. Moderators see what you write, and not who you are. Enough reports of people who have nothing to do with each other hide a card until a moderator has looked. Secrets in the note are replaced by placeholders.',
  scopes: 'public',
  hasAuthor: true,
  rest: ['POST /api/v1/cards/{card_id}/report', 'POST /api/v1/cases/{case_id}/report'],
  aliases: { case_id: 'card_id' },
  status: 201,
  input: CardReport,
  output: CardReported,
  errors: [401, 403, 404, 409, 429],
  run: async (ctx, { card_id, kind, note: given }) => {
    requireModestReporter(ctx)
    const note = cleanOptional(given, new Findings())
    const reporter_key = reporterKey(ctx)
    return inTx(
      ctx,
      async (ctx) => {
        await holdAnyCard(ctx, card_id)
        const card = await cardToReport(ctx, card_id)
        const waiting = await waitingMatter(ctx.db, card_id, card.workspace_id)
        const replaced = waiting !== undefined && (await isReported(ctx.db, waiting.matter_id, reporter_key))
        const answer = { card_id, kind, replaced }
        if (!ctx.viewer && !replaced && waiting && (await isCrowded(ctx, waiting.matter_id))) return answer
        const found = await matterFor(ctx, card, waiting)
        const now = ctx.now().toISOString()
        await putReport(ctx.db, {
          report_id: newId(),
          card_id,
          matter_id: found.matter_id,
          user_id: ctx.viewer?.userId ?? null,
          reporter_key,
          kind,
          note,
          card_version: card.version,
          created_at: now,
        })
        // Recorded without a workspace, so that its admins do not learn who reported. Saying it again adds nothing to the log.
        if (!replaced)
          await audit(ctx, {
            action: 'card.reported',
            subject: { type: 'card', id: card_id },
            details: { matter_id: found.matter_id, kind },
          })
        await hideIfHeavy(ctx, found, card)
        return answer
      },
      SELF_GUARDED,
    )
  },
})
