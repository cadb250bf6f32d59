import { expect, test } from 'vitest'
import { goodCard, record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

/** A cut after an even number of code units would fall into the middle of a sign. */
const odd = (signs: number) => `a${'😀'.repeat(signs)}`

onBothEngines('texts that are shown by their beginning', (t) => {
  test('search and the action card end a text with a whole character', async () => {
    const user = await t.user()
    const card = {
      ...goodCard('wholesigns'),
      symptom: odd(1100),
      fix_summary: odd(1100),
      scope_notes: odd(600),
      steps: [{ order: 1, action: odd(600) }],
    }
    await record(user, card)
    const { body } = await user.post('/api/v1/search', { query: 'wholesigns', generate_action_card: true })
    const [hit] = body.results
    expect([hit.symptom, hit.fix_summary]).toEqual([`${odd(999)}…`, `${odd(999)}…`])
    const { summary, steps, cautions } = body.action_card
    expect([summary, steps[0].action]).toEqual([`${odd(499)}…`, `${odd(499)}…`])
    expect(cautions.join()).not.toContain('\ufffd')
  })

  test('a list that is too long for whole cards does so too', async () => {
    const user = await t.user()
    for (let n = 0; n < 12; n++) await record(user, { ...goodCard(`long${n}`), symptom: odd(400) })
    await t.app.services.database.transaction((db) =>
      db
        .updateTable('cards')
        .set({ body: 'x'.repeat(199_000) })
        .where('owner_id', '=', user.userId)
        .execute(),
    )
    const { items } = (await user.get('/api/v1/cards')).body
    const cut = items.filter((card: { truncated?: boolean }) => card.truncated)
    expect(cut.length).toBeGreaterThan(0)
    for (const { symptom } of cut) expect(symptom).toBe(`${odd(299)}…`)
  })
})
