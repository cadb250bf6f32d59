// What somebody writes who has generated a whole client from /openapi.json.
import { client } from './generated/client.gen.js'
import {
  cardsRecord,
  cardsUpdate,
  feedbackGive2,
  settingsReplace,
  toolSearchRecords,
} from './generated/sdk.gen.js'
import type { CaseCreate, CaseResponse, CaseUpdate, FeedbackCreate } from './generated/types.gen.js'

const [baseUrl = '', key = ''] = process.argv.slice(2)
client.setConfig({ baseUrl, auth: key })

const draft: CaseCreate = {
  title: 'A client made by hey-api',
  symptom: 'One wants functions for each operation, without writing them by hand.',
  fix_summary: 'Generate the client, set address and key once, and call the functions.',
  evidences: [{ kind: 'log', content: 'It compiles', meta: { seconds: 3 } }],
}

const throwing = { throwOnError: true as const }
const card: CaseResponse = (await cardsRecord({ ...throwing, body: draft })).data
const created: string = card.created_at
const change: CaseUpdate = { scope_notes: 'Node and browsers' }
const path = { card_id: card.card_id }
const changed = (await cardsUpdate({ ...throwing, path, body: change })).data
const rating: FeedbackCreate = { kind: 'useful' }
await feedbackGive2({ ...throwing, path, body: rating })

const answer = (await toolSearchRecords({ ...throwing, body: { query: 'hey-api client' } })).data
const first: string | undefined = answer.data.results[0]?.card_id
const isCalled: 'search_records' = answer.tool
const settings = (await settingsReplace(throwing)).data

// @ts-expect-error: there is no such type of card
export const wrong: CaseCreate = { ...draft, card_type: 'poem' }
// @ts-expect-error: a card has no such field
export const missing = card.no_such_field

console.log(
  JSON.stringify({ created, version: changed.version, first, isCalled, language: settings.language }),
)
