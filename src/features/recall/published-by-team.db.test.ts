import { beforeAll, expect, test } from 'vitest'
import { type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { publish } from '../../../test/support/publishing.ts'
import { usualTuning } from '../../search-index/index.ts'

const CARD = {
  title: 'terraform plan fails with Error acquiring the state lock',
  symptom: 'terraform plan ends with Error acquiring the state lock: ConditionalCheckFailedException.',
  root_cause: 'A cancelled pipeline left its lock in the table',
  fix_summary: 'Look who holds the lock, then release it with `terraform force-unlock <id>` and plan again.',
}
const FAILURE = [
  '$ terraform plan',
  'exit code 1',
  'Error: Error acquiring the state lock',
  'ConditionalCheckFailedException: The conditional request failed',
].join('\n')

const recalled = async (as: Person) => {
  const answer = await as.post('/api/v1/recall', { moment: 'failure', text: FAILURE })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.credits_charged).toBe(0)
  return answer.body.items
}

for (const [how, readWhole] of [
  ['read whole', usualTuning().readWhole],
  ['looked up in the index', 0],
] as const)
  onBothEngines(
    `a card that was published from a team, scope ${how}`,
    (t) => {
      beforeAll(() => {
        t.app.services.searchTuning.readWhole = readWhole
      })

      test('goes on reaching the team without a price, and no stranger', async () => {
        const { workspaceId, admin, editor, viewer } = await team(t)
        const stranger = await t.user('stranger')
        const { card_id } = await record(editor, { ...CARD, workspace_id: workspaceId })
        const card = `/api/v1/cards/${card_id}`
        await editor.post(`${card}/share`)
        expect(await recalled(viewer)).toMatchObject([{ id: card_id, provenance: { owner: 'team' } }])

        expect((await publish(editor, card_id)).status).toBe(200)
        expect(await recalled(viewer)).toMatchObject([
          { id: card_id, provenance: { owner: 'team', workspace: workspaceId } },
        ])
        expect(await recalled(editor)).toMatchObject([{ id: card_id, provenance: { owner: 'you' } }])
        expect(await recalled(stranger)).toEqual([])

        await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
        expect(await recalled(viewer)).toEqual([])
        expect(await recalled(admin)).toHaveLength(1)
        // Taken back it is a draft of its owner again.
        expect((await editor.post(`${card}/unpublish`)).status).toBe(200)
        expect(await recalled(admin)).toEqual([])
        expect(await recalled(editor)).toHaveLength(1)
        await editor.delete(card)
      })

      test('is not told to those who may not see it where it is', async () => {
        const { workspaceId, editor, viewer } = await team(t)
        const other = (await editor.post('/api/v1/workspaces', { name: 'Elsewhere', type: 'team' })).body
        const { card_id } = await record(editor, { ...CARD, workspace_id: workspaceId })
        await editor.post(`/api/v1/cards/${card_id}/share`)
        const moved = await publish(editor, card_id, `?target_workspace_id=${other.workspace_id}`)
        expect(moved.status, moved.text).toBe(200)
        expect(await recalled(viewer)).toEqual([])
        await editor.post(`/api/v1/cards/${card_id}/unpublish`)

        expect((await publish(editor, card_id)).status).toBe(200)
        const { database } = t.app.services
        await database.transaction((db) =>
          db
            .updateTable('cards')
            .set({ hidden_at: new Date().toISOString() })
            .where('card_id', '=', card_id)
            .execute(),
        )
        expect(await recalled(viewer)).toEqual([])
      })
    },
    {},
  )
