import { afterAll, expect, test } from 'vitest'
import { contextFor } from '../../src/core/context.ts'
import { PUBLIC_LIBRARY_ID } from '../../src/db/ids.ts'
import { reindexAll } from '../../src/features/cards/card-index.ts'
import { reviewSharedCards } from '../../src/features/cards/review.ts'
import { goodCard, type Person, record, team } from '../support/cards.ts'
import { onBothEngines } from '../support/engines.ts'
import { startSmtp } from '../support/smtp.ts'

const ids = (answer: { body: { results: { card_id: string }[] } }) =>
  answer.body.results.map((result) => result.card_id)

const publish = async (as: Person, cardId: string, target?: string) =>
  as.post(`/api/v1/cards/${cardId}/publish${target ? `?target_workspace_id=${target}` : ''}`)

onBothEngines('what cards show to whom', (t) => {
  test('the public library is searched for its price, not as a workspace', async () => {
    const [author, reader] = [await t.user(), await t.user()]
    const word = 'narwhal'
    const { card_id } = await record(author, { ...goodCard(word) })
    expect((await publish(author, card_id)).status).toBe(200)
    const { workspaceId, admin } = await team(t, { visibility: 'public' })
    const shared = await record(admin, { ...goodCard(`${word}team`), workspace_id: workspaceId })
    await admin.post(`/api/v1/cards/${shared.card_id}/share`)
    for (const id of [PUBLIC_LIBRARY_ID, workspaceId])
      for (const query of [`${word}1`, `${word}team1`]) {
        const asked = { query, scope: 'workspace', workspace_ids: [id] }
        expect((await reader.post('/api/v1/search', asked)).body).toMatchObject({ results: [], total: 0 })
        const { body } = await reader.tool('search_records', asked)
        expect(body.data.results).toEqual([])
      }
    expect((await reader.get('/api/v1/credits/balance')).body.balance).toBe(100)
    const members = { query: `${word}team1`, scope: 'workspace', workspace_ids: [workspaceId] }
    expect(ids(await admin.post('/api/v1/search', members))).toEqual([shared.card_id])
  })

  test('a workspace reads and restores what a card says since it came there; the owner reads all', async () => {
    const { workspaceId, editor, admin } = await team(t)
    const owner = editor
    const { card_id } = await record(owner, { ...goodCard(), body: 'first words, private' })
    const url = `/api/v1/cards/${card_id}`
    await owner.patch(url, { body: 'second words, private' })
    await owner.patch(url, { body: 'third words, for the team' })
    expect((await publish(owner, card_id, workspaceId)).status).toBe(200)
    await admin.patch(url, { body: 'fourth words, of the team' })

    const versions = async (as: Person, page = 1) => {
      const { body } = await as.get(`${url}/history?page=${page}&page_size=2`)
      return { total: body.total, items: body.items.map((item: { version: number }) => item.version) }
    }
    expect(await versions(admin)).toEqual({ total: 2, items: [4, 3] })
    expect(await versions(admin, 2)).toEqual({ total: 2, items: [] })
    expect(await versions(owner)).toEqual({ total: 4, items: [4, 3] })
    expect(await versions(owner, 2)).toEqual({ total: 4, items: [2, 1] })
    for (const version of [1, 2]) {
      const answers = [
        await admin.get(`${url}/history/${version}`),
        await admin.post(`${url}/restore`, { version }),
      ]
      for (const answer of answers) {
        expect(answer.status).toBe(404)
        expect(answer.text).not.toContain('private')
      }
      expect((await owner.get(`${url}/history/${version}`)).status).toBe(200)
    }
    expect((await admin.get(`${url}/history/3`)).body.content.body).toBe('third words, for the team')
    expect((await admin.post(`${url}/restore`, { version: 3 })).status).toBe(200)

    // Any other way into a workspace is the same: moved by hand, or sent home when a workspace is deleted.
    const moved = await record(owner, { ...goodCard(), body: 'draft, private' })
    const movedUrl = `/api/v1/cards/${moved.card_id}`
    await owner.patch(movedUrl, { body: 'for the team' })
    const carried = await owner.post(`${movedUrl}/move`, { workspace_id: workspaceId })
    expect(carried.status).toBe(200)
    expect((await admin.get(`${movedUrl}/history`)).body.total).toBe(1)
    expect((await admin.get(`${movedUrl}/history/1`)).status).toBe(404)
    expect((await owner.get(`${movedUrl}/history/1`)).status).toBe(200)

    // Home again it shows the people there nothing of what the team wrote meanwhile.
    expect((await owner.post(`${url}/unpublish`)).status).toBe(200)
    expect(await versions(owner)).toMatchObject({ total: 5 })
  })

  test('a workspace reads what was said about a card since it came there; the owner reads all', async () => {
    const [first, second] = [await team(t, {}), await team(t, {})]
    const { editor: owner } = first
    // A member of both, so that the card can go from one to the other.
    await second.admin.post(`/api/v1/workspaces/${second.workspaceId}/members`, {
      user_id: owner.userId,
      role: 'editor',
    })
    const { card_id } = await record(owner, { ...goodCard('said'), workspace_id: first.workspaceId })
    await owner.post(`/api/v1/cards/${card_id}/share`)
    const say = (as: Person, comment: string) =>
      as.post(`/api/v1/cards/${card_id}/feedback`, { kind: 'useful', comment })
    await say(first.viewer, 'Only for the first team')
    t.later(1000)
    const moved = await owner.post(`/api/v1/cards/${card_id}/move`, { workspace_id: second.workspaceId })
    expect(moved.body.status).toBe('published')
    t.later(1000)
    await say(second.viewer, 'For the second team')
    const read = async (as: Person) => {
      const { body } = await as.get(`/api/v1/cards/${card_id}/feedback`)
      return [body.total, body.items.map((item: { comment: string }) => item.comment)]
    }
    expect(await read(second.editor)).toEqual([1, ['For the second team']])
    expect(await read(second.viewer)).toEqual([1, ['For the second team']])
    expect(await read(owner)).toEqual([2, ['For the second team', 'Only for the first team']])
  })

  test('a team does not learn from which other one a card was published into it: the id would open an unlisted one', async () => {
    const [first, second] = [await team(t, { visibility: 'unlisted' }), await team(t)]
    const { editor: owner } = first
    const member = { user_id: owner.userId, role: 'editor' }
    await second.admin.post(`/api/v1/workspaces/${second.workspaceId}/members`, member)
    const { card_id } = await record(owner, { workspace_id: first.workspaceId })
    expect((await publish(owner, card_id, second.workspaceId)).status).toBe(200)
    for (const reader of [second.admin, second.editor, second.viewer]) {
      const list = `/api/v1/cards?scope=workspace&workspace_id=${second.workspaceId}`
      for (const door of [`/api/v1/cards/${card_id}`, list]) {
        const { text } = await reader.get(door)
        expect(text).toContain(card_id)
        expect(text).not.toContain(first.workspaceId)
      }
    }
    expect((await owner.get(`/api/v1/cards/${card_id}`)).body.origin_workspace_id).toBe(first.workspaceId)
  })

  test('strangers see what has passed its review, whatever brought it into the open', async () => {
    const stranger = await t.user()
    for (const visibility of ['public', 'unlisted']) {
      const { workspaceId, editor, viewer } = await team(t, { visibility })
      const word = `${visibility}manatee`
      const poor = await record(editor, {
        title: `${word} poor`,
        symptom: 'short',
        fix_summary: 'short',
        workspace_id: workspaceId,
      })
      const good = await record(editor, { ...goodCard(word), workspace_id: workspaceId })
      for (const { card_id } of [poor, good])
        expect((await editor.post(`/api/v1/cards/${card_id}/share`)).status).toBe(200)

      const shown = async (as: Person, cardId: string) => ({
        read: (await as.get(`/api/v1/cards/${cardId}`)).status,
        stats: (await as.get(`/api/v1/cards/${cardId}/feedback/stats`)).status,
        feedback: (await as.post(`/api/v1/cards/${cardId}/feedback`, { kind: 'outdated' })).status,
        listed: (await as.get(`/api/v1/cards?scope=workspace&workspace_id=${workspaceId}`)).body.items.some(
          (card: { card_id: string }) => card.card_id === cardId,
        ),
      })
      expect(await shown(stranger, poor.card_id)).toEqual({
        read: 404,
        stats: 404,
        feedback: 404,
        listed: false,
      })
      expect((await t.anonymous().get(`/api/v1/cards/${poor.card_id}/feedback/stats`)).status).toBe(404)
      expect(await shown(viewer, poor.card_id)).toEqual({
        read: 200,
        stats: 200,
        feedback: 201,
        listed: true,
      })
      expect(await shown(stranger, good.card_id)).toEqual({
        read: 200,
        stats: 200,
        feedback: 201,
        listed: true,
      })
      const found = await stranger.post('/api/v1/search', { query: word, scope: 'public' })
      expect(ids(found)).not.toContain(poor.card_id)
      const list = await stranger.get('/api/v1/cases?scope=public&page_size=100')
      const listed = list.body.items.map((card: { card_id: string }) => card.card_id)
      expect(listed).not.toContain(poor.card_id)
      expect(listed.includes(good.card_id)).toBe(visibility === 'public')

      // Made worse it vanishes for strangers, and mended it is back.
      await editor.patch(`/api/v1/cards/${good.card_id}`, { symptom: 'short' })
      expect((await stranger.get(`/api/v1/cards/${good.card_id}`)).status).toBe(404)
      await editor.patch(`/api/v1/cards/${good.card_id}`, { symptom: goodCard(word).symptom })
      expect((await stranger.get(`/api/v1/cards/${good.card_id}`)).status).toBe(200)
    }
  })

  test('cards that were shared before sharing kept a review are reviewed after the upgrade', async () => {
    const stranger = await t.user()
    const { workspaceId, editor } = await team(t, { visibility: 'public' })
    const poor = await record(editor, {
      title: 'oldaxolotl poor',
      symptom: 'short',
      fix_summary: 'short',
      workspace_id: workspaceId,
    })
    const good = await record(editor, { ...goodCard('oldaxolotl'), workspace_id: workspaceId })
    for (const { card_id } of [poor, good]) await editor.post(`/api/v1/cards/${card_id}/share`)
    // As an older version left them, with an index that knows nothing of reviews.
    await t.app.services.database.transaction((db) =>
      db
        .updateTable('cards')
        .set({ review_status: 'not_reviewed', review_score: null, reviewed_at: null })
        .where('workspace_id', '=', workspaceId)
        .execute(),
    )
    await reindexAll(contextFor(t.app.services))
    const statuses = async () => [
      (await stranger.get(`/api/v1/cards/${poor.card_id}`)).status,
      (await stranger.get(`/api/v1/cards/${good.card_id}`)).status,
    ]
    const found = async () =>
      ids(await stranger.post('/api/v1/search', { query: 'oldaxolotl', scope: 'public' }))
    expect([await statuses(), await found()]).toEqual([[404, 404], []])
    await reviewSharedCards(contextFor(t.app.services), new AbortController().signal)
    expect([await statuses(), await found()]).toEqual([[404, 200], [good.card_id]])
    const { review } = (await editor.get(`/api/v1/cards/${poor.card_id}`)).body
    expect([review.status, review.reasons.length > 0]).toEqual(['rejected', true])
  })

  test('in the open only the owner shares; in a private workspace editors do too', async () => {
    for (const [visibility, status] of [
      ['public', 403],
      ['unlisted', 403],
      ['private', 200],
    ] as const) {
      const { workspaceId, admin, editor } = await team(t, { visibility })
      const { card_id } = await record(editor, { workspace_id: workspaceId })
      expect((await admin.post(`/api/v1/cards/${card_id}/share`)).status).toBe(status)
      expect((await admin.tool('share_card', { card_id })).status).toBe(status)
      expect((await editor.post(`/api/v1/cards/${card_id}/share`)).status).toBe(200)
    }
  })

  test('near copies of what has earned earn nothing, also after the first is gone', async () => {
    const author = await t.user()
    const earned = async (text: Record<string, unknown>) => {
      const { card_id } = await record(author, text)
      const made = await author.post('/api/v1/workspaces', { name: 'Open', visibility: 'public' })
      const { body, status } = await publish(author, card_id, made.body.workspace_id)
      expect(status).toBe(200)
      return { card_id, credits: body.credits_earned }
    }
    const text = goodCard('pangolin')
    const first = await earned(text)
    expect(first.credits).toBe(5)
    const near = { ...text, title: `${text.title} again`, symptom: `${text.symptom} on some mornings` }
    expect((await earned(near)).credits).toBe(0)
    await author.delete(`/api/v1/cards/${first.card_id}`)
    expect((await earned({ ...near, fix_summary: `${text.fix_summary} without trouble` })).credits).toBe(0)
    expect((await earned(goodCard('tarsier'))).credits).toBe(5)
  })
})

const smtp = await startSmtp()
afterAll(() => smtp.stop())

onBothEngines(
  'rewards where mail is configured',
  (t) => {
    const prove = async (person: Person) => {
      const mail = await smtp.mailTo(person.email, 'Confirm your e-mail address')
      const token = /token=([\w-]+)/.exec(mail.text ?? '')?.[1]
      expect((await person.post('/api/v1/auth/verify-email', { token })).status).toBe(204)
    }
    const balance = async (as: Person) => (await as.get('/api/v1/credits/balance')).body.balance

    test('publishing and praise earn nothing before the address is proven', async () => {
      const [author, reader] = [await t.user(t.engine), await t.user(t.engine)]
      const { card_id } = await record(author, goodCard())
      expect((await publish(author, card_id)).body.credits_earned).toBe(0)
      const praise = () => reader.post(`/api/v1/cards/${card_id}/feedback`, { kind: 'useful' })
      expect((await praise()).body.credits_awarded).toBe(0)
      await prove(author)
      expect((await praise()).body.credits_awarded).toBe(0)
      await prove(reader)
      expect((await praise()).body.credits_awarded).toBe(1)
      await author.post(`/api/v1/cards/${card_id}/unpublish`)
      expect((await publish(author, card_id)).body.credits_earned).toBe(5)
    })

    test('an invite code is redeemed at once and paid when both addresses are proven', async () => {
      const [maker, friend] = [await t.user(t.engine), await t.user(t.engine)]
      const { code } = (await maker.post('/api/v1/billing/invites', {})).body
      const redeemed = await friend.post('/api/v1/billing/redeem-invite', { code })
      expect(redeemed.body).toEqual({ credits_awarded: 0, credits_pending: 20, credits_balance: 100 })
      expect([await balance(friend), await balance(maker)]).toEqual([100, 100])
      await prove(friend)
      expect([await balance(friend), await balance(maker)]).toEqual([120, 100])
      await prove(maker)
      expect([await balance(friend), await balance(maker)]).toEqual([120, 120])
    })
  },
  { SMTP_URL: smtp.url },
)
