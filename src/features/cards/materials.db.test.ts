import { expect, test } from 'vitest'
import { sampler } from '../../../test/redaction/samples.ts'
import { team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

const { randomFrom } = sampler(5)

const MATERIALS = '/api/v1/raw-materials'

onBothEngines('raw materials', (t) => {
  test('a material is stored, read and listed, newest first', async () => {
    const user = await t.user()
    const first = await user.post(MATERIALS, { content: 'only content' })
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({
      kind: 'note',
      title: null,
      source_url: null,
      tags: [],
      meta: null,
      owner_id: user.userId,
      workspace_id: user.workspaceId,
    })
    t.later(1000)
    const given = {
      title: 'a log',
      kind: 'log',
      content: 'line\n'.repeat(1000),
      source_url: 'https://example.com/log',
      tags: ['ci', 'ci', 'build'],
      meta: { run: 7 },
    }
    const second = await user.post(MATERIALS, given)
    expect(second.body).toMatchObject({ ...given, tags: ['ci', 'build'], truncated: false })
    const whole = await user.get(`${MATERIALS}/${second.body.raw_id}`)
    expect(whole.body).toEqual(second.body)
    const list = await user.get(`${MATERIALS}?page=1&page_size=1`)
    expect(list.body).toMatchObject({ total: 2, page: 1, page_size: 1 })
    expect(list.body.items[0]).toMatchObject({ raw_id: second.body.raw_id, truncated: true })
    expect(list.body.items[0].content).toHaveLength(2000)
    const next = await user.get(`${MATERIALS}?page=2&page_size=1`)
    expect(next.body.items[0].raw_id).toBe(first.body.raw_id)
  })

  test('secrets are replaced before they are stored', async () => {
    const user = await t.user()
    const token = `ghp_${randomFrom('abcdefghijklmnopqrstuvwxyz0123456789', 36)}`
    const { body } = await user.post(MATERIALS, {
      title: token,
      content: `push with ${token}`,
      source_url: `https://user:${token}@example.com/`,
      tags: [token],
      meta: { token },
    })
    expect(JSON.stringify(body)).not.toContain(token)
    expect(body.content).toBe('push with <GITHUB_TOKEN>')
    expect(body.redactions).toEqual([{ kind: 'github_token', count: 5 }])
  })

  test('seen by the owner and by editors and admins of its workspace, by nobody else', async () => {
    const admin = await t.user('admin')
    const editor = await t.user('editor')
    const viewer = await t.user('viewer')
    const stranger = await t.user('stranger')
    const { body } = await admin.post('/api/v1/workspaces', { name: 'Team' })
    const workspace_id = body.workspace_id
    for (const [person, role] of [
      [editor, 'editor'],
      [viewer, 'viewer'],
    ] as const)
      await admin.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id: person.userId, role })
    const made = await editor.post(MATERIALS, { content: 'for the team', workspace_id })
    expect(made.status).toBe(201)
    const url = `${MATERIALS}/${made.body.raw_id}`
    expect((await editor.get(url)).status).toBe(200)
    expect((await admin.get(url)).status).toBe(200)
    expect((await viewer.get(url)).status).toBe(404)
    expect((await stranger.get(url)).status).toBe(404)
    expect((await admin.get(`${MATERIALS}?workspace_id=${workspace_id}`)).body.total).toBe(1)
    expect((await viewer.get(`${MATERIALS}?workspace_id=${workspace_id}`)).body.total).toBe(0)
    expect((await stranger.get(MATERIALS)).body.total).toBe(0)
    expect((await viewer.post(MATERIALS, { content: 'x', workspace_id })).status).toBe(403)
    expect((await stranger.post(MATERIALS, { content: 'x', workspace_id })).status).toBe(404)
  })

  test.each([
    ['no content', {}],
    ['empty content', { content: '' }],
    ['content of control characters', { content: '\u0007' }],
    ['a kind of control characters', { content: 'x', kind: '\u0007' }],
    ['a tag of control characters', { content: 'x', tags: ['\u0007'] }],
    ['1,000,001 characters', { content: 'x'.repeat(1_000_001) }],
    ['tags that are a text', { content: 'x', tags: 'a,b' }],
    ['meta that is a list', { content: 'x', meta: [] }],
  ])('%s is refused and nothing is stored', async (_what, body) => {
    const user = await t.user()
    expect((await user.post(MATERIALS, body)).status).toBe(422)
    expect((await user.get(MATERIALS)).body.total).toBe(0)
  })

  test('a workspace of others: 403 if everybody may know it, 404 if not', async () => {
    const [owner, other] = [await t.user(), await t.user()]
    const add = async (visibility: string) => {
      const made = await owner.post('/api/v1/workspaces', { name: 'Ours', visibility })
      const { workspace_id } = made.body
      return (await other.post(MATERIALS, { kind: 'log', content: 'x', workspace_id })).status
    }
    expect([await add('public'), await add('private')]).toEqual([403, 404])
  })

  test('a malformed id is a 422, an unknown one a 404, a page out of range a 422', async () => {
    const user = await t.user()
    expect((await user.get(`${MATERIALS}/x`)).status).toBe(422)
    expect((await user.get(`${MATERIALS}/00000000-0000-4000-8000-000000000000`)).status).toBe(404)
    expect((await user.get(`${MATERIALS}?page=0`)).status).toBe(422)
    expect((await user.get(`${MATERIALS}?page_size=101`)).status).toBe(422)
  })

  test('its owner and the admins of its workspace delete a material, for good; others may not', async () => {
    const { workspaceId: workspace_id, admin, editor, viewer } = await team(t)
    const make = async () => (await editor.post(MATERIALS, { content: 'a log', workspace_id })).body.raw_id
    const [first, second, third] = [await make(), await make(), await make()]
    expect((await viewer.delete(`${MATERIALS}/${first}`)).status).toBe(404)
    expect((await (await t.user()).delete(`${MATERIALS}/${first}`)).status).toBe(404)
    expect((await editor.delete(`${MATERIALS}/${first}`)).status).toBe(204)
    expect((await editor.get(`${MATERIALS}/${first}`)).status).toBe(404)
    expect((await admin.delete(`${MATERIALS}/${second}`)).status).toBe(204)
    const left = (await editor.get(`${MATERIALS}?workspace_id=${workspace_id}`)).body
    expect(left.items.map((item: { raw_id: string }) => item.raw_id)).toEqual([third])

    const other = await t.user()
    await admin.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id: other.userId, role: 'editor' })
    const refused = await other.delete(`${MATERIALS}/${third}`)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    const log = await admin.get(`/api/v1/workspaces/${workspace_id}/audit?action=material.deleted`)
    expect(log.body.items.map((entry: { subject_id: string }) => entry.subject_id)).toEqual([second, first])
  })

  test('two deletions at once: one finds it', async () => {
    const user = await t.user()
    const { raw_id } = (await user.post(MATERIALS, { content: 'once' })).body
    const answers = await Promise.all([1, 2].map(() => user.delete(`${MATERIALS}/${raw_id}`)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 404])
    expect((await user.delete(`${MATERIALS}/x`)).status).toBe(422)
  })
})
