import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { newId } from '../../db/ids.ts'
import { cleanOptional, Findings } from '../../redaction/redact.ts'
import { failsToRead, isReading, readCommandText, terminalText } from '../../text/command-output.ts'
import { readFailure, withoutLooseNumbers } from '../../text/failure.ts'
import { explain } from '../../text/snippet.ts'
import { type Delivered, deliveredIn, keepCall } from '../cards/index.ts'
import { balanceOf, PUBLIC_SEARCH_COST, spentOn } from '../credits/index.ts'
import { requireUser, settingsOf } from '../identity/index.ts'
import { type FoundCard, findOwnAndTeam, lookInLibrary } from '../search/index.ts'
import { knownBefore } from './before.ts'
import {
  type Asker,
  cardItem,
  FRAME_CHARACTERS,
  fitsInto,
  injectedText,
  isWithheld,
  type ScoredItem,
} from './items.ts'
import { BUDGETS, type RecallContext, type ScoredCard, surelyFitting } from './judge.ts'
import {
  type Asked,
  findInHistory,
  findInMemory,
  isSaid,
  itemsOfHistory,
  knownAtCompaction,
  knownAtStart,
  linesSaid,
  type ProjectMemory,
  RECENT_EVENTS,
  readMemory,
} from './project-memory.ts'
import {
  type Reason,
  type RecallAnswer,
  type RecallInput,
  RecallRequest,
  RecallResponse,
  RecallToolRequest,
  thinRecall,
} from './schemas.ts'

type RecallQuery =
  | (RecallContext & { query: string; signature: string | null })
  | { silence: Reason; signature: null }

/** An error in printed text without an exit code, for example by `git log`, is not an error of the command. */
function isOnlyRead(text: string): boolean {
  const { command, exitCode, output } = readCommandText(text)
  if (command === undefined || exitCode !== undefined || !isReading(command)) return false
  return !failsToRead(command, terminalText(output))
}

export function questionOf(moment: RecallContext['moment'], text: string): RecallQuery {
  if (moment === 'prompt')
    return { moment, query: text, lines: text.split('\n'), around: '', whole: text, signature: null }
  const { isFailure, command, lines, signature } = readFailure(text)
  if (!isFailure || isOnlyRead(text)) return { silence: 'no_failure', signature: null }
  if (lines.length === 0) return { silence: 'nothing_fits', signature: null }
  const query = lines.map(withoutLooseNumbers).join('\n')
  return { moment, query, lines, around: command ?? '', whole: text, signature: signature || null }
}

/** A failure gets a card or what memory says of one matter. A prompt gets both and a commit, if they fit well enough. */
type MostItems = { cards: number; memory: number; commits: number; all: number }

const MAX_ITEMS: Readonly<Record<RecallContext['moment'], MostItems>> = {
  failure: { cards: 1, memory: 4, commits: 1, all: 4 },
  prompt: { cards: 1, memory: 4, commits: 1, all: 6 },
}

/** What names the file or command that an agent is about to touch. */
const BEFORE: MostItems = { cards: 1, memory: 2, commits: 2, all: 3 }

export const LOOKED_AT = 6

/** In characters: what a card needs at most. */
const CARD_CHARACTERS = 900
const roomBeside = (cards: readonly ScoredCard[], budget: number): number =>
  budget - FRAME_CHARACTERS - (cards.length > 0 ? Math.min(CARD_CHARACTERS, budget / 2) : 0)

type Fitting = {
  found: ScoredItem[]
  isSaid: boolean
}

const foundCard = ({ card, confidence }: ScoredCard, asker: Asker): ScoredItem => {
  const why = explain(card.marked)
    .why.map(({ where, words }) => `${where}: ${words.join(', ')}`)
    .join('; ')
  return { item: cardItem(card.row, why, asker), confidence }
}

/** Finds what conversations and the repository say. Both have half of the room, and the surer one comes first. */
async function findRemembered(ctx: UserCtx, memory: ProjectMemory, asked: Asked): Promise<ScoredItem[]> {
  const commits = await findInHistory(ctx, memory, asked.moment, asked.text)
  const half = Math.floor(asked.room / 2)
  const said = await findInMemory(ctx, memory, { ...asked, room: commits.length > 0 ? half : asked.room })
  const history = itemsOfHistory(commits, memory, { ...asked, room: said.length > 0 ? half : asked.room })
  const isSurer = (history[0]?.confidence ?? 0) > (said[0]?.confidence ?? 0)
  return isSurer ? [...history, ...said] : [...said, ...history]
}

async function findFitting(
  ctx: UserCtx,
  question: RecallContext & { query: string },
  memory: ProjectMemory,
  { sessionId, asker, budget }: RecallCall,
): Promise<Fitting> {
  const { moment, query } = question
  const sure = surelyFitting(question, await findOwnAndTeam(ctx, query, LOOKED_AT))
  const cards = sure.filter(({ card }) => !isWithheld(card.row))
  const { facts, project_preferences } = memory.snapshot
  const said = linesSaid([facts?.content ?? '', project_preferences?.content ?? ''])
  const news = cards.filter(({ card }) => !isSaid(card.row.fix_summary, said))
  const isExplained = moment === 'failure' && cards.length > 0
  const remembered = isExplained
    ? []
    : await findRemembered(ctx, memory, {
        moment,
        text: query,
        sessionId,
        room: roomBeside(news, budget),
        asker,
      })
  return {
    found: [...news.map((card) => foundCard(card, asker)), ...remembered],
    isSaid: news.length < cards.length,
  }
}

type LibraryOffer = (
  ctx: UserCtx,
  callId: string,
  mayCome: (found: ScoredItem) => boolean,
) => Promise<{ found: ScoredItem[]; charged: number }>

const startOfMonth = (now: Date): string =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString()

/** Checks the monthly limit and the balance, because recall must not fail for missing credits. */
async function mayPay(ctx: UserCtx, monthly: number): Promise<boolean> {
  const userId = ctx.viewer.userId
  const spent = await spentOn(ctx, { userId, refType: 'recall', since: startOfMonth(ctx.now()) })
  return spent + PUBLIC_SEARCH_COST <= monthly && (await balanceOf(ctx, userId)) >= PUBLIC_SEARCH_COST
}

/** Returns undefined if the person has not enabled the library for agents, or if it has no hit. */
async function offerOfLibrary(
  ctx: UserCtx,
  question: RecallContext & { query: string },
  asker: Asker,
): Promise<LibraryOffer | undefined> {
  const settings = settingsOf(await requireUser(ctx, ctx.viewer.userId))
  const monthly = settings.agent_library_monthly_credits
  if (!settings.agent_library || (ctx.serverSettings.credits && monthly < PUBLIC_SEARCH_COST))
    return undefined
  const hits = await lookInLibrary(ctx, question.query, LOOKED_AT)
  if (!hits) return undefined
  const { information, show } = hits
  const fitting = (cards: FoundCard[]) =>
    surelyFitting(question, { cards, information })
      .filter(({ card }) => !isWithheld(card.row))
      .map((card) => foundCard(card, asker))
  return async (ctx, callId, mayCome) => {
    const { picked, charged } = await show(ctx, {
      ref: { type: 'recall', id: callId },
      isAllowed: async (ctx, { picked }) => fitting(picked).some(mayCome) && (await mayPay(ctx, monthly)),
    })
    return { found: fitting(picked), charged }
  }
}

type Offer = {
  found: ScoredItem[]
  /** The reason to return if nothing is delivered and nothing was shown before. */
  silence: Reason
  signature: string | null
  /** Items may be delivered again: after a start or a compaction the agent no longer knows them. */
  mayRepeat: boolean
  most: MostItems
  library?: LibraryOffer | undefined
}

/** In milliseconds: after this time an answer has arrived, or its hook has timed out. */
const ON_ITS_WAY_MS = 2000

const ALL: MostItems = {
  cards: Number.MAX_SAFE_INTEGER,
  memory: Number.MAX_SAFE_INTEGER,
  commits: Number.MAX_SAFE_INTEGER,
  all: Number.MAX_SAFE_INTEGER,
}

const NOTHING_THERE = { found: [], charged: 0 }

type RecallCall = { sessionId: string | null; client: string | null; budget: number; asker: Asker }

const isAsking = (moment: RecallInput['moment']): boolean =>
  moment === 'failure' || moment === 'prompt' || moment === 'before'

function textOf({ moment, text }: RecallInput): string | undefined {
  if (isAsking(moment) && text === undefined)
    throw invalid('text', `Field required for moment ${moment}`, 'missing')
  if (!isAsking(moment) && text !== undefined)
    throw invalid('text', `Moment ${moment} takes no text; send it with failure, prompt or before`)
  return text
}

async function offerFor(
  ctx: UserCtx,
  question: RecallQuery,
  memory: ProjectMemory,
  call: RecallCall,
): Promise<Offer> {
  if ('silence' in question) return { found: [], mayRepeat: false, most: ALL, ...question }
  const { found, isSaid } = await findFitting(ctx, question, memory, call)
  const isKnown = found.length > 0 || isSaid
  return {
    found,
    silence: isSaid ? 'said_by_facts' : 'nothing_fits',
    signature: question.signature,
    mayRepeat: false,
    most: MAX_ITEMS[question.moment],
    library: isKnown ? undefined : await offerOfLibrary(ctx, question, call.asker),
  }
}

async function offerOf(
  ctx: UserCtx,
  input: RecallInput,
  memory: ProjectMemory,
  call: RecallCall,
): Promise<Offer> {
  const { moment } = input
  const text = textOf(input)
  if (text !== undefined && (moment === 'failure' || moment === 'prompt'))
    return offerFor(ctx, questionOf(moment, text), memory, call)
  if (text !== undefined && moment === 'before') {
    const found = await knownBefore(ctx, memory, { name: text, ids: input.about ?? [], ...call })
    return { found, silence: 'nothing_fits', signature: null, mayRepeat: false, most: BEFORE }
  }
  const found =
    moment === 'start'
      ? knownAtStart(memory, call.budget, call.asker)
      : await knownAtCompaction(ctx, memory, call.sessionId, call.budget, call.asker)
  return { found, silence: 'nothing_known', signature: null, mayRepeat: true, most: ALL }
}

const SOURCE_OF = { card: 'cards', fact: 'memory', event: 'memory', commit: 'commits' } as const

function chosen(found: readonly ScoredItem[], { all, ...most }: Offer['most']): ScoredItem[] {
  return found.filter(({ item }) => most[SOURCE_OF[item.kind]]-- > 0).slice(0, all)
}

/** Believes a caller whose hook timed out, except for items that another call may be delivering now. */
async function shownBefore(
  ctx: UserCtx,
  { moment, exclude = [], lost_answer }: RecallInput,
  call: RecallCall,
) {
  const all = await deliveredIn(ctx, call.sessionId)
  // All facts have one id, and the start delivers them: the line about one file may still come before its change.
  const delivered = moment === 'before' ? all.filter(({ kind }) => kind !== 'fact') : all
  const since = new Date(ctx.now().getTime() - ON_ITS_WAY_MS).toISOString()
  const arrived = lost_answer ? delivered.filter(({ created_at }) => created_at >= since) : delivered
  const ids = (rows: readonly Delivered[]) => new Set([...exclude, ...rows.map(({ item_id }) => item_id)])
  return { shown: ids(arrived), paid: ids(delivered) }
}

/** One serialisable transaction, so that parallel calls of a session deliver an item only once. */
const deliver = (ctx: UserCtx, input: RecallInput, offer: Offer, memory: ProjectMemory, call: RecallCall) =>
  inTx(ctx, async (ctx): Promise<RecallAnswer> => {
    const call_id = newId(ctx.now().getTime())
    const { shown, paid } = offer.mayRepeat
      ? { shown: new Set(input.exclude), paid: new Set(input.exclude) }
      : await shownBefore(ctx, input, call)
    const isNew = ({ item, covers = [item.id] }: ScoredItem) => !covers.some((id) => shown.has(id))
    const mayCome = (found: ScoredItem) => isNew(found) && fitsInto(found.item, call.budget)
    const isUnpaid = (found: ScoredItem) => mayCome(found) && !paid.has(found.item.id)
    const { found: inLibrary, charged } = (await offer.library?.(ctx, call_id, isUnpaid)) ?? NOTHING_THERE
    const found = [...offer.found, ...inLibrary]
    // The price is charged for an unpaid card, so that card is delivered.
    const coming = [...offer.found.filter(mayCome), ...inLibrary.filter(charged > 0 ? isUnpaid : mayCome)]
    const { text, items } = injectedText(
      chosen(coming, offer.most).map(({ item }) => item),
      call.budget,
    )
    const silent = items.length === 0
    const isShown = found.some((one) => !isNew(one))
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
  const call: RecallCall = {
    sessionId: cleanOptional(input.session_id, findings),
    client: cleanOptional(input.client, findings),
    budget: input.budget_chars ?? BUDGETS[input.moment],
    asker: { baseUrl: ctx.config.baseUrl, environment: input.environment, now: ctx.now() },
  }
  const memory = await readMemory(ctx, input.project_key, isAsking(input.moment) ? 0 : RECENT_EVENTS)
  const answer = await deliver(ctx, input, await offerOf(ctx, input, memory, call), memory, call)
  const cards = answer.items.flatMap(({ kind, id }) => (kind === 'card' ? [{ card_id: id }] : []))
  await emit(ctx, 'cards.shown', { cards })
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
    input: RecallToolRequest,
    fieldsOf: 'get_project_context',
    thin: thinRecall,
  },
  input: RecallRequest,
  output: RecallResponse,
  limit: 'search',
  run: recallFor,
})
