// What somebody writes who has generated types from /openapi.json and calls by them.
import createClient from 'openapi-fetch'
import type { components, paths } from './generated/api.js'

type Card = components['schemas']['CaseResponse']
type Failure = components['schemas']['ErrorResponse'] | components['schemas']['HTTPValidationError']

const [baseUrl = '', key = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } })

function must<T>({ data, error }: { data?: T; error?: Failure }): T {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

const draft: components['schemas']['CaseCreate'] = {
  title: 'A client made by openapi-typescript',
  symptom: 'One wants to call the vault with types that come from its own description.',
  fix_summary: 'Generate the types, make a client of openapi-fetch, and send the key as a header.',
  evidences: [{ kind: 'log', content: 'It compiles', meta: { seconds: 3 } }],
}

const card: Card = must(await client.POST('/api/v1/cards', { body: draft }))
const created: string = card.created_at
const change: components['schemas']['CaseUpdate'] = { scope_notes: 'Node and browsers' }
const params = { path: { card_id: card.card_id } }
const changed = must(await client.PATCH('/api/v1/cards/{card_id}', { params, body: change }))
const rating: components['schemas']['FeedbackCreate'] = { kind: 'useful' }
must(await client.POST('/api/v1/cards/{card_id}/feedback', { params, body: rating }))

const answer = must(await client.POST('/mcp/tools/search_records', { body: { query: 'openapi-typescript' } }))
const first: string | undefined = answer.data.results[0]?.card_id
const isCalled: 'search_records' = answer.tool
const settings = must(await client.PUT('/api/v1/user/settings', {}))

// @ts-expect-error: there is no such type of card
export const wrong: components['schemas']['CaseCreate'] = { ...draft, card_type: 'poem' }
// @ts-expect-error: a card has no such field
export const missing = card.no_such_field

console.log(
  JSON.stringify({ created, version: changed.version, first, isCalled, language: settings.language }),
)
