import { expect, test } from 'vitest'
import { goodCard, type Person, record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { decide, matterOf, report, serviceAdmin } from '../../../test/support/moderation.ts'
import { published } from '../../../test/support/publishing.ts'

const url = ({ card_id }: { card_id: string }) => `/api/v1/cards/${card_id}`

/** A text that strangers no longer read does not come back to them in another card. */
onBothEngines('texts that moderators have hidden', (t) => {
  const hide = async (boss: Person, card: { card_id: string }) => {
    const answer = await decide(boss, await matterOf(boss, card.card_id), { decision: 'hide' })
    expect(answer.status, answer.text).toBe(200)
  }

  /** The library refuses a new card with this text. */
  const expectRefused = async (by: Person, text: object) => {
    const answer = await by.post(`${url(await record(by, { ...text }))}/publish`)
    expect([answer.status, answer.body.reasons?.[0]?.rule], answer.text).toEqual([400, 'withdrawn_text'])
  }

  test('an appeal frees none of them, and neither does a second decision', async () => {
    const [me, boss] = [await t.user(), await serviceAdmin(t)]
    const [text, changed] = [goodCard(), goodCard()]
    const card = await published(me, '', text)
    await report(await t.user(), card.card_id)
    await hide(boss, card)
    expect((await me.patch(url(card), changed)).status).toBe(200)
    const { matter_id } = await matterOf(boss, card.card_id)
    const appeal = `/api/v1/moderation/matters/${matter_id}/appeal`
    expect((await me.post(appeal, { note: 'It says something else now.' })).status).toBe(201)
    await expectRefused(me, text)
    await hide(boss, card)
    for (const one of [text, changed]) await expectRefused(me, one)
  })

  test('what was changed after the report is hidden as what was reported is', async () => {
    const [me, boss] = [await t.user(), await serviceAdmin(t)]
    const [text, changed] = [goodCard(), goodCard()]
    const card = await published(me, '', text)
    await report(await t.user(), card.card_id)
    expect((await me.patch(url(card), changed)).status).toBe(200)
    await hide(boss, card)
    for (const one of [text, changed]) await expectRefused(me, one)
  })
})
