import { z } from 'zod'
import type { Config } from '../../config.ts'
import { capability } from '../../core/capability.ts'

export const SIGNUP_BONUS = 100
export const PUBLISH_REWARD = 5
export const PUBLIC_SEARCH_COST = 5

export const CreditsPolicy = z
  .object({
    signup_bonus_credits: z.int(),
    unpublished_reward_credits: z.int(),
    publish_reward_credits: z.int(),
    public_search_cost_credits: z.int(),
    generate_cost_credits: z.int(),
    hit_only_billing: z.boolean(),
    publisher_reward_on_hit: z.boolean(),
    credits_off: z
      .literal(true)
      .optional()
      .describe('Only present, and true, on a server with CREDITS=off, where nothing is ever charged.'),
  })
  .meta({ id: 'CreditsPolicy' })

export const policyOf = (config: Config): z.input<typeof CreditsPolicy> => ({
  signup_bonus_credits: SIGNUP_BONUS,
  unpublished_reward_credits: 0,
  publish_reward_credits: PUBLISH_REWARD,
  public_search_cost_credits: config.credits ? PUBLIC_SEARCH_COST : 0,
  generate_cost_credits: 0,
  hit_only_billing: true,
  publisher_reward_on_hit: false,
  ...(config.credits ? {} : { credits_off: true as const }),
})

export const readPolicy = capability({
  name: 'credits.policy',
  summary: 'What costs and what earns credits',
  scopes: 'public',
  rest: ['GET /api/v1/credits/policy'],
  input: z.object({}),
  output: CreditsPolicy,
  run: async (ctx) => policyOf(ctx.config),
})
