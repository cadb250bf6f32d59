import { expect, test } from 'vitest'
import { record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { DAY_MS } from '../../shared/time.ts'
import { refreshDueTrust } from '../trust/refresh.ts'
import { trustCounts } from './card-trust.ts'
import { purgeDeletedCards } from './delete.ts'

onBothEngines('the counts of a card that took in another', (t) => {
  const url = (card: { card_id: string }) => `/api/v1/cards/${card.card_id}`

  const mergedCards = async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const into = await record(admin, { workspace_id: workspaceId })
    const from = await record(editor, { workspace_id: workspaceId })
    await admin.post(`${url(into)}/share`)
    await editor.post(`${url(from)}/share`)
    await viewer.post(`${url(from)}/feedback`, { kind: 'useful' })
    await viewer.post(`${url(from)}/verdicts`, { outcome: 'worked' })
    const merge = await admin.post(`${url(from)}/merge`, { into_card_id: into.card_id })
    expect(merge.status, merge.text).toBe(200)
    const read = async () => {
      await refreshDueTrust(contextFor(t.app.services), new AbortController().signal)
      const { feedback_useful, trust } = await t.app.services.database.read
        .selectFrom('cards')
        .select(['feedback_useful', 'trust'])
        .where('card_id', '=', into.card_id)
        .executeTakeFirstOrThrow()
      return { useful: feedback_useful, worked: trustCounts(trust)?.worked ?? 0 }
    }
    expect(await read()).toEqual({ useful: 1, worked: 1 })
    expect((await editor.delete(url(from))).status).toBe(204)
    return { editor, read }
  }

  test('lose what was said of one that ends with the account of its owner', async () => {
    const { editor, read } = await mergedCards()
    const ended = await editor.delete('/api/v1/auth/me?confirmed_by_user=true')
    expect(ended.status, ended.text).toBe(200)
    expect(await read()).toEqual({ useful: 0, worked: 0 })
  })

  test('lose what was said of one that is removed for good', async () => {
    const { read } = await mergedCards()
    t.later(31 * DAY_MS)
    expect(await purgeDeletedCards(contextFor(t.app.services))).toBeGreaterThan(0)
    expect(await read()).toEqual({ useful: 0, worked: 0 })
  })
})
