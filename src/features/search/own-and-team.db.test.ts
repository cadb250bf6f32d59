import { expect, test } from 'vitest'
import { record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

type Hit = { card_id: string; hit_reason: string }

onBothEngines('own cards and those of the team in one search', (t) => {
  const WORD = 'zebrafish'
  const title = `The ${WORD} swims in circles`

  test('finds what one owns and what members have shared, and nothing else', async () => {
    const { admin, editor, viewer, workspaceId } = await team(t)
    const stranger = await t.user('stranger')
    const own = await record(viewer, { title })
    const shared = await record(admin, { title, workspace_id: workspaceId })
    await admin.post(`/api/v1/cards/${shared.card_id}/share`)
    await record(editor, { title, workspace_id: workspaceId })
    await record(stranger, { title })

    const search = async (input: object): Promise<Hit[]> => {
      const answer = await viewer.post('/api/v1/search', { query: WORD, ...input })
      expect(answer.status, answer.text).toBe(200)
      expect(answer.body.credits_charged).toBe(0)
      return answer.body.results
    }
    const idsOf = (hits: Hit[]) => hits.map((hit) => hit.card_id).sort()
    expect(idsOf(await search({}))).toEqual([own.card_id])
    const both = await search({ include_workspaces: true })
    expect(idsOf(both)).toEqual([own.card_id, shared.card_id].sort())
    expect(both.map((hit) => hit.hit_reason).sort()).toEqual(['free_personal_scope', 'free_workspace_scope'])
    const named = await search({ include_workspaces: true, workspace_ids: [workspaceId] })
    expect(idsOf(named)).toEqual([shared.card_id])

    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
    expect(idsOf(await search({ include_workspaces: true }))).toEqual([own.card_id])
    expect(await search({ include_workspaces: true, workspace_ids: [workspaceId] })).toEqual([])
  })

  test('is for scope personal alone', async () => {
    const person = await t.user()
    for (const scope of ['workspace', 'public']) {
      const answer = await person.post('/api/v1/search', { query: WORD, scope, include_workspaces: true })
      expect(answer.status).toBe(422)
      expect(answer.body.detail[0].loc).toEqual(['body', 'include_workspaces'])
    }
    const answer = await person.post('/api/v1/search', {
      query: WORD,
      scope: 'public',
      include_workspaces: false,
    })
    expect(answer.status).toBe(200)
  })
})
