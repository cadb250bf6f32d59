import { expect, test } from 'vitest'
import { addLike, goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { longKnown } from '../../../test/support/moderation.ts'
import { DAY_MS } from '../../shared/time.ts'

onBothEngines('cards that stand to one another', (t) => {
  let words = 0
  const url = (id: string) => `/api/v1/cards/${id}`
  const own = async (user: Person, word: string) => (await record(user, goodCard(word))).card_id
  const newWord = () => `linked${++words}`
  const find = async (user: Person, query: string, more = {}) =>
    (await user.post('/api/v1/search', { query, ...more })).body.results.map(
      (hit: { card_id: string }) => hit.card_id,
    )

  test('a successor that is deleted while it takes the place leaves the former card in search', async () => {
    const user = await t.user()
    for (let round = 0; round < 6; round++) {
      const word = newWord()
      const [older, newer] = [await own(user, word), await own(user, word)]
      const [linked, deleted] = await Promise.all([
        user.post(`${url(newer)}/links`, { to_card_id: older, kind: 'supersedes' }),
        user.delete(url(newer)),
      ])
      expect([201, 404]).toContain(linked.status)
      expect(deleted.status).toBe(204)
      const found = await find(user, word)
      expect(found).toContain(older)
      expect(found).not.toContain(newer)
    }
  })

  test('a superseded card leaves search, points to its successor, and comes back', async () => {
    const user = await t.user()
    const word = newWord()
    const [older, newer] = [await own(user, word), await own(user, word)]
    const link = await user.post(`${url(newer)}/links`, {
      to_card_id: older,
      kind: 'supersedes',
      why: 'Simpler now',
    })
    expect(link.status).toBe(201)
    expect(link.body).toMatchObject({ other_home: { kind: 'personal' }, other_readers: { text: 'Only you' } })
    expect(await find(user, word)).toEqual([newer])
    expect((await find(user, word, { include_superseded: true })).toSorted()).toEqual(
      [older, newer].toSorted(),
    )
    expect((await user.get(url(older))).body).toMatchObject({
      card_id: older,
      superseded_by: { card_id: newer },
    })
    const { items } = (await user.get('/api/v1/cards')).body
    const listed = new Map(
      items.map((one: { card_id: string; superseded_by: object | null }) => [one.card_id, one.superseded_by]),
    )
    expect(listed.get(older)).toMatchObject({ card_id: newer })
    expect(listed.get(newer)).toBeNull()
    expect((await user.get(`${url(older)}/links`)).body.items).toMatchObject([
      {
        kind: 'supersedes',
        from_card_id: newer,
        why: 'Simpler now',
        other_home: { kind: 'personal' },
        other_readers: { text: 'Only you' },
      },
    ])
    const back = await user.post(`${url(older)}/links`, { to_card_id: newer, kind: 'supersedes' })
    expect([back.status, back.body.code]).toEqual([409, 'circular_succession'])
    const taken = await user.delete(`${url(older)}/links/${link.body.link_id}`)
    expect(taken.status).toBe(204)
    expect(await find(user, word)).toHaveLength(2)
  })

  test('If-Match is the version of the card in the path, not of the other one', async () => {
    const user = await t.user()
    const [changed, other] = [await own(user, newWord()), await own(user, newWord())]
    expect((await user.patch(url(changed), { body: 'A second version' })).body.version).toBe(2)
    const at = (version: number) => ({ 'if-match': `"${version}"` })
    for (const kind of ['supersedes', 'related']) {
      const link = (version: number) =>
        user.post(`${url(changed)}/links`, { to_card_id: other, kind }, at(version))
      const stale = await link(1)
      expect([stale.status, stale.body.version], kind).toEqual([412, 2])
      const made = await link(2)
      expect(made.status, kind).toBe(201)
      expect((await user.delete(`${url(changed)}/links/${made.body.link_id}`, at(2))).status, kind).toBe(204)
    }
    const merge = (version: number) =>
      user.post(`${url(changed)}/merge`, { into_card_id: other }, at(version))
    const stale = await merge(1)
    expect([stale.status, stale.body.version]).toEqual([412, 2])
    expect((await merge(2)).status).toBe(200)
  })

  test('a card is not linked to itself, and the answer names the person who made the link', async () => {
    const [maker, other] = [await t.user('Maker'), await t.user()]
    const [one, two] = [await own(maker, newWord()), await own(maker, newWord())]
    const link = (from: string, to: string, by: Person = maker) =>
      by.post(`${url(from)}/links`, { to_card_id: to, kind: 'related' })
    const itself = await link(one, one)
    expect([itself.status, itself.body.code]).toEqual([409, 'same_card'])
    expect((await link(one, one, other)).status).toBe(404)
    expect((await maker.get(`${url(one)}/links`)).body.items).toEqual([])
    const made = await link(one, two)
    expect([made.status, made.body.created_by_name]).toEqual([201, 'Maker'])
  })

  test('if the successor is deleted, the older card is found again', async () => {
    const user = await t.user()
    const word = newWord()
    const [older, newer] = [await own(user, word), await own(user, word)]
    await user.post(`${url(newer)}/links`, { to_card_id: older, kind: 'supersedes' })
    await user.delete(url(newer))
    expect(await find(user, word)).toEqual([older])
    expect((await user.get(url(older))).body.superseded_by).toBeNull()
  })

  test('nobody loses a card to one that they cannot read', async () => {
    const { admin, editor, viewer, workspaceId } = await team(t)
    const shared = (await record(admin, { workspace_id: workspaceId })).card_id
    await admin.post(`${url(shared)}/share`)
    const hidden = (await record(editor)).card_id
    const refused = await editor.post(`${url(hidden)}/links`, { to_card_id: shared, kind: 'supersedes' })
    expect([refused.status, refused.body.code]).toEqual([409, 'successor_hidden'])
    const link = { to_card_id: shared, kind: 'supersedes' }
    expect((await viewer.post(`${url(shared)}/links`, link)).status).toBe(403)
    const stranger = await t.user()
    expect((await stranger.post(`${url(shared)}/links`, link)).status).toBe(404)
    await editor.post(`${url(hidden)}/links`, { to_card_id: shared, kind: 'related' })
    expect((await viewer.get(`${url(shared)}/links`)).body.items).toEqual([])
    const seen = (await editor.get(`${url(hidden)}/links`)).body.items
    expect(seen).toMatchObject([{ other_home: { kind: 'workspace' }, other_readers: { count: 3 } }])
  })

  test('a merged card’s id answers with the other one, with all that was said of both', async () => {
    const [user, a, b] = [await t.user(), await longKnown(t), await longKnown(t)]
    const word = newWord()
    const published = async (more: object) => {
      const { card_id } = await record(user, { ...goodCard(newWord()), ...more })
      expect((await user.post(`${url(card_id)}/publish`)).status).toBe(200)
      return card_id as string
    }
    const one = await published({ tags: [word], evidences: [{ kind: 'log', content: 'first log' }] })
    const two = await published({ tags: [word], evidences: [{ kind: 'log', content: 'second log' }] })
    await a.post(`${url(one)}/verdicts`, { outcome: 'worked' })
    await b.post(`${url(two)}/verdicts`, { outcome: 'worked' })
    await b.post(`${url(one)}/feedback`, { kind: 'useful' })
    const merged = await user.post(`${url(one)}/merge`, { into_card_id: two, why: 'The same' })
    expect(merged.body).toMatchObject({ card_id: one, into_card_id: two })
    const read = (await a.get(`${url(one)}?include_evidences=true`)).body
    expect(read).toMatchObject({
      card_id: two,
      merged_from: one,
      trust: { worked: 2, people: 2 },
      feedback: { useful: 2 },
    })
    expect(read.evidences).toMatchObject([
      { content: 'second log' },
      { content: 'first log', from_card_id: one },
    ])
    await a.post(`${url(one)}/verdicts`, { outcome: 'failed', environment: { node: '18' } })
    expect((await a.get(url(two))).body.trust).toMatchObject({ worked: 2, failed: 1 })
    // What a person said of either, at either door, counts on one card, so it is taken back by either id.
    expect((await b.delete(`${url(one)}/verdicts`)).status).toBe(204)
    expect((await a.get(url(two))).body.trust).toMatchObject({ worked: 1, failed: 1, people: 1 })
    await b.post(`${url(two)}/verdicts`, { outcome: 'worked' })
    const link = await user.post(`${url(two)}/links`, { to_card_id: one, kind: 'supersedes' })
    await user.delete(`${url(two)}/links/${link.body.link_id}`)
    expect((await a.get(url(one))).body.merged_from).toBe(one)
    const three = await published({ tags: [word] })
    const newer = await user.post(`${url(three)}/links`, { to_card_id: two, kind: 'supersedes' })
    expect((await a.get(url(one))).body).toMatchObject({
      card_id: two,
      merged_from: one,
      superseded_by: { card_id: three },
    })
    await user.delete(`${url(three)}/links/${newer.body.link_id}`)
    expect((await user.delete(`${url(one)}/merge`)).status).toBe(204)
    expect((await a.get(url(one))).body).toMatchObject({
      card_id: one,
      trust: { worked: 1 },
      feedback: { useful: 1 },
    })
    expect((await a.get(url(two))).body).toMatchObject({
      trust: { worked: 1, failed: 1 },
      feedback: { useful: 1, not_applicable: 1 },
    })
  })

  test('feedback on either of two merged cards counts and shows on the one that stays', async () => {
    const [user, a, b, c] = [await t.user(), await t.user(), await t.user(), await t.user()]
    const published = async () => {
      const { card_id } = await record(user, goodCard(newWord()))
      expect((await user.post(`${url(card_id)}/publish`)).status).toBe(200)
      return card_id as string
    }
    const [one, two] = [await published(), await published()]
    const feedbackOn = async (id: string) => (await user.get(url(id))).body.feedback
    const said = async (reader: Person) =>
      (await reader.get(`${url(two)}/feedback`)).body.items.map(
        ({ card_id, kind }: { card_id: string; kind: string }) => [card_id, kind],
      )
    await a.post(`${url(one)}/feedback`, { kind: 'useful' })
    await b.post(`${url(two)}/feedback`, { kind: 'outdated' })
    await user.post(`${url(one)}/merge`, { into_card_id: two })
    await c.post(`${url(one)}/feedback`, { kind: 'not_applicable' })
    expect(await feedbackOn(two)).toEqual({ useful: 1, not_applicable: 1, outdated: 1 })
    expect(await said(user)).toEqual([
      [two, 'not_applicable'],
      [two, 'outdated'],
      [one, 'useful'],
    ])
    expect(await said(a)).toEqual([[one, 'useful']])
    // What a person said of either is one feedback: a new one replaces it, and it is taken back by either id.
    await a.post(`${url(two)}/feedback`, { kind: 'outdated' })
    expect(await feedbackOn(two)).toEqual({ useful: 0, not_applicable: 1, outdated: 2 })
    expect((await said(user)).filter(([, kind]: string[]) => kind === 'useful')).toEqual([])
    expect((await c.delete(`${url(two)}/feedback`)).status).toBe(204)
    expect(await feedbackOn(two)).toEqual({ useful: 0, not_applicable: 0, outdated: 2 })
    await c.post(`${url(one)}/feedback`, { kind: 'useful' })
    await user.delete(`${url(one)}/merge`)
    // Undone, each card has what was said of it.
    expect(await feedbackOn(one)).toEqual({ useful: 1, not_applicable: 0, outdated: 0 })
    expect(await feedbackOn(two)).toEqual({ useful: 1, not_applicable: 0, outdated: 2 })
  })

  test('the owner is told when somebody else’s card takes the place of theirs, unless that is undone', async () => {
    const { admin, editor, workspaceId } = await team(t)
    const shared = async (by: Person) => {
      const { card_id } = await record(by, { workspace_id: workspaceId })
      await by.post(`${url(card_id)}/share`)
      return card_id
    }
    const [older, newer] = [await shared(admin), await shared(editor)]
    const told = async () => (await admin.get('/api/v1/notices')).body.items
    const link = { to_card_id: older, kind: 'supersedes' }
    const { link_id } = (await editor.post(`${url(newer)}/links`, link)).body
    expect(await told()).toMatchObject([{ kind: 'card.replaced', card_id: older, actor_id: editor.userId }])
    expect((await told())[0].heading).toMatch(/^editor put another card in the place of “/)
    await editor.delete(`${url(newer)}/links/${link_id}`)
    expect(await told()).toEqual([])
    await editor.post(`${url(older)}/merge`, { into_card_id: newer })
    expect(await told()).toMatchObject([{ kind: 'card.replaced' }])
    await editor.delete(`${url(older)}/merge`)
    await admin.post(`${url(older)}/merge`, { into_card_id: newer })
    expect(await told()).toEqual([])
  })

  test('a card whose merge is undone stays superseded while a link says so', async () => {
    const user = await t.user()
    const [one, two] = [await own(user, newWord()), await own(user, newWord())]
    const successor = async () => (await user.get(url(one))).body.superseded_by?.card_id
    await user.post(`${url(one)}/merge`, { into_card_id: two })
    const link = await user.post(`${url(two)}/links`, { to_card_id: one, kind: 'supersedes' })
    expect((await user.delete(`${url(one)}/merge`)).status).toBe(204)
    expect(await successor()).toBe(two)
    await user.delete(`${url(one)}/links/${link.body.link_id}`)
    expect(await successor()).toBeUndefined()
  })

  test('a refused merge says why, and undoing has a time limit', async () => {
    const [user, other] = [await t.user(), await t.user()]
    const [one, two, three] = [
      await own(user, newWord()),
      await own(user, newWord()),
      await own(user, newWord()),
    ]
    const merge = (from: string, into: string, by: Person = user) =>
      by.post(`${url(from)}/merge`, { into_card_id: into })
    expect((await merge(one, one)).body.code).toBe('same_card')
    expect((await merge(one, two, other)).status).toBe(404)
    expect((await merge(one, two)).status).toBe(200)
    expect((await merge(one, three)).body.code).toBe('superseded_already')
    expect((await merge(three, one)).body.code).toBe('merged_already')
    expect((await merge(two, three)).body.code).toBe('has_merged')
    expect((await user.delete(`${url(three)}/merge`)).status).toBe(404)
    const long = new Date(Date.now() - 31 * DAY_MS).toISOString()
    await t.app.services.database.transaction((db) =>
      db.updateTable('card_merges').set({ created_at: long }).execute(),
    )
    expect((await user.delete(`${url(one)}/merge`)).body.code).toBe('too_late')
  })

  test('two merges of one card at once: one of them', async () => {
    const user = await t.user()
    const [one, two, three] = [
      await own(user, newWord()),
      await own(user, newWord()),
      await own(user, newWord()),
    ]
    const answers = await Promise.all(
      [two, three].map((into) => user.post(`${url(one)}/merge`, { into_card_id: into })),
    )
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409])
  })

  test('before recording, a person sees similar cards that exist already', async () => {
    const [user, other] = [await t.user(), await t.user()]
    const word = newWord()
    const id = await own(user, word)
    const { title, symptom } = goodCard(word)
    const near = await user.post('/api/v1/cards/similar', { title, symptom })
    expect(near.body[0]).toMatchObject({ card_id: id })
    expect(near.body[0].similarity).toBeGreaterThan(0.3)
    const seen = (await other.post('/api/v1/cards/similar', { title, symptom })).body
    expect(seen.map((card: { card_id: string }) => card.card_id)).not.toContain(id)
    expect((await user.post('/api/v1/cards/similar', { title: '' })).status).toBe(422)
  })

  test('a card has a hundred links of its own, a person makes a hundred to one card, and more are not looked through', async () => {
    const [author, reader] = [await t.user(), await t.user()]
    const [from, to] = [await own(author, newWord()), await own(author, newWord())]
    /** Links between private cards and this one, made before all others. */
    const linked = async (count: number, end: 'from_card_id' | 'to_card_id', cardId: string) => {
      const cards = Array.from({ length: count }, () => ({ card_id: crypto.randomUUID() }))
      await addLike(t.app, 'cards', ['card_id', await own(author, newWord())], cards)
      const other = end === 'from_card_id' ? 'to_card_id' : 'from_card_id'
      const rows = cards.map(({ card_id }) => ({
        ...{ from_card_id: cardId, to_card_id: cardId, [other]: card_id },
        ...{ link_id: crypto.randomUUID(), kind: 'related' as const, why: null },
        ...{ created_by: author.userId, created_at: new Date(0).toISOString() },
      }))
      await t.app.services.database.transaction((db) => db.insertInto('card_links').values(rows).execute())
    }
    const link = (card: string, to_card_id: string) =>
      author.post(`${url(card)}/links`, { to_card_id, kind: 'related' })
    await linked(99, 'from_card_id', from)
    expect((await link(from, to)).status).toBe(201)
    expect((await link(from, to)).status).toBe(201)
    expect((await link(from, await own(author, newWord()))).body.code).toBe('too_many_links')
    await linked(99, 'to_card_id', to)
    expect((await link(await own(author, newWord()), to)).body.code).toBe('too_many_links')

    const shown = (await author.post(`${url(to)}/publish`)).body.card_id
    expect((await author.post(`${url(from)}/publish`)).status).toBe(200)
    const linksFor = async (person: Person) => (await person.get(`${url(shown)}/links`)).body.items
    expect(await linksFor(reader)).toMatchObject([{ from_card_id: from }])
    for (let round = 0; round < 2; round++) await linked(500, 'to_card_id', to)
    expect(await linksFor(reader)).toEqual([])
  })
})
