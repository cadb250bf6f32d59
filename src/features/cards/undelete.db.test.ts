import { expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { decide, matterOf, report, serviceAdmin } from '../../../test/support/moderation.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'

onBothEngines('bringing a deleted card back', (t) => {
  const url = (card: { card_id: string }) => `/api/v1/cards/${card.card_id}`

  async function published(person: Person, text: ReturnType<typeof goodCard>) {
    const card = await record(person, text)
    expect((await person.post(`${url(card)}/publish`)).status).toBe(200)
    return card
  }

  test('it comes back unpublished if the library has the same card meanwhile, and the answer names that one', async () => {
    const [first, second] = [await t.user(), await t.user()]
    const text = goodCard()
    const mine = await published(first, text)
    await first.delete(url(mine))
    const theirs = await published(second, text)
    const back = await first.post(`${url(mine)}/undelete`)
    expect(back.status).toBe(200)
    expect(back.body).toMatchObject({
      status: 'unpublished',
      workspace_id: first.workspaceId,
      published_at: null,
      similar_cards: [{ card_id: theirs.card_id, similarity: 1 }],
    })
    expect((await second.get(url(mine))).status).toBe(404)
    const refused = await first.post(`${url(mine)}/publish`)
    expect([refused.status, refused.body.duplicate_of]).toEqual([409, theirs.card_id])
    await second.delete(url(theirs))
    expect((await first.post(`${url(mine)}/publish`)).body.status).toBe('published')
  })

  test('it comes back unpublished where strangers read, if nearly the same text is hidden meanwhile', async () => {
    const [me, boss] = [await t.user(), await serviceAdmin(t)]
    const text = goodCard()
    const share = async (visibility: string) => {
      const { workspace_id } = (await me.post('/api/v1/workspaces', { name: 'Own', visibility })).body
      const card = await record(me, { ...text, workspace_id })
      expect((await me.post(`${url(card)}/share`)).status).toBe(200)
      return card
    }
    const cards = [await share('private'), await share('unlisted'), await published(me, text)]
    for (const card of cards) await me.delete(url(card))
    const hidden = await published(me, text)
    await report(await t.user(), hidden.card_id)
    await decide(boss, await matterOf(boss, hidden.card_id), { decision: 'hide' })
    const states = []
    for (const card of cards) states.push((await me.post(`${url(card)}/undelete`)).body.status)
    expect(states).toEqual(['published', 'unpublished', 'unpublished'])
    const refused = await me.post(`${url(cards[2])}/publish`)
    expect(refused.body.reasons).toMatchObject([{ rule: 'withdrawn_text' }])
  })

  test('an admin who could not read it where it came from is told why it stays, and its owner brings it back', async () => {
    const { workspaceId, admin, editor } = await team(t, { visibility: 'public' })
    const [text, boss] = [goodCard(), await serviceAdmin(t)]
    const card = await record(editor, text)
    expect((await editor.post(`${url(card)}/publish?target_workspace_id=${workspaceId}`)).status).toBe(200)
    await admin.delete(url(card))
    const undelete = () => admin.post(`${url(card)}/undelete`)
    await admin.put('/api/v1/user/settings', { publishing_enabled: false })
    expect(await undelete()).toMatchObject({ status: 403, body: { code: 'publishing_disabled' } })
    await admin.put('/api/v1/user/settings', {})
    expect((await undelete()).body).toMatchObject({ status: 'published', workspace_id: workspaceId })

    await admin.delete(url(card))
    const hidden = await published(editor, text)
    await report(await t.user(), hidden.card_id)
    await decide(boss, await matterOf(boss, hidden.card_id), { decision: 'hide' })
    const refused = await undelete()
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    const back = await editor.post(`${url(card)}/undelete`)
    expect(back.body).toMatchObject({ status: 'unpublished', workspace_id: editor.workspaceId })
  })

  test('it comes back published if nobody says the same', async () => {
    const owner = await t.user()
    const card = await published(owner, goodCard())
    await owner.delete(url(card))
    const back = await owner.post(`${url(card)}/undelete`)
    expect(back.body).toMatchObject({ status: 'published', workspace_id: PUBLIC_LIBRARY_ID })
    expect(back.body).not.toHaveProperty('similar_cards')
  })

  test('a card that is shared in a team comes back shared, whatever the library has', async () => {
    const { workspaceId, editor } = await team(t)
    const text = goodCard()
    const card = await record(editor, { ...text, workspace_id: workspaceId })
    await editor.post(`${url(card)}/share`)
    await editor.delete(url(card))
    await published(await t.user(), text)
    expect((await editor.post(`${url(card)}/undelete`)).body).toMatchObject({
      status: 'published',
      workspace_id: workspaceId,
    })
  })

  test('of two equal cards that come back at once, the library has one', async () => {
    const [first, second] = [await t.user(), await t.user()]
    const text = goodCard()
    const mine = await published(first, text)
    await first.delete(url(mine))
    const theirs = await published(second, text)
    await second.delete(url(theirs))
    const answers = await Promise.all([
      first.post(`${url(mine)}/undelete`),
      second.post(`${url(theirs)}/undelete`),
    ])
    expect(answers.map(({ body }) => body.status).sort()).toEqual(['published', 'unpublished'])
  })

  test('a card that comes back while another publishes the same text is in the library once', async () => {
    const [first, second] = [await t.user(), await t.user()]
    const text = goodCard()
    const mine = await published(first, text)
    await first.delete(url(mine))
    const theirs = await record(second, text)
    await Promise.all([first.post(`${url(mine)}/undelete`), second.post(`${url(theirs)}/publish`)])
    const states = await Promise.all([first.get(url(mine)), second.get(url(theirs))])
    expect(states.map(({ body }) => body.status).sort()).toEqual(['published', 'unpublished'])
  })
})
