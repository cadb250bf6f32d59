import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { AppError, invalid } from '../../core/errors.ts'
import { AnswerId, Id } from '../../core/schemas.ts'
import { toJson } from '../../db/columns.ts'
import { audit } from '../audit/index.ts'
import { shareCard } from '../cards/index.ts'
import { isOwnPrivateTeam, requireUser, settingsOf, sharesByDefault, updateUser } from '../identity/index.ts'
import { requireRole } from '../permissions/index.ts'

const Sharing = z
  .object({
    workspace_id: AnswerId.nullable().describe('The team with which the person shares what is recorded'),
    answered: z.boolean().describe('Whether the person has answered the question'),
    teams: z
      .array(z.object({ workspace_id: AnswerId, name: z.string() }))
      .describe('The private teams where the person is editor or admin, oldest membership first'),
    earlier_cards: z
      .int()
      .describe(
        'Own cards that nobody else reads and that sharing has not moved: drafts in the personal workspace',
      ),
  })
  .meta({ id: 'RecordedSharing' })

const teamsOf = ({ db, viewer }: UserCtx) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'memberships.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.name'])
    .where('memberships.user_id', '=', viewer.userId)
    .where('memberships.role', 'in', ['editor', 'admin'])
    .where('workspaces.visibility', '=', 'private')
    .where('workspaces.type', '!=', 'personal')
    .where('workspaces.deleted_at', 'is', null)
    .orderBy('memberships.created_at')
    .orderBy('workspaces.workspace_id')
    .execute()

const earlierCards = (ctx: Ctx, userId: string, personalId: string) =>
  ctx.db
    .selectFrom('cards')
    .where('owner_id', '=', userId)
    .where('workspace_id', '=', personalId)
    .where('status', '=', 'unpublished')
    .where('deleted_at', 'is', null)
    .where('hidden_at', 'is', null)
    .where('sample', 'is', null)
    .where('origin', 'is', null)

async function sharingOf(ctx: UserCtx): Promise<z.input<typeof Sharing>> {
  const user = await requireUser(ctx, ctx.viewer.userId)
  const { default_workspace_id, sharing_answered } = settingsOf(user)
  const { cards } = await earlierCards(ctx, user.user_id, user.personal_workspace_id)
    .select(({ fn }) => fn.countAll<number>().as('cards'))
    .executeTakeFirstOrThrow()
  return {
    workspace_id: (await sharesByDefault(ctx, user)) ? default_workspace_id : null,
    answered: sharing_answered,
    teams: await teamsOf(ctx),
    earlier_cards: cards,
  }
}

export const readSharing = capability({
  name: 'sharing.read',
  summary: 'Whether what you and your agents record is shared with a team',
  scopes: ['account'],
  rest: ['GET /api/v1/user/sharing'],
  input: z.object({}),
  output: Sharing,
  run: sharingOf,
})

/** Keys with another default workspace keep it: somebody chose that place for them. */
async function chooseForKeys(ctx: UserCtx, team: string | null, former: string | null): Promise<void> {
  const keys = ctx.db.updateTable('api_keys').where('user_id', '=', ctx.viewer.userId)
  if (former !== null && former !== team)
    await keys
      .set({ share_recorded: 0, default_workspace_id: null })
      .where('share_recorded', '=', 1)
      .where('default_workspace_id', '=', former)
      .execute()
  if (team !== null)
    await keys
      .set({ share_recorded: 1, default_workspace_id: team })
      .where((eb) => eb.or([eb('default_workspace_id', 'is', null), eb('default_workspace_id', '=', team)]))
      .execute()
}

export const chooseSharing = capability({
  name: 'sharing.choose',
  summary: 'Share what you and your agents record with a private team, or stop it',
  description:
    'It holds for the web app, for connected apps, and for your API keys, except keys with another default workspace. Cards recorded before stay where they are. It ends when you leave the team.',
  scopes: ['account'],
  rest: ['PUT /api/v1/user/sharing'],
  errors: [403, 404],
  input: z
    .object({ workspace_id: Id.nullable().describe('Null: share nothing by itself') })
    .meta({ id: 'RecordedSharingChoice' }),
  output: Sharing,
  run: (ctx, { workspace_id: team }) =>
    inTx(ctx, async (ctx) => {
      const user = await requireUser(ctx, ctx.viewer.userId)
      if (team !== null) await requireRole(ctx, team, 'editor')
      if (team !== null && !(await isOwnPrivateTeam(ctx, team, user.user_id)))
        throw invalid('workspace_id', 'Choose a private team')
      const settings = settingsOf(user)
      const former = settings.share_recorded ? settings.default_workspace_id : null
      await chooseForKeys(ctx, team, former)
      const home = team ?? (former === null ? settings.default_workspace_id : null)
      const chosen = { default_workspace_id: home, share_recorded: team !== null, sharing_answered: true }
      await updateUser(ctx.db, user.user_id, {
        settings: toJson({ ...settings, ...chosen }),
        updated_at: ctx.now().toISOString(),
      })
      await audit(ctx, {
        action: 'sharing.chosen',
        subject: { type: 'user', id: user.user_id },
        details: { workspace_id: team },
      })
      return sharingOf(ctx)
    }),
})

/** Cards of one request; the answer says how many are left. */
const MAX_SHARED_AT_ONCE = 100

export const shareEarlierCards = capability({
  name: 'sharing.share_earlier',
  summary: 'Share the cards that you recorded before, with the team that you chose',
  description: `Moves at most ${MAX_SHARED_AT_ONCE} of your private drafts there and shares them, each in a step of its own. A card that may not be shared, such as one with a secret, stays private.`,
  scopes: ['account'],
  rest: ['POST /api/v1/user/sharing/earlier'],
  input: z.object({}),
  output: z
    .object({
      shared: z.int(),
      kept: z.array(z.object({ card_id: AnswerId, title: z.string(), reason: z.string() })),
    })
    .meta({ id: 'EarlierCardsShared' }),
  run: async (ctx) => {
    const user = await requireUser(ctx, ctx.viewer.userId)
    if (!(await sharesByDefault(ctx, user)))
      throw invalid('workspace_id', 'Choose the team first: PUT /api/v1/user/sharing')
    const workspace_id = settingsOf(user).default_workspace_id ?? undefined
    const cards = await earlierCards(ctx, user.user_id, user.personal_workspace_id)
      .select(['card_id', 'title'])
      .orderBy('created_at')
      .orderBy('card_id')
      .limit(MAX_SHARED_AT_ONCE)
      .execute()
    const kept: { card_id: string; title: string; reason: string }[] = []
    for (const { card_id, title } of cards)
      try {
        await shareCard.run(ctx, { card_id, workspace_id }, undefined)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        kept.push({ card_id, title, reason: error.message })
      }
    return { shared: cards.length - kept.length, kept }
  },
})
