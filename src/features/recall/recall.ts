import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { newId } from '../../db/ids.ts'
import { noteReads } from '../card-reads/card-reads.ts'
import { type Delivered, deliveredIn, keepCall } from '../deliveries/deliveries.ts'
import { cleanOptional, Findings } from '../redaction/stored.ts'
import { findFitting, MOST_ITEMS, type Question, questionOf } from './fitting.ts'
import { BUDGETS } from './floors.ts'
import { fitsInto, injectedText } from './injected-text.ts'
import type { Asker, Found } from './items.ts'
import { knownAtCompaction, knownAtStart, RECENT_EVENTS } from './known.ts'
import { type LibraryOffer, offerOfLibrary } from './library.ts'
import { type ProjectMemory, readMemory } from './memory.ts'
import { type Reason, type RecallAnswer, type RecallInput, RecallRequest, RecallResponse } from './schemas.ts'
import { thinRecall } from './thin.ts'

/** What could be delivered, before it is known what the session already received. */
type Offer = {
  found: Found[]
  /** The reason if nothing is delivered and nothing was shown before. */
  silence: Reason
  signature: string | null
  /** Whether items may be delivered again: after a start or a compaction the agent no longer knows them. */
  mayRepeat: boolean
  most: { cards: number; memory: number; all: number }
  library?: LibraryOffer | undefined
}

/** After this time an answer has arrived, or its hook has given up. */
const ON_ITS_WAY_MS = 2000

const ALL = { cards: Number.MAX_SAFE_INTEGER, memory: Number.MAX_SAFE_INTEGER, all: Number.MAX_SAFE_INTEGER }

const NOTHING_THERE = { found: [], charged: 0 }

type Call = { sessionId: string | null; client: string | null; budget: number; asker: Asker }

function textOf({ moment, text }: RecallInput): string | undefined {
  const isAsking = moment === 'failure' || moment === 'prompt'
  if (isAsking && text === undefined) throw invalid('text', `Field required for moment ${moment}`, 'missing')
  if (!isAsking && text !== undefined)
    throw invalid('text', `Moment ${moment} takes no text; send it with failure or prompt`)
  return text
}

async function offerFor(
  ctx: UserCtx,
  question: Question,
  memory: ProjectMemory,
  { sessionId, asker }: Call,
): Promise<Offer> {
  if ('silence' in question) return { found: [], mayRepeat: false, most: ALL, ...question }
  const { found, isSaid } = await findFitting(ctx, question, memory, sessionId, asker)
  const isKnown = found.length > 0 || isSaid
  return {
    found,
    silence: isSaid ? 'said_by_facts' : 'nothing_fits',
    signature: question.signature,
    mayRepeat: false,
    most: MOST_ITEMS[question.moment],
    library: isKnown ? undefined : await offerOfLibrary(ctx, question, asker),
  }
}

async function offerOf(ctx: UserCtx, input: RecallInput, memory: ProjectMemory, call: Call): Promise<Offer> {
  const { moment } = input
  const text = textOf(input)
  if (text !== undefined && (moment === 'failure' || moment === 'prompt'))
    return offerFor(ctx, questionOf(moment, text), memory, call)
  const found =
    moment === 'start'
      ? knownAtStart(memory, call.budget, call.asker)
      : await knownAtCompaction(ctx, memory, call.sessionId, call.budget, call.asker)
  return { found, silence: 'nothing_known', signature: null, mayRepeat: true, most: ALL }
}

/** The first items of each kind, up to its limit. */
function chosen(found: readonly Found[], { cards, memory, all }: Offer['most']): Found[] {
  const left = { cards, memory }
  return found.filter(({ item }) => left[item.kind === 'card' ? 'cards' : 'memory']-- > 0).slice(0, all)
}

/**
 * What the agent has already. An answer that came after its hook had given up is in the rows of the session, but the
 * agent has never seen it: a caller who says so is believed, except for what another call may be delivering just now.
 */
async function shownBefore(ctx: UserCtx, { exclude = [], lost_answer }: RecallInput, call: Call) {
  const delivered = await deliveredIn(ctx, call.sessionId)
  const since = new Date(ctx.now().getTime() - ON_ITS_WAY_MS).toISOString()
  const arrived = lost_answer ? delivered.filter(({ created_at }) => created_at >= since) : delivered
  const ids = (rows: readonly Delivered[]) => new Set([...exclude, ...rows.map(({ item_id }) => item_id)])
  return { shown: ids(arrived), paid: ids(delivered) }
}

/**
 * Earlier deliveries of the session are read, and new ones are stored, in one serialisable transaction: of two calls
 * at once in a session only one delivers an item.
 */
const deliver = (ctx: UserCtx, input: RecallInput, offer: Offer, memory: ProjectMemory, call: Call) =>
  inTx(ctx, async (ctx): Promise<RecallAnswer> => {
    const call_id = newId(ctx.now().getTime())
    const { shown, paid } = offer.mayRepeat
      ? { shown: new Set(input.exclude), paid: new Set(input.exclude) }
      : await shownBefore(ctx, input, call)
    const isNew = (id: string) => !shown.has(id)
    const mayCome = ({ item }: Found) => isNew(item.id) && fitsInto(item, call.budget)
    const isUnpaid = (found: Found) => mayCome(found) && !paid.has(found.item.id)
    const { found: inLibrary, charged } = (await offer.library?.(ctx, call_id, isUnpaid)) ?? NOTHING_THERE
    const found = [...offer.found, ...inLibrary]
    // What is charged is the price of a card that was not paid for before, so it is this one that comes.
    const coming = [...offer.found.filter(mayCome), ...inLibrary.filter(charged > 0 ? isUnpaid : mayCome)]
    const { text, items } = injectedText(
      chosen(coming, offer.most).map(({ item }) => item),
      call.budget,
    )
    const silent = items.length === 0
    const isShown = found.some(({ item }) => !isNew(item.id))
    const reason: Reason = !silent ? 'fits' : isShown ? 'already_shown' : offer.silence
    const confidenceOf = new Map(found.map(({ item, confidence }) => [item.id, confidence]))
    await keepCall(
      ctx,
      {
        call_id,
        project_key: input.project_key === undefined ? null : memory.snapshot.project_key,
        session_id: call.sessionId,
        client: call.client,
        moment: input.moment,
        signature: offer.signature,
        is_silent: Number(silent),
        reason,
        chars: text.length,
      },
      items.map(({ kind, id }) => ({ kind, item_id: id, confidence: confidenceOf.get(id) ?? null })),
    )
    return { call_id, silent, reason, items, text, chars: text.length, credits_charged: charged }
  })

async function recallFor(ctx: UserCtx, input: RecallInput): Promise<RecallAnswer> {
  textOf(input)
  const findings = new Findings()
  const call: Call = {
    sessionId: cleanOptional(input.session_id, findings),
    client: cleanOptional(input.client, findings),
    budget: input.budget_chars ?? BUDGETS[input.moment],
    asker: { baseUrl: ctx.config.baseUrl, environment: input.environment, now: ctx.now() },
  }
  const memory = await readMemory(ctx, input.project_key, input.moment === 'start' ? RECENT_EVENTS : 0)
  const answer = await deliver(ctx, input, await offerOf(ctx, input, memory, call), memory, call)
  noteReads(
    ctx,
    answer.items.flatMap(({ kind, id }) => (kind === 'card' ? [{ card_id: id }] : [])),
  )
  return answer
}

export const recall = capability({
  name: 'recall',
  summary: 'What the vault knows at this moment: one fitting item, or silence',
  description:
    'For hooks of agents. failure and prompt look in the memory of the project, in own and team cards, also those that were published from a team, and, where the person has switched it on, in the public library, and answer only what is surely about the text. start and compact answer what holds for the project. Nothing comes twice in a session except after a start or a compaction. The text that is sent is not kept.',
  scopes: ['search'],
  rest: ['POST /api/v1/recall'],
  tool: {
    name: 'recall',
    description: 'What the vault knows about a failed command or a prompt; silent if unsure.',
    extension: true,
    readOnly: true,
    fieldsOf: 'get_project_context',
    thin: thinRecall,
  },
  input: RecallRequest,
  output: RecallResponse,
  limit: 'search',
  run: recallFor,
})
