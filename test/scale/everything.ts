import { expect } from 'vitest'
import type { Answer } from '../support/client.ts'
import type { TestVault } from '../support/engines.ts'
import { foreignCard } from '../support/foreign-card.ts'

const fine = async (answer: Promise<Answer>): Promise<Answer['body']> => {
  const { status, body, text } = await answer
  expect(status, text).toBeLessThan(300)
  return body
}

const draft = (title: string) => ({
  title,
  symptom: `After the upgrade the ${title} job stops with a timeout while it waits for the database lock to be free.`,
  fix_summary: `Set the lock timeout of the ${title} job to ten seconds and let it begin again from its last checkpoint.`,
  root_cause: 'A migration holds the lock of the table for longer than the job is willing to wait.',
  tags: ['postgres', 'timeout'],
  environment: { node: '24.1' },
  evidences: [{ kind: 'log', content: 'canceling statement due to lock timeout' }],
})

async function cards(t: TestVault) {
  const author = await t.user('author')
  const reader = await t.user('reader')
  const made = await fine(author.post('/api/v1/cards', draft('nightly import')))
  const card = `/api/v1/cards/${made.card_id}`
  await fine(author.get(`${card}?include_evidences=true`))
  await fine(
    author.patch(card, { title: 'Nightly import stops with a timeout', evidences: draft('x').evidences }),
  )
  await fine(author.get(`${card}/history`))
  await fine(author.get(`${card}/images`))
  await fine(author.get(`${card}/history/1`))
  await fine(author.post(`${card}/restore`, { version: 1 }))
  await fine(author.post(`${card}/share`))
  await fine(author.post(`${card}/unpublish`))
  await fine(author.post(`${card}/publish`))
  await fine(reader.get(`${card}/similar`))
  await fine(reader.post(`${card}/feedback`, { kind: 'useful', comment: 'That was it' }))
  await fine(reader.get(`${card}/feedback/stats`))
  await fine(reader.delete(`${card}/feedback`))
  await fine(author.get(`${card}/feedback`))
  const { comment_id } = await fine(author.post(`${card}/comments`, { body: 'For later' }))
  await fine(reader.get(`${card}/comments`))
  await fine(author.patch(`${card}/comments/${comment_id}`, { body: 'For now' }))
  await fine(author.delete(`${card}/comments/${comment_id}`))
  await fine(reader.post(`${card}/verdicts`, { outcome: 'worked', environment: { node: '24' } }))
  await fine(author.get(`${card}/verdicts`))
  await fine(author.put(`${card}/cites`, { cites: ['npm:fastify@^5'] }))
  await fine(author.get('/api/v1/cards/cites'))
  await fine(author.put(`${card}/review-interval`, { review_after_days: 30 }))
  await fine(author.get('/api/v1/cards/review-queue'))
  await fine(author.put(`${card}/doubts`, { dismissed: true }))
  await fine(author.post('/api/v1/cards/similar', { title: 'Nightly import', symptom: 'lock timeout' }))
  const pulled = { workspace_id: author.workspaceId, server: 'https://other.example' }
  await fine(author.post('/api/v1/library/import', { ...pulled, cards: [foreignCard()] }))
  await fine(author.get(`/api/v1/library/pulled?${new URLSearchParams(pulled)}`))
  const twin = `/api/v1/cards/${(await fine(author.post('/api/v1/cards', draft('merging')))).card_id}`
  const link = { to_card_id: card.split('/').at(-1), kind: 'related' }
  const { link_id } = await fine(author.post(`${twin}/links`, link))
  await fine(author.get(`${twin}/links`))
  await fine(author.delete(`${twin}/links/${link_id}`))
  await fine(author.post(`${twin}/merge`, { into_card_id: card.split('/').at(-1) }))
  await fine(author.get(twin))
  await fine(author.delete(`${twin}/merge`))
  await fine(reader.delete(`${card}/verdicts`))
  await fine(reader.post('/api/v1/search/box', { query: 'lock timeout nightly' }))
  await fine(reader.post('/api/v1/searches/recent', { query: 'lock timeout' }))
  const kept = await fine(reader.post('/api/v1/searches/saved', { query: 'lock timeout' }))
  await fine(reader.get('/api/v1/searches'))
  await fine(reader.delete(`/api/v1/searches/${kept.search_id}`))
  await fine(reader.delete('/api/v1/searches/recent'))
  for (const scope of ['personal', 'workspace', 'public']) {
    await fine(reader.post('/api/v1/search', { query: 'lock timeout nightly', scope }))
    await fine(reader.get(`/api/v1/cards?scope=${scope}`))
    await fine(reader.get(`/api/v1/cases?scope=${scope}&contains=lock&tag=postgres&sort=changed`))
  }
  await fine(reader.get('/api/v1/cases?scope=public&q=import'))
  await fine(author.get('/api/v1/cards/stats'))
  const other = await fine(author.post('/api/v1/cards', draft('weekly export')))
  await fine(author.delete(`/api/v1/cards/${other.card_id}`))
  await fine(author.post(`/api/v1/cards/${other.card_id}/undelete`))
  const { workspace_id } = await fine(author.post('/api/v1/workspaces', { name: 'Elsewhere' }))
  await fine(author.post(`/api/v1/cards/${other.card_id}/move`, { workspace_id }))
  await fine(author.post('/api/v1/search', { query: 'nothing like it', scope: 'workspace' }))
  await fine(author.get(`/api/v1/workspaces/${workspace_id}/week`))
}

async function memory(t: TestVault) {
  const dev = await t.user('developer')
  const at = '/api/v1/project-context'
  const turn = {
    project_key: 'org/repo',
    user_message: 'Please fix the import',
    agent_report: 'Fixed the import',
  }
  await fine(dev.tool('append_context_turn', { ...turn, summary: 'import', project_preferences: ['tabs'] }))
  const event = { project_key: 'org/repo', event_type: 'user_message', content: 'Now the export' }
  const { raw_id } = await fine(dev.post(`${at}/events`, event))
  await fine(dev.get(`${at}/events/${raw_id}`))
  await fine(dev.post(`${at}/events/${raw_id}/card-proposal`))
  await fine(dev.post(`${at}/events/${raw_id}/card`, draft('export')))
  await fine(dev.get(`${at}/events?project_key=org/repo`))
  await fine(dev.get(`${at}/snapshot?project_key=org/repo`))
  for (const mode of ['substring', 'ranked'])
    await fine(dev.get(`${at}/search?project_key=org/repo&query=import&mode=${mode}`))
  await fine(dev.put('/api/v1/user/settings', { agent_library: true, agent_library_monthly_credits: 10 }))
  const session = { project_key: 'org/repo', session_id: 'one' }
  const text = 'Error: canceling statement due to lock timeout in the nightly import job'
  await fine(dev.post('/api/v1/recall', { moment: 'failure', text, ...session }))
  await fine(dev.post('/api/v1/recall', { moment: 'prompt', text: 'the import and the export', ...session }))
  for (const moment of ['start', 'compact']) await fine(dev.post('/api/v1/recall', { moment, ...session }))
  const learned = {
    ref: 'c'.repeat(40),
    committed_at: '2025-01-02T03:04:05Z',
    message: 'Export before import\n\nThe import of src/import.ts must never run before the export.',
    files: ['src/import.ts'],
  }
  const reading = { project_key: 'example/learned', reading_id: '6f6f6f6f-0000-4000-8000-000000000009' }
  const history = `/api/v1/project-context/commits?project_key=${reading.project_key}`
  await fine(dev.post('/api/v1/project-context/commits', { ...reading, commits: [learned] }))
  await fine(dev.get(history))
  await fine(dev.get(`${history}&query=export`))
  const names = await fine(dev.get(`/api/v1/project-context/names?project_key=${reading.project_key}`))
  const before = { moment: 'before', text: 'src/import.ts', project_key: reading.project_key }
  if (names.ids.length > 0)
    await fine(dev.post('/api/v1/recall', { ...before, about: names.ids.slice(0, 3) }))
  await fine(dev.delete(`${history}&confirmed_by_user=true`))
  const decision = {
    project_key: 'org/repo',
    event_type: 'agent_report',
    content: 'We decided to keep the export as it is',
  }
  const decided = await fine(dev.post(`${at}/events`, decision))
  const { mark_id } = await fine(dev.post(`${at}/marks`, { raw_id: decided.raw_id, reason: 'wrong' }))
  await fine(dev.get(`${at}/marks?project_key=org/repo`))
  await fine(dev.delete(`${at}/marks/${mark_id}`))
  await fine(dev.delete(`${at}/events/${raw_id}`))
  await fine(
    dev.post(`${at}/preferences/transfer`, {
      source_project_key: 'org/repo',
      target_project_key: 'org/other',
      confirmed_by_user: true,
    }),
  )
  await fine(dev.get(`${at}/projects`))
  await fine(dev.post(`${at}/projects/rename`, { project_key: 'org/other', new_project_key: 'org/new' }))
  await fine(dev.delete(`${at}/projects?project_key=org/new&confirmed_by_user=true`))
  const material = await fine(dev.post('/api/v1/raw-materials', { content: 'Minutes of the review' }))
  await fine(dev.get(`/api/v1/raw-materials/${material.raw_id}`))
  await fine(dev.get('/api/v1/raw-materials'))
  await fine(dev.delete(`/api/v1/raw-materials/${material.raw_id}`))
}

async function accounts(t: TestVault) {
  const user = await t.user('account')
  await fine(
    t.anonymous().post('/api/v1/auth/login', { email: user.email, password: 'correct horse battery' }),
  )
  await fine(user.get('/api/v1/auth/me'))
  await fine(user.patch('/api/v1/auth/me', { display_name: 'Another name' }))
  await fine(user.post('/api/v1/auth/email', { email: 'elsewhere@example.com' }))
  await fine(user.delete('/api/v1/auth/email'))
  await fine(user.post('/api/v1/auth/onboarding', { answers: { role: 'developer' } }))
  await fine(user.get('/api/v1/auth/first-steps'))
  await fine(user.post('/api/v1/auth/first-steps/dismiss'))
  await fine(user.post('/api/v1/samples'))
  await fine(user.delete('/api/v1/samples'))
  const key = await fine(user.post('/api/v1/auth/api-keys', { name: 'agent' }))
  await fine(user.get('/api/v1/auth/api-keys'))
  await fine(user.patch(`/api/v1/auth/api-keys/${key.key_id}`, { default_workspace_id: null }))
  await fine(user.delete(`/api/v1/auth/api-keys/${key.key_id}`))
  const { api_key } = await fine(user.post('/api/v1/auth/api-keys', { name: 'script' }))
  await fine(t.anonymous().delete('/api/v1/auth/api-keys/current', { 'x-api-key': api_key }))
  await fine(user.patch('/api/v1/auth/me', { display_name: 'Somebody' }))
  const [newest] = await fine(user.get('/api/v1/auth/sessions'))
  await fine(user.delete(`/api/v1/auth/sessions/${newest.session_id}`))
  const settings = await fine(user.get('/api/v1/user/settings'))
  await fine(user.put('/api/v1/user/settings', settings))
  const team = await fine(user.post('/api/v1/workspaces', { name: 'Sharing team' }))
  await fine(user.get('/api/v1/user/sharing'))
  await fine(user.put('/api/v1/user/sharing', { workspace_id: team.workspace_id }))
  await fine(user.post('/api/v1/user/sharing/earlier'))
  await fine(user.put('/api/v1/user/sharing', { workspace_id: null }))
  await fine(user.get('/api/v1/credits/balance'))
  await fine(user.get('/api/v1/credits/history'))
  await fine(user.post('/api/v1/workspaces', { name: 'twice' }, { 'idempotency-key': 'once' }))
  await fine(
    user.post('/api/v1/auth/password', {
      current_password: 'correct horse battery',
      new_password: 'another horse battery',
    }),
  )
  const leaver = await t.user('leaver')
  await fine(leaver.post('/api/v1/cards', draft('last words')))
  await fine(leaver.tool('append_context_event', { project_key: 'a/b', event_type: 'turn', content: 'Bye' }))
  await fine(leaver.delete('/api/v1/auth/me?confirmed_by_user=true'))
  const guest = await t.user('guest')
  await fine(guest.post('/api/v1/auth/logout'))
  const doubter = await t.user('doubter')
  await fine(doubter.post('/api/v1/auth/logout-everywhere'))
}

async function teams(t: TestVault) {
  const admin = await t.user('admin')
  const mate = await t.user('mate')
  const { workspace_id } = await fine(admin.post('/api/v1/workspaces', { name: 'Team' }))
  const at = `/api/v1/workspaces/${workspace_id}`
  await fine(admin.get('/api/v1/workspaces'))
  await fine(admin.get(at))
  await fine(admin.patch(at, { name: 'The team' }))
  await fine(admin.post(`${at}/members`, { user_id: mate.userId }))
  await fine(admin.get(`${at}/members`))
  await fine(admin.patch(`${at}/members/${mate.userId}`, { role: 'editor' }))
  await fine(mate.get(`/api/v1/cards?scope=workspace&workspace_id=${workspace_id}`))
  await fine(admin.delete(`${at}/members/${mate.userId}`))
  await fine(mate.put('/api/v1/user/settings', { ask_before_added: true }))
  for (const verb of ['decline', 'accept']) {
    const { invite_id } = await fine(admin.post(`${at}/members/by-email`, { email: mate.email }))
    await fine(mate.post(`/api/v1/invitations/${invite_id}/${verb}`))
  }
  const candidate = {
    command: 'npm test',
    failure: "Error: Cannot find module 'scaled'",
    success: '1 passed',
    commands: ['npm install scaled'],
  }
  const offered = await fine(mate.post('/api/v1/drafts', { candidates: [candidate] }))
  const draft = `/api/v1/drafts/${offered.results[0].draft_id}`
  await fine(mate.get('/api/v1/drafts'))
  await fine(mate.get(draft))
  await fine(mate.post(`${draft}/dismiss`))
  await fine(mate.post(`${draft}/reopen`))
  await fine(mate.post(`${draft}/accept`, {}))
  await fine(mate.get('/api/v1/effects'))
  await fine(mate.get('/api/v1/effects/days'))
  await fine(mate.get('/api/v1/notices'))
  await fine(mate.get('/api/v1/notices/unread'))
  await fine(mate.post('/api/v1/notices/read'))
  await fine(mate.put('/api/v1/user/settings', {}))
  await fine(mate.delete(`${at}/members/${mate.userId}`))
  await fine(admin.post(`${at}/members/by-email`, { email: mate.email }))
  const { invite, token } = await fine(admin.post(`${at}/invites`, { email: 'new@example.com' }))
  await fine(admin.get(`${at}/invites`))
  await fine(t.anonymous().get(`/api/v1/workspaces/invites/${token}`))
  await fine(admin.post(`${at}/invites/${invite.invite_id}/resend`))
  await fine(admin.delete(`${at}/invites/${invite.invite_id}`))
  await fine(admin.get(`${at}/audit`))
  const guest = await t.user('guest')
  await fine(admin.post(`${at}/invites`, { email: guest.email }))
  const [mine] = await fine(guest.get('/api/v1/invitations'))
  await fine(guest.post(`/api/v1/invitations/${mine.invite_id}/decline`))
  const code = await fine(admin.post('/api/v1/billing/invites', {}))
  await fine(admin.get('/api/v1/billing/invites'))
  await fine(mate.post('/api/v1/billing/redeem-invite', { code: code.code }))
  await fine(mate.get('/api/v1/billing/status'))
  const unused = await fine(admin.post('/api/v1/billing/invites', {}))
  await fine(admin.delete(`/api/v1/billing/invites/${unused.invite_id}`))
  await fine(admin.get(`${at}/deletion`))
  await fine(admin.delete(`${at}?confirm_name=The%20team`))
}

/** One way through nearly everything that the product does with cards, memory, accounts and teams. */
export async function playEverything(t: TestVault): Promise<void> {
  await cards(t)
  await memory(t)
  await accounts(t)
  await teams(t)
}
