import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { DAY_MS } from '../../core/day.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { requireRole } from '../permissions/permission.ts'
import { countCalls, countItems, countMembers, countVerdicts, recoveriesOf } from './effects.store.ts'
import { countRepeats } from './repeats.ts'

/** A count is always shown with the total that it is part of. */
const share = (what: string, of: string) =>
  z.object({ count: z.int().describe(what), of: z.int().describe(of) })

export const EffectsResponse = z
  .object({
    since: Time,
    workspace_id: AnswerId.nullable(),
    people: z.int().describe('Whose figures are added up'),
    answered: share(
      'Times that recall delivered something',
      'Times that it was asked, at a failure or a prompt; for a workspace only those that its cards answered',
    ),
    opened: share('Cards that were read within a day', 'Cards that were delivered'),
    judged: share('Cards that the same person judged afterwards', 'Cards that were delivered'),
    worked: share('Cards that worked', 'Cards that were judged'),
    avoided: share(
      'Errors that took fewer attempts than the first time',
      'Errors that were seen again after a card was delivered for them',
    ),
    characters: share('Characters handed to agents', 'Times that recall delivered something'),
  })
  .meta({ id: 'EffectsResponse' })

export const readEffects = capability({
  name: 'effects.read',
  summary: 'What recall did for you, or for a team: each count with its total',
  description:
    'With workspace_id: the sums over its members, for the cards of that workspace only. It does not say who did what, nor how often agents asked.',
  scopes: ['search'],
  rest: ['GET /api/v1/effects'],
  input: z.object({ workspace_id: Id.optional(), days: z.int().min(1).max(365).default(30) }),
  output: EffectsResponse,
  errors: [404],
  run: async (ctx, { workspace_id, days }) => {
    if (workspace_id !== undefined) await requireRole(ctx, workspace_id, 'viewer')
    const since = new Date(ctx.now().getTime() - days * DAY_MS).toISOString()
    const asked = { userId: ctx.viewer.userId, workspaceId: workspace_id, since }
    const calls = await countCalls(ctx.db, asked)
    const { delivered, opened } = await countItems(ctx.db, asked)
    const { judged, worked } = await countVerdicts(ctx.db, asked)
    const repeats = countRepeats(await recoveriesOf(ctx.db, asked))
    return {
      since,
      workspace_id: workspace_id ?? null,
      people: workspace_id === undefined ? 1 : await countMembers(ctx.db, workspace_id),
      answered: { count: calls.answered, of: calls.all },
      opened: { count: opened, of: delivered },
      judged: { count: judged, of: delivered },
      worked: { count: worked, of: judged },
      avoided: { count: repeats.fewer, of: repeats.seen_again },
      characters: { count: calls.chars, of: calls.answered },
    }
  },
})
