import type { ExpressionBuilder } from 'kysely'
import type { Schema } from '../../db/schema.ts'

/** It is the last verdict of its person on the card in its environment, and is not withdrawn. */
export const stands = (eb: ExpressionBuilder<Schema, 'card_verdicts'>) =>
  eb.and([
    eb('card_verdicts.outcome', '<>', 'withdrawn'),
    eb.not(
      eb.exists(
        eb
          .selectFrom('card_verdicts as later')
          .select('later.verdict_id')
          .whereRef('later.card_id', '=', 'card_verdicts.card_id')
          .whereRef('later.user_id', '=', 'card_verdicts.user_id')
          .whereRef('later.environment_key', '=', 'card_verdicts.environment_key')
          .whereRef('later.verdict_id', '>', 'card_verdicts.verdict_id'),
      ),
    ),
  ])
