import { expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { meeting } from '../../../test/support/meeting.ts'
import { contextFor } from '../../core/context.ts'
import { tell } from '../notices/notices.ts'

onBothEngines('the inbox of an author', (t) => {
  async function published(owner: Person) {
    const card = (await owner.post('/api/v1/cards', goodCard())).body
    expect((await owner.post(`/api/v1/cards/${card.card_id}/publish`)).status).toBe(200)
    return { url: `/api/v1/cards/${card.card_id}`, id: card.card_id as string, title: card.title as string }
  }
  const inbox = async (as: Person) => {
    const { items, unread } = (await as.get('/api/v1/notices')).body
    expect((await as.get('/api/v1/notices/unread')).body).toEqual({ unread })
    return items
  }

  test('tells of feedback and verdicts, one unread notice for each card', async () => {
    const [owner, one, two] = [await t.user('owner'), await t.user('One'), await t.user('Two')]
    const card = await published(owner)
    await one.post(`${card.url}/feedback`, { kind: 'useful' })
    await two.post(`${card.url}/feedback`, { kind: 'outdated' })
    await owner.post(`${card.url}/feedback`, { kind: 'useful' })
    const [notice, ...more] = await inbox(owner)
    expect(more).toEqual([])
    expect(notice).toMatchObject({
      kind: 'card.feedback',
      card_id: card.id,
      heading: `Two calls “${card.title}” outdated`,
      text: 'The card shows everything that was said.',
      said: 'stale',
      actor_name: 'Two',
      card_title: card.title,
    })
    await owner.post('/api/v1/notices/read', {})
    await two.post(`${card.url}/feedback`, { kind: 'outdated' })
    await one.post(`${card.url}/verdicts`, { outcome: 'failed' })
    expect((await inbox(owner)).map((each: { heading: string }) => each.heading)).toEqual([
      `Failed for One: “${card.title}”`,
      notice.heading,
    ])
    expect(await inbox(one)).toEqual([])
  })

  test('tells once of what two people say at the same moment', async () => {
    const [owner, one, two] = [await t.user('owner'), await t.user('One'), await t.user('Two')]
    const card = await published(owner)
    const ctx = contextFor(t.app.services)
    const said = await meeting(
      t,
      (db) =>
        tell(
          { ...ctx, db, transacting: true },
          { userId: owner.userId, kind: 'card.feedback', subjectId: card.id, details: { said: 'worked' } },
        ),
      () => one.post(`${card.url}/verdicts`, { outcome: 'failed' }),
    )
    expect(said.status).toBe(201)
    const [notice, ...more] = await inbox(owner)
    expect(more).toEqual([])
    expect(notice.heading).toContain('Failed for One')
    await owner.post('/api/v1/notices/read', {})
    await two.post(`${card.url}/verdicts`, { outcome: 'worked' })
    expect(await inbox(owner)).toHaveLength(2)
  })

  test('feedback that was taken back before it was read gives no notice', async () => {
    const [owner, one, two] = [await t.user('owner'), await t.user('One'), await t.user('Two')]
    const card = await published(owner)
    await one.post(`${card.url}/feedback`, { kind: 'useful' })
    await one.delete(`${card.url}/feedback`)
    expect(await inbox(owner)).toEqual([])
    await two.post(`${card.url}/verdicts`, { outcome: 'stale' })
    await one.post(`${card.url}/feedback`, { kind: 'useful' })
    await two.delete(`${card.url}/verdicts`)
    expect((await inbox(owner)).map((each: { heading: string }) => each.heading)).toEqual([
      `Worked for One: “${card.title}”`,
    ])
  })

  test('what somebody took back leaves the notice of what others say, as far as the owner has not read it', async () => {
    const [owner, one, two] = [await t.user('owner'), await t.user('One'), await t.user('Two')]
    const card = await published(owner)
    const headings = async () => (await inbox(owner)).map((each: { heading: string }) => each.heading)
    const named = `“${card.title}”`
    await one.post(`${card.url}/feedback`, { kind: 'outdated' })
    await two.post(`${card.url}/feedback`, { kind: 'useful' })
    await two.delete(`${card.url}/feedback`)
    expect(await headings()).toEqual([`One calls ${named} outdated`])
    // One that was replaced or taken back does not count.
    await two.post(`${card.url}/verdicts`, { outcome: 'failed' })
    await two.post(`${card.url}/verdicts`, { outcome: 'worked' })
    expect(await headings()).toEqual([`Worked for Two: ${named}`])
    await two.delete(`${card.url}/verdicts`)
    expect(await headings()).toEqual([`One calls ${named} outdated`])
    await owner.post('/api/v1/notices/read', {})
    await two.post(`${card.url}/feedback`, { kind: 'useful' })
    await two.delete(`${card.url}/feedback`)
    expect((await inbox(owner)).map((each: { read_at: unknown }) => each.read_at === null)).toEqual([false])
    await one.delete(`${card.url}/feedback`)
    expect(await headings()).toEqual([`One calls ${named} outdated`])
  })

  test('a deleted card has no name; the ledger names a card only while it is there', async () => {
    const [owner, reader] = [await t.user('owner'), await t.user('reader')]
    const card = await published(owner)
    await reader.post(`${card.url}/feedback`, { kind: 'useful' })
    const titles = async () =>
      (await owner.get('/api/v1/credits/history')).body.items.map(
        (entry: { reason: string; card_title: string | null }) => [entry.reason, entry.card_title],
      )
    expect(await titles()).toEqual([
      ['feedback_reward', card.title],
      ['publish_reward', card.title],
      ['signup_bonus', null],
    ])
    await owner.delete(card.url)
    expect(await inbox(owner)).toMatchObject([{ card_id: null, heading: 'Worked for reader: a card' }])
    expect((await titles()).map(([, title]: [string, string | null]) => title)).toEqual([null, null, null])
  })

  test('quotes a note and a comment as they are now, to those who may read them', async () => {
    const { workspaceId, admin, editor } = await team(t)
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    const url = `/api/v1/cards/${card_id}`
    await editor.post(`${url}/share`)
    await admin.post(`${url}/verdicts`, { outcome: 'worked', note: 'On the CI runner too' })
    const said = await admin.post(`${url}/comments`, { body: `<@${editor.userId}> and for podman?` })
    const texts = async () => (await inbox(editor)).map((each: { text: string }) => each.text)
    expect(await texts()).toEqual(
      expect.arrayContaining(['“@editor and for podman?”', '“On the CI runner too”']),
    )
    await editor.post('/api/v1/notices/read', {})
    await admin.delete(`${url}/comments/${said.body.comment_id}`)
    await admin.delete(`${url}/verdicts`)
    expect(JSON.stringify(await inbox(editor))).not.toMatch(/podman|runner/)
    const another = await admin.post(`${url}/comments`, { body: `<@${editor.userId}> once more` })
    expect(another.status).toBe(201)
    expect(await texts()).toContain('“@editor once more”')
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${editor.userId}`)
    expect(await texts()).toContain('“@editor once more”')
    await admin.delete(url)
    expect(JSON.stringify(await inbox(editor))).not.toContain('once more')
  })
})
