import type { Updateable } from 'kysely'
import { expect, test } from 'vitest'
import { type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import type { CardsTable } from '../../db/knowledge-schema.ts'

onBothEngines('a card that is read again', (t) => {
  const read = (as: Person, cardId: string) => as.get(`/api/v1/cards/${cardId}`)
  /** As another process does it: nothing in this one hears of it. */
  const change = (cardId: string, columns: Updateable<CardsTable>) =>
    t.app.services.database.transaction((db) =>
      db.updateTable('cards').set(columns).where('card_id', '=', cardId).execute(),
    )

  test('says the same while nothing has changed, and what has changed at once', async () => {
    const me = await t.user()
    const { card_id } = await record(me)
    const before = await read(me, card_id)
    expect((await read(me, card_id)).text).toBe(before.text)
    const changes: [Updateable<CardsTable>, object][] = [
      [{ feedback_useful: 3 }, { feedback: { useful: 3 } }],
      [{ cites: '["npm:fastify@^5"]' }, { cites: ['npm:fastify@^5'] }],
      [{ review_status: 'passed', review_score: 80 }, { review: { status: 'passed', score: 80 } }],
      [{ fix_summary: 'Something else altogether.' }, { fix_summary: 'Something else altogether.' }],
      [{ evidence_count: 2 }, { evidence_count: 2 }],
      [{ review_after_days: 9 }, { review_after_days: 9 }],
      [{ hidden_at: '2026-01-01T00:00:00.000Z' }, { hidden_since: '2026-01-01T00:00:00.000Z' }],
    ]
    for (const [columns, shown] of changes) {
      await change(card_id, columns)
      expect((await read(me, card_id)).body).toMatchObject(shown)
    }
    await change(card_id, { deleted_at: '2026-01-01T00:00:00.000Z' })
    expect((await read(me, card_id)).status).toBe(404)
  })

  test('each reader gets what is theirs, and nobody gets what they have lost', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t, { name: 'Platform team' })
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    await editor.post(`/api/v1/cards/${card_id}/share`)
    const seen = async (as: Person) => {
      const { provenance, can_edit, readers } = (await read(as, card_id)).body
      return [provenance.owner, can_edit, readers.text]
    }
    for (let again = 0; again < 2; again++) {
      expect(await seen(editor)).toEqual(['you', true, 'Platform team, 3 people'])
      expect(await seen(viewer)).toEqual(['team', false, 'Platform team, 3 people'])
      expect(await seen(admin)).toEqual(['team', true, 'Platform team, 3 people'])
    }
    await admin.patch(`/api/v1/workspaces/${workspaceId}`, { name: 'Other team' })
    expect(await seen(viewer)).toEqual(['team', false, 'Other team, 3 people'])
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
    expect((await read(viewer, card_id)).status).toBe(404)
    expect(await seen(editor)).toEqual(['you', true, 'Other team, 2 people'])
  })
})
