import { aiRules } from './ai.ts'
import { cloudRules } from './cloud.ts'
import { databaseRules } from './databases.ts'
import { identityRules } from './identity.ts'
import { messagingRules } from './messaging.ts'
import { observabilityRules } from './observability.ts'
import { ownRules } from './own.ts'
import { paymentRules } from './payment.ts'
import { productivityRules } from './productivity.ts'
import type { Rule } from './rule.ts'
import { sourceHostRules } from './source-hosts.ts'

export const allRules: readonly Rule[] = [
  ...ownRules,
  ...cloudRules,
  ...sourceHostRules,
  ...paymentRules,
  ...messagingRules,
  ...aiRules,
  ...databaseRules,
  ...observabilityRules,
  ...identityRules,
  ...productivityRules,
]
