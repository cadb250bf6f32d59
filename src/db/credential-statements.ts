import type { OperationNode, UpdateQueryNode } from 'kysely'

/** What must be told when it goes: rows that make a credential, and columns of a person that decide what one may do. */
export const CREDENTIAL_TABLES = new Set(['api_keys', 'sessions', 'users', 'oauth_grants', 'oauth_tokens'])
const DECIDING_COLUMNS: Record<string, ReadonlySet<string>> = {
  api_keys: new Set(['key_hash', 'user_id', 'scopes', 'expires_at']),
  sessions: new Set(['token_hash', 'user_id']),
  users: new Set(['email_normal', 'email_verified', 'service_admin', 'deleted_at']),
  oauth_grants: new Set(['user_id', 'resource']),
  oauth_tokens: new Set(['token_hash', 'scopes', 'expires_at']),
}

const tableOf = (node: OperationNode | undefined): string => {
  if (node === undefined) return ''
  if (node.kind === 'AliasNode') return tableOf((node as unknown as { node: OperationNode }).node)
  const { table } = node as unknown as { table?: { identifier?: { name: string } } }
  return table?.identifier?.name ?? ''
}

function setsDecidingColumn(table: string, { updates }: UpdateQueryNode): boolean {
  const deciding = DECIDING_COLUMNS[table]
  return (updates ?? []).some(({ column }) => {
    const name = (column as unknown as { column?: { name: string } }).column?.name
    return name === undefined || deciding?.has(name) === true
  })
}

/** Whether a statement may end a credential or change what it may do. Noting when one was used does neither. */
export function takesCredentials(node: OperationNode): boolean {
  if (node.kind === 'DeleteQueryNode') {
    const { froms } = (node as unknown as { from: { froms: readonly OperationNode[] } }).from
    return froms.some((from) => CREDENTIAL_TABLES.has(tableOf(from)))
  }
  if (node.kind !== 'UpdateQueryNode') return false
  const update = node as UpdateQueryNode
  const table = tableOf(update.table)
  return CREDENTIAL_TABLES.has(table) && setsDecidingColumn(table, update)
}
