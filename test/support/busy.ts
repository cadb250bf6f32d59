import { goodCard } from './cards.ts'
import type { Client } from './client.ts'
import type { TestVault } from './engines.ts'

/** A multipart form as a browser sends it. */
export function formOf(fields: Record<string, string>, file: { name: string; bytes: string }) {
  const boundary = `----${crypto.randomUUID()}`
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  parts.push(
    `--${boundary}\r\ncontent-disposition: form-data; name="attachments"; filename="${file.name}"\r\ncontent-type: text/plain\r\n\r\n${file.bytes}\r\n--${boundary}--\r\n`,
  )
  return { body: parts.join(''), contentType: `multipart/form-data; boundary=${boundary}` }
}

const expectOk = (what: string, status: number, text = '') => {
  if (status >= 300) throw new Error(`${what}: ${status} ${text}`)
}

/** Every kind of thing that a vault keeps, made through its own doors. Returns the secrets that were given out. */
export async function busyVault(t: Pick<TestVault, 'user'>, round = 0) {
  const secrets: string[] = []
  const [author, reader] = [await t.user(`author${round}`), await t.user(`reader${round}`)]
  secrets.push(author.token, reader.token, 'correct horse battery')
  const call = async (who: Client, method: 'post' | 'patch' | 'put', url: string, body?: unknown) => {
    const answer = await who[method](url, body)
    expectOk(url, answer.status, answer.text)
    return answer.body
  }
  const key = await call(author, 'post', '/api/v1/auth/api-keys', { name: 'agent' })
  secrets.push(key.api_key)
  const team = await call(author, 'post', '/api/v1/workspaces', { name: `Team ${round}` })
  const invited = await call(author, 'post', `/api/v1/workspaces/${team.workspace_id}/invites`, {
    email: reader.email,
    role: 'editor',
  })
  secrets.push(invited.token)
  await call(reader, 'post', '/api/v1/workspaces/invites/accept', { token: invited.token })
  const pending = await call(author, 'post', `/api/v1/workspaces/${team.workspace_id}/invites`, {
    email: `later${round}@example.com`,
  })
  secrets.push(pending.token)
  const card = await call(author, 'post', '/api/v1/cards', {
    ...goodCard(),
    tags: ['pool', 'Ünïcode 🧪'],
    environment: { node: '24.1', os: 'linux' },
    evidences: [{ kind: 'log', content: 'first\u2028line\nsecond' }],
    steps: [{ order: 1, action: 'measure', result: 'known' }],
  })
  await call(author, 'patch', `/api/v1/cards/${card.card_id}`, { root_cause: 'A missing release' })
  await call(author, 'post', `/api/v1/cards/${card.card_id}/publish`)
  await call(reader, 'post', `/api/v1/cases/${card.card_id}/feedback`, { kind: 'useful' })
  await call(reader, 'post', '/api/v1/search', { query: card.title, scope: 'public' })
  const shared = await call(reader, 'post', '/api/v1/cards', {
    ...goodCard(),
    workspace_id: team.workspace_id,
  })
  await call(reader, 'post', `/api/v1/cards/${shared.card_id}/share`)
  const deleted = await call(author, 'post', '/api/v1/cards', goodCard())
  expectOk('delete', (await author.delete(`/api/v1/cards/${deleted.card_id}`)).status)
  const turn = await call(author, 'post', '/api/v1/project-context/turns', {
    project_key: 'https://github.com/example/vault.git',
    user_message: `Why does needle${round} break?`,
    agent_report: 'The pool was empty.',
    summary: 'Looking at the pool',
    facts: ['Node 24', 'SQLite'],
    project_preferences: ['short answers'],
  })
  await call(author, 'post', '/api/v1/raw-materials', { title: 'Notes', content: 'some text', tags: ['a'] })
  await call(author, 'put', '/api/v1/user/settings', { language: 'de' })
  const code = await call(author, 'post', '/api/v1/billing/invites', { note: 'for a colleague' })
  await call(reader, 'post', '/api/v1/billing/redeem-invite', { code: code.code })
  const form = formOf(
    { email: author.email, subject: 'Help', message: 'It does not start' },
    { name: 'log.txt', bytes: `line\n`.repeat(1000) },
  )
  const ticket = await author.post('/api/v1/support/tickets', form.body, { 'content-type': form.contentType })
  expectOk('ticket', ticket.status, ticket.text)
  return {
    author,
    reader,
    card,
    shared,
    turn,
    team,
    ticketId: ticket.body.ticket_id as string,
    secrets,
    pending,
  }
}
