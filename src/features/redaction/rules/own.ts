import { token } from './rule.ts'

export const OWN_RULES = [
  token('knowledge_vault_api_key', 'kv_', '[A-Za-z0-9_-]{40}'),
  token('knowledge_vault_session', 'kvs_', '[A-Za-z0-9_-]{32,128}'),
]
