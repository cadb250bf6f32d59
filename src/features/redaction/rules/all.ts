import { AI_RULES } from './ai.ts'
import { CLOUD_RULES } from './cloud.ts'
import { DATABASE_RULES } from './databases.ts'
import { IDENTITY_RULES } from './identity.ts'
import { MESSAGING_RULES } from './messaging.ts'
import { OBSERVABILITY_RULES } from './observability.ts'
import { OWN_RULES } from './own.ts'
import { PAYMENT_RULES } from './payment.ts'
import { PRODUCTIVITY_RULES } from './productivity.ts'
import type { Rule } from './rule.ts'
import { SOURCE_HOST_RULES } from './source-hosts.ts'

export const ALL_RULES: readonly Rule[] = [
  ...OWN_RULES,
  ...CLOUD_RULES,
  ...SOURCE_HOST_RULES,
  ...PAYMENT_RULES,
  ...MESSAGING_RULES,
  ...AI_RULES,
  ...DATABASE_RULES,
  ...OBSERVABILITY_RULES,
  ...IDENTITY_RULES,
  ...PRODUCTIVITY_RULES,
]
