// Runs on the Node of any runner, 20 or newer, without packages.
import { appendFileSync, readFileSync } from 'node:fs'

const MAX_LINES = 15
const MAX_QUERY = 1500
const { KVAULT_URL, KVAULT_API_KEY, KVAULT_SCOPE, LOG_FILE, GITHUB_STEP_SUMMARY } = process.env
/** An address that was copied from a browser ends with a slash. */
const vault = KVAULT_URL?.replace(/\/+$/, '')

/** The end of the log, without colours, times of day and empty lines. */
const queryOf = (log) =>
  log
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal begin with one
    .replace(/\u001b\[[0-9;]*m/g, '')
    .split('\n')
    .map((line) => line.replace(/^\S*\d\d:\d\d:\d\d\S*\s*/, '').trim())
    .filter(Boolean)
    .slice(-MAX_LINES)
    .join('\n')
    .slice(-MAX_QUERY)

async function search(query) {
  const answer = await fetch(`${vault}/api/v1/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': KVAULT_API_KEY },
    body: JSON.stringify({ query, scope: KVAULT_SCOPE, limit: 3 }),
    signal: AbortSignal.timeout(20_000),
  })
  const body = await answer.json()
  if (!answer.ok) throw new Error(typeof body.detail === 'string' ? body.detail : JSON.stringify(body.detail))
  return body.results
}

/** A card is somebody's text: what could be markup in the summary is taken for what it is, text. */
const plain = (text) => text.replace(/[<>&`*_[\]|\\]/g, (sign) => `&#${sign.charCodeAt(0)};`)

try {
  const results = await search(queryOf(readFileSync(LOG_FILE, 'utf8')))
  const cards = results.map(
    (hit) =>
      `### ${plain(hit.title)}\n\n${plain(hit.fix_summary)}\n\n[Open](${vault}/cards/${hit.card_id})\n`,
  )
  const text = cards.length > 0 ? cards.join('\n') : 'Nothing about this failure is in the vault yet.\n'
  appendFileSync(GITHUB_STEP_SUMMARY, `## Knowledge Vault\n\n${text}`)
  console.log(`Cards found: ${results.length}`)
} catch (error) {
  console.log(`::warning::Knowledge Vault: ${error.message.replaceAll('\n', ' ')}`)
}
