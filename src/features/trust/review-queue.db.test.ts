import { expect, test } from 'vitest'
import { addLike, goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { DAY_MS } from '../../shared/time.ts'
import { tellOwners } from './review-queue.ts'

const never = new AbortController().signal

onBothEngines('cards that somebody should look at again', (t) => {
  type Item = { reason: string; card_id: string; other_card_id: string | null }
  const queue = async (user: Person, workspaceId?: string): Promise<Item[]> =>
    (await user.get(`/api/v1/cards/review-queue${workspaceId ? `?workspace_id=${workspaceId}` : ''}`)).body
      .items
  const url = (id: string) => `/api/v1/cards/${id}`

  test('a card past its interval is due until somebody says that it is still true', async () => {
    const user = await t.user()
    const [dated, other] = [await record(user), await record(user)]
    expect((await user.put(`${url(dated.card_id)}/review-interval`, { review_after_days: 7 })).status).toBe(
      204,
    )
    expect(await queue(user)).toEqual([])
    t.later(8 * DAY_MS)
    expect(await queue(user)).toMatchObject([{ reason: 'due', card_id: dated.card_id }])
    await tellOwners(contextFor(t.app.services), never)
    await tellOwners(contextFor(t.app.services), never)
    const notices = (await user.get('/api/v1/notices')).body
    expect(notices.items).toMatchObject([{ kind: 'cards.review_due' }])
    await user.post(`${url(dated.card_id)}/verdicts`, { outcome: 'worked' })
    expect(await queue(user)).toEqual([])
    expect((await user.get(url(other.card_id))).body.review_after_days).toBeNull()
    const bad = await user.put(`${url(other.card_id)}/review-interval`, { review_after_days: 1 })
    expect(bad.status).toBe(422)
  })

  test('a workspace has an interval for all, and its editors see what is due', async () => {
    const { admin, editor, viewer, workspaceId } = await team(t, { policy_json: { review_after_days: 7 } })
    const { card_id } = await record(admin, { workspace_id: workspaceId })
    await admin.post(`${url(card_id)}/share`)
    const draft = await record(admin, { workspace_id: workspaceId })
    t.later(8 * DAY_MS)
    expect(await queue(editor, workspaceId)).toMatchObject([
      {
        reason: 'due',
        card_id,
        home: { name: 'Team' },
        readers: { text: 'Team, 3 people' },
        other_home: null,
      },
    ])
    const ids = (await queue(admin)).map((item) => item.card_id)
    expect(ids.toSorted()).toEqual([card_id, draft.card_id].toSorted())
    expect((await viewer.get(`/api/v1/cards/review-queue?workspace_id=${workspaceId}`)).status).toBe(403)
    const stranger = await t.user()
    expect((await stranger.get(`/api/v1/cards/review-queue?workspace_id=${workspaceId}`)).status).toBe(404)
  })

  test('a thousand cards that need no look hide none that needs one', async () => {
    const { editor, workspaceId } = await team(t, { policy_json: { review_after_days: 365 } })
    const shared = async () => {
      const { card_id } = await record(editor, { workspace_id: workspaceId })
      await editor.post(`${url(card_id)}/share`)
      return card_id as string
    }
    const fine = await shared()
    const now = contextFor(t.app.services).now().getTime()
    const edited_at = new Date(now - 200 * DAY_MS).toISOString()
    await editor.post(`${url(fine)}/verdicts`, { outcome: 'worked' })
    const stored = await t.app.services.database.read
      .selectFrom('cards')
      .select('trust')
      .where('card_id', '=', fine)
      .executeTakeFirstOrThrow()
    for (let batch = 0; batch < 5; batch++) {
      const others = Array.from({ length: 201 }, () => ({
        card_id: crypto.randomUUID(),
        edited_at,
        confirmed_at: null,
        ...stored,
      }))
      await addLike(t.app, 'cards', ['card_id', fine], others)
    }
    const [dated, doubted] = [await shared(), await shared()]
    await editor.put(`${url(dated)}/review-interval`, { review_after_days: 30 })
    const change = async (card_id: string, edited_at: string) =>
      t.app.services.database.transaction((db) =>
        db.updateTable('cards').set({ edited_at }).where('card_id', '=', card_id).execute(),
      )
    await change(dated, new Date(now - 31 * DAY_MS).toISOString())
    await editor.post(`${url(doubted)}/verdicts`, { outcome: 'failed' })
    expect(await queue(editor, workspaceId)).toMatchObject([
      { reason: 'doubted', card_id: doubted },
      { reason: 'due', card_id: dated },
    ])
    expect(await queue(editor)).toHaveLength(2)
    await change(dated, new Date(now - 29 * DAY_MS).toISOString())
    expect(await queue(editor)).toMatchObject([{ reason: 'doubted' }])
  })

  test('a card that anybody called outdated or failed waits until somebody acts', async () => {
    const { admin, editor, viewer, workspaceId } = await team(t)
    const shared = async () => {
      const { card_id } = await record(editor, {
        ...goodCard(crypto.randomUUID()),
        workspace_id: workspaceId,
      })
      await editor.post(`${url(card_id)}/share`)
      return card_id as string
    }
    const ids = async () => (await queue(admin, workspaceId)).map((item) => item.card_id)
    const [edited, confirmed, superseded, dismissed, withdrawn, elsewhere] = [
      await shared(),
      await shared(),
      await shared(),
      await shared(),
      await shared(),
      await shared(),
    ]
    const others = [edited, confirmed, superseded, withdrawn, elsewhere]
    await viewer.post(`${url(dismissed)}/verdicts`, { outcome: 'stale', note: 'since 3.0' })
    for (const card of others) {
      // However many others it worked for.
      await admin.post(`${url(card)}/verdicts`, { outcome: 'worked' })
      t.later(1000)
      await viewer.post(`${url(card)}/feedback`, { kind: 'not_applicable' })
    }
    expect((await ids()).toSorted()).toEqual([...others, dismissed].toSorted())
    expect((await queue(editor)).map((item) => item.card_id).toSorted()).toEqual((await ids()).toSorted())
    expect((await queue(admin, workspaceId)).at(-1)).toMatchObject({
      reason: 'doubted',
      card_id: dismissed,
      doubt: { outcome: 'stale', user_name: 'viewer', note: 'since 3.0' },
    })

    t.later(1000)
    await editor.patch(url(edited), { tags: ['new'] })
    await editor.post(`${url(confirmed)}/verdicts`, { outcome: 'worked', environment: { node: '24' } })
    await editor.post(`${url(await shared())}/links`, { to_card_id: superseded, kind: 'supersedes' })
    await viewer.delete(`${url(withdrawn)}/verdicts`)
    const doubts = `${url(dismissed)}/doubts`
    expect((await viewer.put(doubts, { dismissed: true })).status).toBe(403)
    expect((await (await t.user()).put(doubts, { dismissed: true })).status).toBe(404)
    expect((await admin.put(doubts, { dismissed: true })).status).toBe(204)
    // A reader for whom it works does not settle it for those who look after the card.
    await viewer.post(`${url(elsewhere)}/verdicts`, { outcome: 'worked', environment: { node: '24' } })
    expect(await ids()).toEqual([elsewhere])
    await admin.put(doubts, { dismissed: false })
    expect(await ids()).toContain(dismissed)
    await admin.put(doubts, { dismissed: true })
    t.later(1000)
    await viewer.post(`${url(dismissed)}/verdicts`, { outcome: 'failed' })
    expect(await ids()).toContain(dismissed)
  })

  test('a card that the team has published waits in its queue, with what its readers may do', async () => {
    const { admin, editor, viewer, workspaceId } = await team(t)
    const stranger = await t.user('Stranger')
    const card = async () => {
      const { card_id } = await record(editor, {
        ...goodCard(crypto.randomUUID()),
        workspace_id: workspaceId,
      })
      expect((await editor.post(`${url(card_id)}/publish`)).status).toBe(200)
      return card_id as string
    }
    const [ours, theirs] = [await card(), await card()]
    await viewer.post(`${url(ours)}/verdicts`, { outcome: 'failed', note: 'not on arm' })
    t.later(1000)
    await stranger.post(`${url(theirs)}/verdicts`, { outcome: 'stale' })
    const seen = [
      { card_id: theirs, can_edit: false, doubt: { outcome: 'stale', user_name: null } },
      { card_id: ours, can_edit: false, doubt: { user_name: 'viewer', note: 'not on arm' } },
    ]
    expect(await queue(admin, workspaceId)).toMatchObject(seen)
    expect(await queue(editor, workspaceId)).toMatchObject([{ can_edit: true }, { can_edit: true }])
    await admin.post(`${url(ours)}/verdicts`, { outcome: 'worked' })
    expect((await queue(admin, workspaceId)).map((item) => item.card_id)).toEqual([theirs])
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${editor.userId}`)
    expect((await queue(admin, workspaceId)).map((item) => item.card_id)).toEqual([theirs])
  })

  test('a doubt of a stranger with a new account waits for the owner of a published card', async () => {
    const [owner, stranger] = [await t.user(), await t.user('Stranger')]
    const { card_id } = await record(owner)
    expect((await owner.post(`${url(card_id)}/publish`)).status).toBe(200)
    await stranger.post(`${url(card_id)}/feedback`, { kind: 'outdated' })
    expect(await queue(owner)).toMatchObject([
      { reason: 'doubted', card_id, doubt: { user_name: 'Stranger' } },
    ])
  })

  test('two cards of a team with one symptom and two fixes that both worked are held against each other', async () => {
    const { admin, editor, viewer, workspaceId } = await team(t)
    const shared = async (more: object) => {
      const { card_id } = await record(admin, { ...goodCard('quarrel'), workspace_id: workspaceId, ...more })
      await admin.post(`${url(card_id)}/share`)
      return card_id as string
    }
    const [one, two] = [
      await shared({}),
      await shared({
        fix_summary: 'Turn the whole thing off and buy another one from the shop around the corner.',
      }),
    ]
    await viewer.post(`${url(one)}/verdicts`, { outcome: 'worked' })
    expect(await queue(editor, workspaceId)).toEqual([])
    await editor.post(`${url(two)}/verdicts`, { outcome: 'worked' })
    const found = await queue(editor, workspaceId)
    expect(found).toHaveLength(1)
    expect([found[0]?.card_id, found[0]?.other_card_id].toSorted()).toEqual([one, two].toSorted())
    const readers = { text: 'Team, 3 people' }
    expect(found[0]).toMatchObject({ readers, other_readers: readers, other_home: { kind: 'workspace' } })
    // Somebody says that each is right, until that is taken back.
    const related = await editor.post(`${url(one)}/links`, { to_card_id: two, kind: 'related' })
    expect(related.status).toBe(201)
    expect(await queue(editor, workspaceId)).toEqual([])
    await viewer.post(`${url(two)}/verdicts`, { outcome: 'worked' })
    expect(await queue(editor, workspaceId)).toEqual([])
    expect((await editor.delete(`${url(one)}/links/${related.body.link_id}`)).status).toBe(204)
    await admin.post(`${url(two)}/verdicts`, { outcome: 'worked' })
    expect(await queue(editor, workspaceId)).toHaveLength(1)
    await editor.post(`${url(one)}/links`, { to_card_id: two, kind: 'supersedes' })
    expect(await queue(editor, workspaceId)).toEqual([])
  })

  test('a person who has left a team learns no more of the cards there by a link to one of them', async () => {
    const { admin, editor, workspaceId } = await team(t)
    const [mine, theirs] = [
      await record(editor, { workspace_id: workspaceId }),
      await record(admin, { workspace_id: workspaceId }),
    ]
    for (const [person, { card_id }] of [
      [editor, mine],
      [admin, theirs],
    ] as const)
      expect((await person.post(`${url(card_id)}/share`)).status).toBe(200)
    const link = { to_card_id: theirs.card_id, kind: 'contradicts' }
    expect((await editor.post(`${url(mine.card_id)}/links`, link)).status).toBe(201)
    expect(await queue(editor)).toMatchObject([{ other_card_id: theirs.card_id }])

    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${editor.userId}`)
    await admin.patch(url(theirs.card_id), { title: 'We leave for another company in May' })
    expect((await editor.get(url(theirs.card_id))).status).toBe(404)
    expect(await queue(editor)).toEqual([])
    expect(await queue(admin, workspaceId)).toMatchObject([{ other_card_id: theirs.card_id }])
  })
})
