import { expect, test } from 'vitest'
import { goodCard, record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

const UNSEEN = [
  '\u200b',
  '\u2060',
  '\u202e',
  '\ufeff',
  '\u200d',
  ' \u200b\u00a0\u2060 ',
  '\u0001',
  '\u{e0041}',
]

onBothEngines('texts that nobody can see', (t) => {
  test('title, symptom and fix_summary are refused on create and update, as names of workspaces are', async () => {
    const user = await t.user()
    const { card_id } = await record(user)
    for (const field of ['title', 'symptom', 'fix_summary'])
      for (const text of UNSEEN) {
        const change = { [field]: text }
        const what = `${field} ${JSON.stringify(text)}`
        for (const refused of [
          await user.post('/api/v1/cards', { ...goodCard(), ...change }),
          await user.patch(`/api/v1/cards/${card_id}`, change),
          await user.tool('update_card', { card_id, ...change }),
        ]) {
          expect(refused.status, what).toBe(422)
          expect(refused.body.detail, what).toHaveLength(1)
          expect(refused.body.detail[0].loc, what).toEqual(['body', field])
        }
      }
    expect((await user.post('/api/v1/workspaces', { name: '\u2060' })).status).toBe(422)
  })

  test('characters beside visible ones stay as they are', async () => {
    const user = await t.user()
    const title = '\u200bنمی\u200cخواهم 👩\u200d💻'
    expect((await record(user, { title, symptom: '。', fix_summary: '1' })).title).toBe(title)
  })

  test('tags that differ only in their Unicode form or case are one; the first stays', async () => {
    const user = await t.user()
    const [composed, decomposed] = ['Caf\u00e9', 'cafe\u0301']
    const { card_id, tags } = await record(user, { tags: [decomposed, composed, 'other'] })
    expect(tags).toEqual([decomposed, 'other'])
    const changed = await user.patch(`/api/v1/cards/${card_id}`, { tags: [composed, decomposed] })
    expect(changed.body.tags).toEqual([composed])
  })

  /** One name in forms that a reader takes for the same: composed, decomposed, of full width. */
  const FORMS = ['café1', 'cafe\u03011', 'CAF\u00c9\uff11']

  test('a tag is one in every Unicode form: in a card, in lists and in search', async () => {
    const user = await t.user()
    const { card_id, tags } = await record(user, { ...goodCard('manyforms'), tags: FORMS })
    expect(tags).toEqual([FORMS[0]])
    for (const form of FORMS) {
      await user.patch(`/api/v1/cards/${card_id}`, { tags: [form] })
      for (const asked of FORMS) {
        const listed = await user.get(`/api/v1/cards?tag=${encodeURIComponent(asked)}`)
        expect(listed.body.total, `${form}, listed by ${asked}`).toBe(1)
        const found = await user.post('/api/v1/search', { query: `manyforms tag:${asked}` })
        expect(found.body.total, `${form}, searched by ${asked}`).toBe(1)
      }
    }
  })
})
