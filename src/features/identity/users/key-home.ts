import type { UserCtx } from '../../../core/context.ts'
import { type Named, prepared } from '../../../db/prepared.ts'

const homeOfKey = prepared((db, parameter: Named<{ key: string }>) =>
  db.selectFrom('api_keys').select('default_workspace_id').where('key_id', '=', parameter('key')),
)

/** The workspace that the API key of this call names as the home of new cards; null: none. */
export async function homeOfCredential({ db, viewer }: UserCtx): Promise<string | null> {
  const { kind, id } = viewer.credential
  if (kind !== 'api_key') return null
  const [key] = await homeOfKey(db, { key: id })
  return key?.default_workspace_id ?? null
}
