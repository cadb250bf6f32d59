// The API description with what a stranger cannot know filled in: ids of things that exist.
import { expect } from 'vitest'
import type { LiveVault, Person } from '../support/live.ts'

type Json = Record<string, unknown>
type Operation = { operationId: string; parameters?: Json[]; responses: Record<string, Json> }

export type Api = { paths: Record<string, Record<string, Operation>> }

/** Operations that would end the tester's own account, session or passwords, and those for administrators of the service. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  account_delete: 'ends the account that asks',
  account_delete_by_password: 'ends the account that asks',
  account_sign_out_everywhere: 'ends the key that asks',
  keys_end_current: 'ends the key that asks',
  keys_create_for_agent: 'is for an app that was granted agent-keys; no key carries that scope',
  service_warnings: 'is for administrators of the service',
  server_settings_read: 'is for administrators of the service',
  server_settings_change: 'is for administrators of the service',
  account_logout: 'ends the session that asks',
  account_change_password: 'ends all other sessions',
  audit_all: 'is for administrators of the service',
  credits_reconcile: 'is for administrators of the service',
  support_list_tickets: 'is for administrators of the service',
  support_get_ticket: 'is for administrators of the service',
  support_close_ticket: 'is for administrators of the service',
  support_attachment: 'is for administrators of the service',
}

const CARD = {
  title: 'Uploads fail when the disk is full',
  symptom: 'The upload ends with status 500 and the log says that no space is left on the device.',
  fix_summary:
    'Remove the old files under the data folder and restart the service, then send the upload again.',
  root_cause: 'The disk of the data folder was full.',
}
const EVENT = { project_key: 'org/repo', event_type: 'user_message', content: 'Hello' }

/** Makes what an operation's path names, anew for each operation: one may use up what another needs. */
async function thingFor(
  path: string,
  name: string,
  { person, colleague }: { person: Person; colleague: Person },
): Promise<string | undefined> {
  const make = async (url: string, body: object, field: string): Promise<string> => {
    const { status, body: made } = await person.post(url, body)
    expect(status, JSON.stringify(made)).toBeLessThan(300)
    return made[field]
  }
  switch (name) {
    case 'card_id':
    case 'case_id':
      return make('/api/v1/cards', CARD, 'card_id')
    case 'key_id':
      return make('/api/v1/auth/api-keys', { name: 'to delete' }, 'key_id')
    case 'raw_id':
      return path.includes('raw-materials')
        ? make('/api/v1/raw-materials', { content: 'a log' }, 'raw_id')
        : make('/api/v1/project-context/events', EVENT, 'raw_id')
    case 'workspace_id':
      return make('/api/v1/workspaces', { name: 'Team' }, 'workspace_id')
    case 'user_id':
      return colleague.userId
    default:
      return undefined
  }
}

/** What the tester cannot use: versions it cannot know, and patterns that its generator of texts misreads. */
function withoutUnusable(api: Api): Api {
  const text = JSON.stringify(api, (key, value) =>
    key === 'pattern' && typeof value === 'string' ? undefined : value,
  )
  const copy: Api = JSON.parse(text)
  for (const item of Object.values(copy.paths))
    for (const operation of Object.values(item))
      operation.parameters = operation.parameters?.filter(({ name }) => name !== 'If-Match') ?? []
  return copy
}

export async function preparedApi(vault: LiveVault, person: Person, colleague: Person): Promise<Api> {
  const api = withoutUnusable((await (await fetch(`${vault.url}/openapi.json`)).json()) as Api)
  for (const [path, item] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.operationId in LEFT_OUT) delete item[method]
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in !== 'path') continue
        const known = await thingFor(path, String(parameter.name), { person, colleague })
        if (known !== undefined) parameter.schema = { type: 'string', enum: [known] }
      }
    }
    if (Object.keys(item).length === 0) delete api.paths[path]
  }
  return api
}
