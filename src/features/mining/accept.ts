import type { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { requireScope } from '../../core/invoke.ts'
import type { CardDraftsTable } from '../../db/knowledge-schema.ts'
import { draftCard } from '../../shared/draft-text.ts'
import { evidencesOf } from '../../shared/mining.ts'
import { CaseCreate, readableCard, record } from '../cards/index.ts'
import { defaultWorkspaceOf, homeOfCredential, requireUser } from '../identity/index.ts'
import { verifyCard } from '../trust/index.ts'
import {
  candidateOf,
  DraftAccept,
  DraftAccepted,
  decideDraft,
  refuseDecided,
  requireDraft,
} from './drafts.ts'

type Accepting = z.output<typeof DraftAccept>
type Accepted = z.input<typeof DraftAccepted>

const NO_FIX = 'The session does not say what the fix is. Write it in fix_summary.'

/** Returns the default workspace, or null if the credential has a home of its own, which then applies. */
const homeFor = async (ctx: UserCtx): Promise<string | null> =>
  (await homeOfCredential(ctx)) === null
    ? defaultWorkspaceOf(ctx, await requireUser(ctx, ctx.viewer.userId))
    : null

async function acceptAsCard(ctx: UserCtx, row: CardDraftsTable, input: Accepting): Promise<Accepted> {
  const { draft_id, as: _, card_id: __, workspace_id, ...edits } = input
  const candidate = candidateOf(row)
  const given = Object.fromEntries(Object.entries(edits).filter(([, value]) => value !== undefined))
  const words = { ...draftCard(candidate), ...given }
  if (words.fix_summary.trim() === '') throw invalid('fix_summary', NO_FIX)
  const home = workspace_id ?? (await homeFor(ctx))
  const card = CaseCreate.parse({ ...words, workspace_id: home, evidences: evidencesOf(candidate) })
  const { card_id, title, warnings = [] } = await record(ctx, card)
  return { draft_id, card_id, outcome: 'recorded', title, has_warnings: warnings.length > 0 }
}

async function acceptAsVerdict(ctx: UserCtx, row: CardDraftsTable, input: Accepting): Promise<Accepted> {
  const cardId = input.card_id ?? row.looks_like
  if (cardId === null) throw invalid('card_id', 'No card looks like this draft. Name the card that worked.')
  const { command, success, environment } = candidateOf(row)
  const { card_id } = await verifyCard.run(
    ctx,
    {
      card_id: cardId,
      outcome: 'worked',
      environment: input.environment ?? environment,
      evidence: `$ ${command}\n${success}`,
      applied_in: row.project_key,
    },
    undefined,
  )
  const { title } = await readableCard(ctx, card_id)
  return { draft_id: row.draft_id, card_id, outcome: 'confirmed', title, has_warnings: false }
}

export const acceptDraft = capability({
  name: 'drafts.accept',
  summary: 'Turn a draft into a card, or into a verdict that a card worked',
  description:
    'The given fields replace those of the draft. The card is unpublished, with both outputs as evidence. It needs the scope case:write too; a verdict does not.',
  scopes: ['record'],
  rest: ['POST /api/v1/drafts/{draft_id}/accept'],
  status: 201,
  maxBodyBytes: 2 * 1024 * 1024,
  input: DraftAccept,
  output: DraftAccepted,
  errors: [404, 409, 413],
  run: (ctx, input) => {
    if (input.as === 'card') requireScope(ctx, 'case:write')
    return inTx(ctx, async (ctx) => {
      const row = await requireDraft(ctx, input.draft_id)
      refuseDecided(row)
      const accepted =
        input.as === 'card' ? await acceptAsCard(ctx, row, input) : await acceptAsVerdict(ctx, row, input)
      const decision = { card_id: accepted.card_id, decided_at: ctx.now().toISOString() }
      // If two clients decide at once, one transaction fails or waits, so that only one card is created.
      if (!(await decideDraft(ctx.db, row, { status: 'accepted', ...decision })))
        refuseDecided(await requireDraft(ctx, input.draft_id))
      return accepted
    })
  },
})
