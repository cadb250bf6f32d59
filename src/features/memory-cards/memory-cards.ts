/** From an exchange in memory to a card: a proposal that a person reads first, then a card with a link to its source. */
import { z } from 'zod'
import { LlmError } from '../../adapters/llm/llm.ts'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { Id } from '../../core/schemas.ts'
import { analyseNewCard, record } from '../cards/record.ts'
import { CARD_TYPES, CaseCreate, CaseResponse, MAX_BODY_BYTES } from '../cards/schemas.ts'
import { requireOwnEvent } from '../memory/own-events.ts'
import { turnParts } from '../memory/turn-content.ts'
import { cleanJson, Findings } from '../redaction/stored.ts'
import { draftByModel } from './draft-by-model.ts'
import { type CardDraft, draftByRules, type Exchange } from './draft-by-rules.ts'

const MOST_EVENTS = 10

const Proposal = z
  .object({
    card_type: z.enum(CARD_TYPES),
    title: z.string(),
    symptom: z.string(),
    root_cause: z.string().nullable(),
    fix_summary: z.string().describe('Empty where the exchange has no report'),
    steps: z.array(z.object({ order: z.int(), action: z.string(), result: z.string() })),
    evidences: z.array(z.object({ kind: z.string(), content: z.string() })),
    method: z.enum(['rules', 'model']),
    redactions: z.array(z.object({ kind: z.string(), count: z.int() })),
  })
  .meta({ id: 'CardProposal' })

const EventIds = z.object({
  raw_id: Id,
  also_raw_ids: z
    .array(Id)
    .max(MOST_EVENTS)
    .default([])
    .describe('Further events of the same exchange, such as the report that answers the message'),
})

type Event = { event_type: string; content: string }

/** Both sides of an exchange, whether it was kept as one turn or as single events. */
export function exchangeOf(events: readonly Event[]): Exchange {
  const messages: string[] = []
  const reports: string[] = []
  for (const { event_type, content } of events) {
    const parts = event_type === 'turn' ? turnParts(content) : null
    if (parts?.message) messages.push(parts.message)
    if (parts?.report) reports.push(parts.report)
    if (event_type === 'user_message') messages.push(content)
    else if (parts === null) reports.push(content)
  }
  const joined = (texts: string[]) => (texts.length === 0 ? null : texts.join('\n\n'))
  return { message: joined(messages), report: joined(reports) }
}

async function draftOf(ctx: UserCtx, exchange: Exchange): Promise<CardDraft & { method: 'rules' | 'model' }> {
  const byRules = draftByRules(exchange)
  const { llm } = ctx.config
  if (!llm) return { ...byRules, method: 'rules' }
  try {
    return { ...(await draftByModel(llm, exchange, byRules)), method: 'model' }
  } catch (error) {
    if (!(error instanceof LlmError || error instanceof SyntaxError)) throw error
    ctx.log.warn({ err: error }, 'the model proposed no card; the rules do')
    return { ...byRules, method: 'rules' }
  }
}

export const proposeCard = capability({
  name: 'memory.propose_card',
  summary: 'A card proposed from an exchange in your memory; nothing is stored',
  description:
    'Title, symptom, root cause and fix are taken from the exchange by rules, or by the model that LLM_BASE_URL names; if that fails, by the rules. Secrets are replaced before the model sees the text and once more in its answer.',
  scopes: ['search'],
  rest: ['POST /api/v1/project-context/events/{raw_id}/card-proposal'],
  limit: 'search',
  idempotency: 'none',
  errors: [404],
  input: EventIds,
  output: Proposal,
  run: async (ctx, { raw_id, also_raw_ids }) => {
    const events = await Promise.all(
      [...new Set([raw_id, ...also_raw_ids])].map((id) => requireOwnEvent(ctx, id)),
    )
    const findings = new Findings()
    // Memory is cleaned when it is written. A rule that is newer than the event may find more.
    const exchange = cleanJson(exchangeOf(events), findings)
    const draft = cleanJson(await draftOf(ctx, exchange), findings)
    return { ...draft, redactions: findings.list() }
  },
})

const evidenceOf = (createdAt: string) => ({
  kind: 'memory',
  content: `An exchange in the memory of the author, ${createdAt.slice(0, 10)}. Only the author can open it.`,
})

export const recordFromMemory = capability({
  name: 'memory.record_card',
  summary: 'Record a card that was made from an exchange in your memory',
  description:
    'Like POST /api/v1/cards. The card keeps the id of the event as source_event_id, which only its owner sees, and gets a piece of evidence of the kind memory.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/project-context/events/{raw_id}/card'],
  status: 201,
  errors: [404, 413],
  maxBodyBytes: MAX_BODY_BYTES,
  input: CaseCreate.extend({ raw_id: Id }).meta({ id: 'CaseFromMemory' }),
  output: CaseResponse,
  prepare: async (ctx, { raw_id, ...card }) => {
    const event = await requireOwnEvent(ctx, raw_id)
    return analyseNewCard(ctx, { ...card, evidences: [...card.evidences, evidenceOf(event.created_at)] })
  },
  run: (ctx, { raw_id, ...card }, words) =>
    inTx(ctx, async (ctx) => {
      const event = await requireOwnEvent(ctx, raw_id)
      const evidences = [...card.evidences, evidenceOf(event.created_at)]
      return record(ctx, { ...card, evidences }, { source_event_id: raw_id }, words)
    }),
})
