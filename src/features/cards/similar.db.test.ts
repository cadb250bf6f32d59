import { expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('duplicates and similar cards', (t) => {
  const url = (card: { card_id: string }) => `/api/v1/cards/${card.card_id}`
  const balance = async (person: Person) => (await person.get('/api/v1/auth/me')).body.credits_balance
  const ids = (cards: { card_id: string }[]) => cards.map((card) => card.card_id)

  test('a copy of a library card is refused with where it is, and nothing changes', async () => {
    const [first, second] = [await t.user(), await t.user()]
    const text = goodCard()
    const original = await record(first, text)
    await first.post(`${url(original)}/publish`)
    const copy = await record(second, {
      ...text,
      title: `${text.title.toUpperCase()}!`,
      root_cause: 'told otherwise',
    })
    const before = await balance(second)
    const refused = await second.post(`${url(copy)}/publish`)
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({
      code: 'duplicate_card',
      duplicate_of: original.card_id,
      similarity: 1,
    })
    expect(refused.body.detail).toContain('Say in yours what is different')
    expect((await second.get(url(copy))).body).toMatchObject({ status: 'unpublished', version: 1 })
    expect(await balance(second)).toBe(before)

    await second.patch(url(copy), goodCard())
    expect((await second.post(`${url(copy)}/publish`)).body).toMatchObject({ credits_earned: 5 })
  })

  test('of two equal cards published at once, one gets in', async () => {
    const [a, b] = [await t.user(), await t.user()]
    const text = goodCard()
    const cards = [await record(a, text), await record(b, text)] as const
    const answers = await Promise.all([
      a.post(`${url(cards[0])}/publish`),
      b.post(`${url(cards[1])}/publish`),
    ])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
  })

  test('a card that is near is published, and the near one is named', async () => {
    const [first, second] = [await t.user(), await t.user()]
    const text = goodCard()
    const original = await record(first, text)
    await first.post(`${url(original)}/publish`)
    const near = await record(second, { ...text, title: 'Another view of what happened there last week' })
    const answer = await second.post(`${url(near)}/publish`)
    expect(answer.status).toBe(200)
    expect(ids(answer.body.similar_cards)).toEqual([original.card_id])
    expect(answer.body.similar_cards[0].similarity).toBeGreaterThanOrEqual(0.5)
    expect(answer.body.similar_cards[0].similarity).toBeLessThan(0.8)
  })

  test('private cards never block or show: only the library is compared with', async () => {
    const [first, second] = [await t.user(), await t.user()]
    const text = goodCard()
    await record(first, text)
    const copy = await record(second, text)
    expect((await second.post(`${url(copy)}/publish`)).body).toMatchObject({ similar_cards: [] })
    await second.post(`${url(copy)}/unpublish`)
    const again = await second.post(`${url(copy)}/publish`)
    expect(again.status).toBe(200)
  })

  test('similar cards: what the caller can find anywhere, most related first, at most five', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const word = crypto.randomUUID()
    const mine = await record(viewer, goodCard(word))
    const draft = await record(editor, { ...goodCard(word), workspace_id: workspaceId })
    const shared = await record(editor, { ...goodCard(word), workspace_id: workspaceId })
    await editor.post(`${url(shared)}/share`)
    const mineToo = await record(viewer, { ...goodCard(), title: goodCard(word).title })
    const answer = await viewer.get(`/api/v1/cases/${mine.card_id}/similar`)
    expect(answer.status).toBe(200)
    expect(ids(answer.body).slice(0, 2)).toEqual([shared.card_id, mineToo.card_id])
    expect(ids(answer.body)).not.toContain(draft.card_id)
    expect(ids(answer.body)).not.toContain(mine.card_id)
    expect(answer.body.length).toBeLessThanOrEqual(5)
    expect(answer.body[0]).toMatchObject({ similarity: 1, case_id: shared.card_id, owner_name: 'editor' })
    expect(answer.body.map((near: { readers: { text: string } }) => near.readers.text).slice(0, 2)).toEqual([
      'Team, 3 people',
      'Only you',
    ])
    expect(answer.body[0].home).toMatchObject({ kind: 'workspace', name: 'Team' })
    const { title, symptom } = goodCard(word)
    const near = await viewer.post('/api/v1/cards/similar', { title, symptom })
    expect(near.body.find((one: { card_id: string }) => one.card_id === mine.card_id)).toMatchObject({
      home: { kind: 'personal', name: 'Personal' },
      readers: { kind: 'owner', text: 'Only you' },
    })
    expect((await (await t.user()).get(`${url(mine)}/similar`)).status).toBe(404)
  })

  test('cards about something else are not similar, also where there are no others', async () => {
    const user = await t.user()
    const texts = [
      [
        'npm install fails with EACCES',
        'npm install stops with EACCES: permission denied, mkdir node_modules.',
        'The folder belongs to root: give it back to the user with chown.',
      ],
      [
        'Docker build finds no space left',
        'docker build fails with no space left on device, though df shows room.',
        'The inodes are used up by overlay2: run docker system prune.',
      ],
      [
        'Postgres connection slots are used up',
        'The API answers 500: remaining connection slots are reserved.',
        'Put pgbouncer between, and make the pool of each worker smaller.',
      ],
    ]
    const cards = []
    for (const [title, symptom, fix_summary] of texts)
      cards.push(await record(user, { card_type: 'debug_fix', title, symptom, fix_summary }))
    for (const card of cards) expect((await user.get(`${url(card)}/similar`)).body).toEqual([])
    const again = {
      title: 'npm install: permission denied',
      symptom: 'npm install fails with EACCES, permission denied for node_modules.',
    }
    expect(ids((await user.post('/api/v1/cards/similar', again)).body)).toEqual([cards[0].card_id])
    // Each shares a word or two with one of the cards, and is about something else.
    for (const symptom of ['The service worker broke this morning', 'php exhausts the memory of its pool'])
      expect((await user.post('/api/v1/cards/similar', { title: symptom, symptom })).body, symptom).toEqual(
        [],
      )
    const vague = { title: 'npm broke', symptom: 'It broke again this morning.' }
    expect((await user.post('/api/v1/cards/similar', vague)).body).toEqual([])
  })
})
