/** Columns that decide who a credential belongs to and what it may do, by the tables that hold them. */
const DECIDING_COLUMNS: Record<string, ReadonlySet<string>> = {
  api_keys: new Set(['key_hash', 'user_id', 'scopes', 'expires_at']),
  sessions: new Set(['token_hash', 'user_id']),
  users: new Set(['email_normal', 'email_verified', 'service_admin', 'deleted_at']),
  oauth_grants: new Set(['user_id', 'resource']),
  oauth_tokens: new Set(['token_hash', 'scopes', 'expires_at']),
}

const TABLES = Object.keys(DECIDING_COLUMNS).join('|')
const NAME = `"?(${TABLES})"?(?!\\w)`
const TABLE = `"?(?<table>${TABLES})"?(?!\\w)`
const MENTIONED = new RegExp(`\\b${NAME}`, 'i')
/** Rows, or the table itself, that go whatever columns they have. */
const REMOVES = new RegExp(
  `\\b(delete\\s+from|truncate(\\s+table)?|drop\\s+table(\\s+if\\s+exists)?|alter\\s+table|replace\\s+into|merge\\s+into)\\s+(only\\s+)?${NAME}`,
  'i',
)
const UPDATES = new RegExp(
  `\\bupdate\\s+(or\\s+\\w+\\s+)?(only\\s+)?${TABLE}[^;]*?\\bset\\s+(?<columns>[^;]*)`,
  'gi',
)
const UPSERTS = new RegExp(
  `\\binsert\\s+(or\\s+replace\\s+)?into\\s+${TABLE}[^;]*?\\bdo\\s+update\\s+set\\s+(?<columns>[^;]*)`,
  'gi',
)
const REPLACES = new RegExp(`\\binsert\\s+or\\s+replace\\s+into\\s+${NAME}`, 'i')
const ASSIGNED = /\b(\w{1,63})"?\s{0,9}=/g
const END_OF_ASSIGNMENTS = /\b(where|returning|from)\b/i

/** Whether one of the assigned columns decides; where none can be read, any may. */
function setsDecidingColumn(table: string, columns: string): boolean {
  const [assignments = ''] = columns.split(END_OF_ASSIGNMENTS, 1)
  const names = Array.from(assignments.matchAll(ASSIGNED), (match) => match[1] ?? '')
  const deciding = DECIDING_COLUMNS[table.toLowerCase()]
  return names.length === 0 || names.some((name) => deciding?.has(name.toLowerCase()))
}

/**
 * Whether a statement may end a credential or change what it may do. Noting when one was used does neither. Judged by its text, as the
 * engine gets it: a query that was built, one that was compiled once and raw SQL look the same there. What cannot be told counts
 * as yes, since a look too many costs little.
 */
export function takesCredentials(statement: string): boolean {
  if (!MENTIONED.test(statement)) return false
  if (REMOVES.test(statement) || REPLACES.test(statement)) return true
  for (const pattern of [UPDATES, UPSERTS])
    for (const match of statement.matchAll(pattern))
      if (setsDecidingColumn(match.groups?.table ?? '', match.groups?.columns ?? '')) return true
  return false
}
