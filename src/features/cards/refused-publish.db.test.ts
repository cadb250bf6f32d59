import { expect, test } from 'vitest'
import { goodCard, type Person, record, titleWord } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { decide, matterOf, serviceAdmin } from '../../../test/support/moderation.ts'
import { publish, published } from '../../../test/support/publishing.ts'

const url = (cardId: string) => `/api/v1/cards/${cardId}`

onBothEngines('a card of the library that another workspace refuses', (t) => {
  async function refusedBy(owner: Person, cardId: string, settings: object): Promise<void> {
    const { workspace_id } = (await owner.post('/api/v1/workspaces', { name: 'Other', ...settings })).body
    const refused = await publish(owner, cardId, `?target_workspace_id=${workspace_id}`)
    expect([refused.status, refused.body.code]).toEqual([400, 'quality_rejected'])
  }

  async function foundByStranger(word: string): Promise<string[]> {
    const query = { query: titleWord(word), scope: 'public' }
    const { results } = (await (await t.user()).post('/api/v1/search', query)).body
    return results.map((hit: { card_id: string }) => hit.card_id)
  }

  test('by its policy stays in the library as it was', async () => {
    const owner = await t.user()
    const word = crypto.randomUUID()
    const warned = 'Call it with curl --insecure https://registry.npmjs.org/ if the certificate is old.'
    const card = await published(owner, '', { ...goodCard(word), body: warned })
    await refusedBy(owner, card.card_id, { policy_json: { danger_rules: { weakened_check: 'block' } } })
    const kept = (await owner.get(url(card.card_id))).body
    expect([kept.status, kept.review]).toEqual(['published', card.review])
    expect((await (await t.user()).get(url(card.card_id))).status).toBe(200)
    expect(await foundByStranger(word)).toEqual([card.card_id])
  })

  test('stays in the library where moderators let it pass', async () => {
    const [owner, boss, word] = [await t.user(), await serviceAdmin(t), crypto.randomUUID()]
    const fix_summary = `Clean up with rm -rf ${'/'} and then start the machine again, which makes room for ${word}`
    const { card_id } = await record(owner, { ...goodCard(word), fix_summary })
    expect((await publish(owner, card_id)).status).toBe(400)
    await owner.post(`${url(card_id)}/ask-moderators`, { note: 'It is a warning.' })
    await decide(boss, await matterOf(boss, card_id), { decision: 'keep', reason: 'It warns.' })
    expect((await publish(owner, card_id)).status).toBe(200)
    await refusedBy(owner, card_id, { visibility: 'public' })
    expect((await (await t.user()).get(url(card_id))).status).toBe(200)
    expect(await foundByStranger(word)).toEqual([card_id])
  })
})
