import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { Time } from '../../core/schemas.ts'
import { firstStepFacts, noteFirstStep } from './first-steps.store.ts'

/** In the order in which the checklist shows them. */
const STEPS = ['key', 'call', 'card', 'search', 'invite'] as const

export const FirstSteps = z
  .object({
    steps: z.array(
      z.object({
        step: z
          .enum(STEPS)
          .describe(
            'key: an API key or a connected app; call: one of them was used; card: a card of your own; search; invite: somebody else is in a team of yours, or was invited',
          ),
        done: z.boolean(),
      }),
    ),
    done: z.boolean().describe('All of them'),
    dismissed_at: Time.nullable(),
    sample_cards: z.int().describe('How many sample cards you have'),
  })
  .meta({ id: 'FirstSteps' })

async function read(ctx: UserCtx): Promise<z.input<typeof FirstSteps>> {
  const facts = await firstStepFacts(ctx.db, ctx.viewer.userId)
  const isDone: Record<(typeof STEPS)[number], boolean> = {
    key: facts.keys > 0,
    call: facts.calls > 0,
    card: facts.cards > 0,
    search: facts.searched_at !== null,
    invite: facts.invites > 0,
  }
  const steps = STEPS.map((step) => ({ step, done: isDone[step] }))
  return {
    steps,
    done: steps.every(({ done }) => done),
    dismissed_at: facts.dismissed_at,
    sample_cards: facts.samples,
  }
}

export const readFirstSteps = capability({
  name: 'first_steps.read',
  summary: 'Which first steps are done',
  scopes: ['account'],
  rest: ['GET /api/v1/auth/first-steps'],
  input: z.object({}),
  output: FirstSteps,
  run: read,
})

export const dismissFirstSteps = capability({
  name: 'first_steps.dismiss',
  summary: 'Put the checklist of the first steps away; twice changes nothing',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/first-steps/dismiss'],
  input: z.object({}),
  output: FirstSteps,
  run: (ctx) =>
    inTx(ctx, async (ctx) => {
      const before = await read(ctx)
      if (before.dismissed_at !== null) return before
      const dismissed_at = ctx.now().toISOString()
      await noteFirstStep(ctx.db, ctx.viewer.userId, { dismissed_at })
      return { ...before, dismissed_at }
    }),
})
