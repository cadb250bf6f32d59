import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addLike, goodCard } from '../../../test/support/cards.ts'
import { type Client, clientOf } from '../../../test/support/client.ts'
import { onBothEngines, QUICK_HASHING } from '../../../test/support/engines.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { type App, buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { contextFor } from '../../core/context.ts'
import { sendMails } from '../../jobs.ts'
import { mailFeedback } from './feedback-mail.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const SETTINGS = '/api/v1/user/settings'
const HOUR_MS = 3_600_000
const never = new AbortController().signal

onBothEngines('the mail about feedback', (t) => {
  /** Two processes on one database. Their jobs run when told. */
  let app: App
  let other: App
  let offsetMs = 0
  let names = 0
  const start = () =>
    buildApp(readConfig({ ...t.vault.env, SMTP_URL: smtp.url }), {
      passwordHashing: QUICK_HASHING,
      jobs: [],
      now: () => new Date(Date.now() + offsetMs),
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

  const digest = async (...processes: App[]) => {
    const all = processes.length > 0 ? processes : [app]
    await Promise.all(all.map(({ services }) => mailFeedback(contextFor(services), never)))
    await Promise.all(all.map(({ services }) => sendMails(contextFor(services), never)))
    return smtp.mails.filter((mail) => mail.subject?.startsWith('Feedback'))
  }

  async function person(isVerified = true, host = 'example.com') {
    const email = `reader-${t.engine}-${++names}@${host}`
    const answer = await clientOf(app, {}).post('/api/v1/auth/register', {
      email,
      password: 'correct horse battery',
    })
    if (isVerified)
      await app.services.database.transaction((db) =>
        db.updateTable('users').set({ email_verified: 1 }).where('email', '=', email).execute(),
      )
    return { ...clientOf(app, { authorization: `Bearer ${answer.body.access_token}` }), email }
  }
  async function published(owner: Client, title: string): Promise<string> {
    const { card_id } = (await owner.post('/api/v1/cards', { ...goodCard(`word${++names}`), title })).body
    expect((await owner.post(`/api/v1/cards/${card_id}/publish`)).status).toBe(200)
    return card_id
  }
  const say = async (by: Client, cardId: string, kind: string, comment?: string) =>
    expect((await by.post(`/api/v1/cards/${cardId}/feedback`, { kind, comment })).status).toBe(201)

  test('collects feedback since the last mail, at most once a day, and nothing twice', async () => {
    const [owner, one, two] = [await person(), await person(), await person()]
    const first = await published(owner, 'The pool of connections runs dry at night')
    const second = await published(owner, 'A <b>build</b> that fails on Mondays only')
    await say(one, first, 'useful', 'Visit https://phishing.example')
    await say(two, first, 'useful')
    await say(two, second, 'outdated')
    const [mail, ...more] = await digest(app, other, app, other)
    expect(more).toEqual([])
    expect(mail?.envelope.to).toEqual([owner.email])
    expect(mail?.text).toContain('“The pool of connections runs dry at night”: 2 × worked')
    expect(mail?.text).toContain('“A <b>build</b> that fails on Mondays only”: 1 × outdated')
    expect(mail?.html).toContain('A &lt;b&gt;build')
    expect(mail?.text).toContain(`${app.services.config.baseUrl}/settings`)
    expect(mail?.raw).not.toContain('phishing')

    smtp.mails.length = 0
    await say(one, second, 'useful')
    offsetMs += 23 * HOUR_MS
    expect(await digest(app, other)).toEqual([])
    await say(two, second, 'useful')
    offsetMs += 2 * HOUR_MS
    const [next] = await digest(app, other)
    expect(next?.text).toContain('“A <b>build</b> that fails on Mondays only”: 2 × worked')
    expect(next?.text).not.toContain('The pool')
    offsetMs += 25 * HOUR_MS
    expect(await digest(app, other)).toHaveLength(1)
  })

  test('a long title ends with a whole character', async () => {
    const [owner, reader] = [await person(), await person()]
    const title = `Why the emoji keyboard of a phone stops: ${'😀'.repeat(200)}`
    await say(reader, await published(owner, title), 'useful')
    const [mail] = await digest()
    expect(mail?.text).toContain(`“${[...title].slice(0, 100).join('')}…”`)
    offsetMs += 25 * HOUR_MS
  })

  test('of many cards twenty are named, and the others are counted', async () => {
    const [owner, reader] = [await person(), await person()]
    const card = await published(owner, 'A card about case 0')
    await say(reader, card, 'useful')
    const others = Array.from({ length: 20 }, (_, n) => ({ card_id: crypto.randomUUID(), n: n + 1 }))
    const titled = others.map(({ card_id, n }) => ({ card_id, title: `A card about case ${n}` }))
    await addLike(app, 'cards', ['card_id', card], titled)
    const given = others.map(({ card_id }) => ({ card_id, feedback_id: card_id }))
    await addLike(app, 'card_feedback', ['card_id', card], given)
    const [mail] = await digest()
    expect(mail?.text).toMatch(/… and 1 more card\.\n/)
    offsetMs += 25 * HOUR_MS
  })

  test('repeated feedback and one’s own feedback are not mailed', async () => {
    const [owner, reader] = [await person(), await person()]
    const card = await published(owner, 'Tests that pass alone and fail together')
    await say(owner, card, 'useful')
    expect(await digest()).toEqual([])
    await say(reader, card, 'useful')
    expect(await digest()).toHaveLength(1)
    offsetMs += 25 * HOUR_MS
    await say(reader, card, 'useful')
    expect(await digest()).toHaveLength(1)
    await say(reader, card, 'outdated')
    expect(await digest()).toHaveLength(2)
  })

  test('feedback that was taken back is not mailed, unless it is given again', async () => {
    const [owner, reader] = [await person(), await person()]
    const card = await published(owner, 'A lock that two processes hold at once')
    await say(reader, card, 'outdated')
    expect((await reader.delete(`/api/v1/cards/${card}/feedback`)).status).toBe(204)
    expect(await digest()).toEqual([])
    await say(reader, card, 'outdated')
    expect((await digest())[0]?.text).toContain('1 × outdated')
  })

  test('a person with notifications off gets no mail, and later none about that time', async () => {
    const [owner, reader] = [await person(), await person()]
    const card = await published(owner, 'A cache that never forgets anything')
    await owner.put(SETTINGS, { email_notifications: false })
    await say(reader, card, 'useful')
    expect(await digest()).toEqual([])
    await owner.put(SETTINGS, { email_notifications: true })
    expect(await digest()).toEqual([])
    await say(reader, card, 'not_applicable')
    expect((await digest())[0]?.text).toContain('1 × failed')
  })

  test('a mail that waits for the mail server goes to nobody who has switched mails off meanwhile', async () => {
    const [owner, stopped, mover, reader] = [await person(), await person(), await person(), await person()]
    for (const one of [owner, stopped, mover])
      await say(reader, await published(one, `A queue that fills up at night ${one.email}`), 'useful')
    const { workspace_id } = (await reader.post('/api/v1/workspaces', { name: 'Queues' })).body
    await smtp.stop()
    for (const { email } of [owner, stopped])
      await reader.post(`/api/v1/workspaces/${workspace_id}/members/by-email`, { email, role: 'viewer' })
    expect(await digest()).toEqual([])
    await stopped.put(SETTINGS, { email_notifications: false })
    await app.services.database.transaction((db) =>
      db.updateTable('users').set({ email: 'moved@example.com' }).where('email', '=', mover.email).execute(),
    )
    await smtp.start()
    offsetMs += HOUR_MS
    expect((await digest()).map(({ envelope }) => envelope.to)).toEqual([[owner.email]])
    const added = smtp.mails.filter(({ subject }) => subject?.includes('added you'))
    expect(added.map(({ envelope }) => envelope.to)).toEqual([[owner.email]])
  })

  test('an address with a capital letter outside ASCII gets these mails too', async () => {
    const [owner, reader] = [await person(true, 'BÜCHER.example'), await person()]
    await say(reader, await published(owner, 'Shelves that are sorted twice a day'), 'useful')
    const { workspace_id } = (await reader.post('/api/v1/workspaces', { name: 'Shelves' })).body
    const member = { email: owner.email, role: 'viewer' }
    await reader.post(`/api/v1/workspaces/${workspace_id}/members/by-email`, member)
    expect(await digest()).toHaveLength(1)
    expect(smtp.mails.filter(({ subject }) => subject?.includes('added you'))).toHaveLength(1)
  })

  test('an unconfirmed address gets no mail, and a deleted card is not mentioned', async () => {
    const [owner, reader, leaver] = [await person(false), await person(), await person()]
    await say(reader, await published(owner, 'Certificates that end on a holiday'), 'useful')
    const card = await published(leaver, 'Clocks that disagree between two machines')
    await say(reader, card, 'useful')
    expect((await leaver.delete(`/api/v1/cards/${card}`)).status).toBeLessThan(300)
    expect(await digest()).toEqual([])
  })

  test('times and numbers are written in the language of the owner', async () => {
    const [owner, reader] = [await person(), await person()]
    await owner.put(SETTINGS, { language: 'DE-at' })
    await say(reader, await published(owner, 'Umlauts that break in the log file'), 'useful')
    const [mail] = await digest()
    const time = new Intl.DateTimeFormat('de-AT', { month: 'long', timeZone: 'UTC' }).format(
      app.services.now(),
    )
    expect(mail?.text).toMatch(new RegExp(`On \\d+\\. ${time} \\d{4}`))
    expect(mail?.html).toContain('<span lang="de-AT">')
  })

  test('feedback that was taken back before the mail is left out; feedback that is given again is not', async () => {
    const [owner, reader] = [await person(), await person()]
    const card = await published(owner, 'Cache warms up too late')
    await say(reader, card, 'useful', 'words that were taken back')
    expect((await reader.delete(`/api/v1/cards/${card}/feedback`)).status).toBe(204)
    offsetMs += 25 * HOUR_MS
    expect((await digest()).filter((mail) => mail.envelope.to.includes(owner.email))).toEqual([])
    await say(reader, card, 'outdated')
    offsetMs += 25 * HOUR_MS
    const [mail] = (await digest()).filter((one) => one.envelope.to.includes(owner.email))
    expect(mail?.text).toContain('Cache warms up too late')
    expect(mail?.text).not.toContain('taken back')
  })
})

onBothEngines(
  'feedback where there is no mail server',
  (t) => {
    test('waits for nobody', async () => {
      const [owner, reader] = [await t.user(), await t.user()]
      const { card_id } = (await owner.post('/api/v1/cards', goodCard('silence'))).body
      await owner.post(`/api/v1/cards/${card_id}/publish`)
      await reader.post(`/api/v1/cards/${card_id}/feedback`, { kind: 'useful' })
      const rows = await t.app.services.database.read.selectFrom('card_feedback').select('told_at').execute()
      expect(rows.map((row) => row.told_at === null)).toEqual([false])
    })
  },
  {}, // Nobody else has given feedback.
)
