import { expect, test } from 'vitest'
import { type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { DAY_MS } from '../../shared/time.ts'
import { tellOwners } from '../trust/review-queue.ts'

const url = (cardId: string) => `/api/v1/cards/${cardId}`

onBothEngines('a person whose account has ended', (t) => {
  test('gets no notice about the cards that stay in the team', async () => {
    const { admin, editor, workspaceId } = await team(t, { policy_json: { review_after_days: 7 } })
    const shared = async (by: Person): Promise<string> => {
      const { card_id } = await record(by, { workspace_id: workspaceId })
      expect((await by.post(`${url(card_id)}/share`)).status).toBe(200)
      return card_id
    }
    const [theirs, ours] = [await shared(editor), await shared(admin)]
    const end = { confirmed_by_user: true, password: 'correct horse battery' }
    expect((await editor.post('/api/v1/auth/me/delete', end)).status).toBeLessThan(300)

    expect((await admin.post(`${url(theirs)}/comments`, { body: 'Who looks after it?' })).status).toBe(201)
    t.later(8 * DAY_MS)
    await tellOwners(contextFor(t.app.services), new AbortController().signal)
    const link = { to_card_id: theirs, kind: 'supersedes' }
    expect((await admin.post(`${url(ours)}/links`, link)).status).toBe(201)
    const { read } = t.app.services.database
    const told = (userId: string) =>
      read.selectFrom('notices').select('kind').where('user_id', '=', userId).execute()
    expect(await told(editor.userId)).toEqual([])
    expect(await told(admin.userId)).toContainEqual({ kind: 'cards.review_due' })
  })
})
