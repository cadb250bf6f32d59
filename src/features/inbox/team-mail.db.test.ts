import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { goodCard } from '../../../test/support/cards.ts'
import { type Client, clientOf } from '../../../test/support/client.ts'
import { onBothEngines, QUICK_HASHING } from '../../../test/support/engines.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { type App, buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { contextFor } from '../../core/context.ts'
import { sendMails } from '../../jobs.ts'
import { mailTeams } from './team-week.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const SETTINGS = '/api/v1/user/settings'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const never = new AbortController().signal

onBothEngines('the mail about a week', (t) => {
  /** Two processes on one database. Their jobs run when told, and their clock begins on a Sunday. */
  let app: App
  let other: App
  let now = Date.parse('2026-03-01T12:00:00.000Z')
  let names = 0
  const start = () =>
    buildApp(readConfig({ ...t.vault.env, SMTP_URL: smtp.url }), {
      passwordHashing: QUICK_HASHING,
      jobs: [],
      now: () => new Date(now),
    })
  beforeAll(async () => {
    app = await start()
    other = await start()
  })
  afterAll(async () => {
    await app.close()
    await other.close()
  })
  beforeEach(async () => {
    await sendMails(contextFor(app.services), never)
    smtp.mails.length = 0
  })

  /** The hour of the week, counted from the Monday after the clock's week, at six. */
  const toMonday = (hours = 0) => {
    const sinceMonday = (now - Date.parse('1970-01-05T06:00:00.000Z')) % (7 * DAY_MS)
    now += 7 * DAY_MS - sinceMonday + hours * HOUR_MS
  }
  const digest = async (...processes: App[]) => {
    const all = processes.length > 0 ? processes : [app]
    await Promise.all(all.map(({ services }) => mailTeams(contextFor(services), never)))
    await Promise.all(all.map(({ services }) => sendMails(contextFor(services), never)))
    return smtp.mails.filter((mail) => mail.subject?.startsWith('This week'))
  }

  async function person(
    settings: Record<string, unknown> = { weekly_digest: true },
    { isVerified = true, host = 'example.com' } = {},
  ) {
    const email = `week-${++names}@${host}`
    const answer = await clientOf(app, {}).post('/api/v1/auth/register', {
      email,
      password: 'correct horse battery',
      display_name: `Person ${names}`,
    })
    if (isVerified)
      await app.services.database.transaction((db) =>
        db.updateTable('users').set({ email_verified: 1 }).where('email', '=', email).execute(),
      )
    const client = clientOf(app, { authorization: `Bearer ${answer.body.access_token}` })
    await client.put(SETTINGS, settings)
    return { ...client, email, userId: answer.body.user.user_id as string }
  }
  async function teamOf(lead: Client, name: string, ...members: { userId: string }[]): Promise<string> {
    const { workspace_id } = (await lead.post('/api/v1/workspaces', { name })).body
    for (const { userId } of members)
      await lead.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id: userId, role: 'editor' })
    return workspace_id
  }
  async function shared(owner: Client, workspace_id: string, title: string): Promise<string> {
    const { card_id } = (await owner.post('/api/v1/cards', { ...goodCard(), title, workspace_id })).body
    expect((await owner.post(`/api/v1/cards/${card_id}/share`)).status).toBe(200)
    return card_id
  }

  test('comes on Monday, once, whatever processes make it, with titles and links', async () => {
    const [lead, mate] = [await person(), await person({})]
    const team = await teamOf(lead, 'Platform', mate)
    const card = await shared(mate, team, 'Pool runs <b>dry</b>, see evil.example')
    await lead.post(`/api/v1/cards/${card}/verdicts`, { outcome: 'worked' })
    await mate.post('/api/v1/search', { query: 'kafka lag', scope: 'workspace', workspace_ids: [team] })
    expect(await digest(app, other)).toEqual([])
    toMonday()
    const [mail, ...more] = await digest(app, other, app, other)
    expect(more).toEqual([])
    expect([mail?.subject, mail?.envelope.to]).toEqual(['This week in Platform', [lead.email]])
    const { baseUrl } = app.services.config
    for (const words of [
      `Pool runs <b>dry</b>, see evil. example (${baseUrl}/cards/${card}) · new`,
      'worked for Person',
      'kafka lag · 1 ×',
      `${baseUrl}/workspaces/${team}`,
      `${baseUrl}/settings`,
    ])
      expect(mail?.text).toContain(words)
    expect(mail?.html).toContain('Pool runs &lt;b&gt;dry')
    expect(mail?.html).toContain(`href="${baseUrl}/cards/${card}"`)
    expect(mail?.raw).not.toContain('evil.example')
    now += 5 * HOUR_MS
    await shared(mate, team, 'Another card of this week')
    expect(await digest(app, other)).toHaveLength(1)
    now += 2 * DAY_MS
    expect(await digest(app, other)).toHaveLength(1)
    toMonday(23)
    const [, next] = await digest(app, other)
    expect(next?.text).toContain('Another card of this week')
    expect(next?.text).not.toContain('Pool runs')
  })

  test('tells what happened on Monday in the next one alone', async () => {
    const [lead, mate] = [await person(), await person({})]
    const team = await teamOf(lead, 'Quiet until Monday', mate)
    toMonday(2)
    const card = await shared(mate, team, 'A card of Monday afternoon')
    await lead.post(`/api/v1/cards/${card}/verdicts`, { outcome: 'worked' })
    await lead.post(`/api/v1/cards/${card}/feedback`, { kind: 'useful' })
    await mate.post('/api/v1/search', { query: 'kafka lag', scope: 'workspace', workspace_ids: [team] })
    expect(await digest()).toEqual([])
    toMonday()
    const [mail, ...more] = await digest()
    expect([mail?.envelope.to, more]).toEqual([[lead.email], []])
    for (const words of ['A card of Monday afternoon', 'worked for Person', 'kafka lag · 1 ×'])
      expect(mail?.text).toContain(words)
    toMonday()
    expect(await digest()).toHaveLength(1)
  })

  test('goes to nobody who did not ask for it, wants no mail, has no proven address, or has no news', async () => {
    const [lead, silent, unproven, quiet, gone] = [
      await person({}),
      await person({ weekly_digest: true, email_notifications: false }),
      await person({ weekly_digest: true }, { isVerified: false }),
      await person(),
      await person(),
    ]
    const team = await teamOf(lead, 'Team', silent, unproven, gone)
    await teamOf(quiet, 'Quiet team')
    await shared(lead, team, 'A card that all of them could read')
    await lead.delete(`/api/v1/workspaces/${team}/members/${gone.userId}`)
    toMonday(1)
    expect((await digest()).map((mail) => mail.envelope.to)).toEqual([])
  })

  test('is about several teams at once, in the language of the reader, without cards that they cannot read', async () => {
    const lead = await person({ weekly_digest: true, language: 'de-AT' })
    const mate = await person({})
    const [first, second] = [await teamOf(lead, 'First', mate), await teamOf(lead, 'Second', mate)]
    const outside = await teamOf(mate, 'Outside')
    await shared(mate, first, 'A card of the first team')
    await shared(mate, second, 'A card of the second team')
    await shared(mate, outside, 'A card of other people')
    toMonday()
    const [mail] = (await digest()).filter(({ envelope }) => envelope.to.includes(lead.email))
    expect(mail?.subject).toBe('This week in your teams')
    expect(mail?.text).toContain('A card of the first team')
    expect(mail?.text).toContain('A card of the second team')
    expect(mail?.text).not.toContain('other people')
    expect(mail?.html).toContain('<span lang="de-AT">')
  })
  test('goes to an address with a capital letter outside ASCII too', async () => {
    const [lead, mate] = [await person({}), await person(undefined, { host: 'BÜCHER.example' })]
    await shared(lead, await teamOf(lead, 'Shelves', mate), 'A card about shelves')
    toMonday()
    expect((await digest()).map(({ subject }) => subject)).toEqual(['This week in Shelves'])
  })
  test('that waits for the mail server is not about a team that its reader has left, and goes to nobody who stopped it', async () => {
    const [lead, both, removed, stopped] = [await person({}), await person(), await person(), await person()]
    const team = await teamOf(lead, 'Left behind', both, removed, stopped)
    const kept = await teamOf(lead, 'Kept', both)
    await shared(lead, team, 'A card of the team that was left')
    await shared(lead, kept, 'A card of the team that stays')
    toMonday()
    await smtp.stop()
    expect(await digest()).toEqual([])
    for (const { userId } of [both, removed])
      await lead.delete(`/api/v1/workspaces/${team}/members/${userId}`)
    await stopped.put(SETTINGS, { weekly_digest: false })
    await smtp.start()
    now += HOUR_MS
    const [mail, ...more] = await digest()
    expect([mail?.subject, mail?.envelope.to, more]).toEqual(['This week in Kept', [both.email], []])
    expect(mail?.text).not.toContain('that was left')
    const waiting = await app.services.database.read
      .selectFrom('outbox')
      .select(['status', 'text_body'])
      .where('to_address', 'in', [removed.email, stopped.email])
      .where('state_key', 'like', 'team:%')
      .execute()
    expect(waiting).toEqual([
      { status: 'cancelled', text_body: '' },
      { status: 'cancelled', text_body: '' },
    ])
  })
})
