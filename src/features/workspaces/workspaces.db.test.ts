import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'

const WORKSPACES = '/api/v1/workspaces'

onBothEngines('workspaces', (t) => {
  test('the creator of a workspace is its admin, and the defaults apply', async () => {
    const user = await t.user()
    const created = await user.post(WORKSPACES, { name: '  Backend team ' })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      name: 'Backend team',
      type: 'org',
      visibility: 'private',
      policy_json: null,
      role: 'admin',
      member_count: 1,
      created_by: user.userId,
    })
    expect((await user.get(`${WORKSPACES}/${created.body.workspace_id}`)).body).toEqual(created.body)
  })

  test('a wrong name, type, visibility or policy is a 422 that names the location', async () => {
    const user = await t.user()
    const before = (await user.get(WORKSPACES)).body.total
    const wrong: [unknown, (string | number)[]][] = [
      [{}, ['body', 'name']],
      [{ name: '' }, ['body', 'name']],
      [{ name: 'x'.repeat(121) }, ['body', 'name']],
      [{ name: 'a', type: 'guild' }, ['body', 'type']],
      [{ name: 'a', visibility: 'secret' }, ['body', 'visibility']],
      [{ name: 'a', policy_json: [] }, ['body', 'policy_json']],
      [{ name: 'a', policy_json: { allow_publish: 'no' } }, ['body', 'policy_json', 'allow_publish']],
      [{ name: 'a', policy_json: { invite_domains: [1] } }, ['body', 'policy_json', 'invite_domains', 0]],
      [
        { name: 'a', policy_json: { invite_domains: ['example.com', 'domain!!'] } },
        ['body', 'policy_json', 'invite_domains', 1],
      ],
      [{ name: 'a', policy_json: { default_role: 'owner' } }, ['body', 'policy_json', 'default_role']],
    ]
    for (const [body, loc] of wrong) {
      const answer = await user.post(WORKSPACES, body)
      expect(answer.status).toBe(422)
      expect(answer.body.detail[0].loc).toEqual(loc)
    }
    expect((await user.get(WORKSPACES)).body.total).toBe(before)
    expect((await user.post(WORKSPACES, { name: 'x'.repeat(120) })).status).toBe(201)
  })

  test('the list has mine first and public ones only if asked', async () => {
    const [user, other] = [await t.user(), await t.user()]
    const open = await other.post(WORKSPACES, { name: 'open', visibility: 'public' })
    const unlisted = await other.post(WORKSPACES, { name: 'unlisted', visibility: 'unlisted' })
    const hidden = await other.post(WORKSPACES, { name: 'hidden' })
    const mine = await user.post(WORKSPACES, { name: 'mine' })
    const ids = async (query: string) =>
      (await user.get(`${WORKSPACES}${query}`)).body.items.map(
        (item: { workspace_id: string }) => item.workspace_id,
      )
    const all = await ids('')
    expect(all.slice(0, 2)).toEqual([mine.body.workspace_id, user.workspaceId])
    expect(all).toContain(open.body.workspace_id)
    expect(all).toContain(PUBLIC_LIBRARY_ID)
    expect(all).not.toContain(unlisted.body.workspace_id)
    expect(all).not.toContain(hidden.body.workspace_id)
    expect(await ids('?include_public=false')).toEqual([mine.body.workspace_id, user.workspaceId])
    expect(await ids('?include_public=false&page=2&page_size=1')).toEqual([user.workspaceId])
    expect((await user.get(`${WORKSPACES}?include_public=false&page_size=1`)).body.total).toBe(2)
  })

  test('a person who is not a member sees no policy and no role', async () => {
    const [owner, other] = [await t.user(), await t.user()]
    const open = await owner.post(WORKSPACES, {
      name: 'open',
      visibility: 'unlisted',
      policy_json: { invite_domains: ['example.com'] },
    })
    const seen = await other.get(`${WORKSPACES}/${open.body.workspace_id}`)
    expect(seen.body).toMatchObject({ role: null, policy_json: null, name: 'open' })
  })

  test('an unknown workspace and a private one look the same to a stranger', async () => {
    const [owner, stranger] = [await t.user(), await t.user()]
    const hidden = await owner.post(WORKSPACES, { name: 'hidden' })
    const one = await stranger.get(`${WORKSPACES}/${hidden.body.workspace_id}`)
    const none = await stranger.get(`${WORKSPACES}/00000000-0000-7000-8000-00000000ffff`)
    expect(one.status).toBe(404)
    expect(none.body).toEqual(one.body)
    expect((await stranger.get(`${WORKSPACES}/7`)).body.detail[0].loc).toEqual(['path', 'workspace_id'])
  })

  test('an admin changes name, visibility and policy; fields that are left out stay', async () => {
    const owner = await t.user()
    const { body } = await owner.post(WORKSPACES, { name: 'old', policy_json: { theme: 'dark' } })
    const url = `${WORKSPACES}/${body.workspace_id}`
    expect((await owner.patch(url, { name: 'new', visibility: 'public' })).body).toMatchObject({
      name: 'new',
      visibility: 'public',
      policy_json: { theme: 'dark' },
    })
    expect((await owner.patch(url, { policy_json: null })).body.policy_json).toBeNull()
    expect((await owner.patch(url, {})).body).toMatchObject({ name: 'new', visibility: 'public' })
    expect((await owner.patch(url, { name: '' })).status).toBe(422)
  })

  test('the personal workspace of an account stays private and takes nobody', async () => {
    const [user, other] = [await t.user(), await t.user()]
    const home = `${WORKSPACES}/${user.workspaceId}`
    expect((await user.patch(home, { visibility: 'public' })).body.code).toBe('personal_workspace')
    expect((await user.patch(home, { name: 'Home' })).body.name).toBe('Home')
    const added = await user.post(`${home}/members`, { user_id: other.userId })
    expect(added.status).toBe(409)
    expect((await user.delete(`${home}/members/${user.userId}`)).body.code).toBe('last_admin')
    expect((await other.get(home)).status).toBe(404)
  })

  test('the Public Library can be seen and not be changed by anybody', async () => {
    const user = await t.user()
    const library = `${WORKSPACES}/${PUBLIC_LIBRARY_ID}`
    expect((await user.get(library)).body).toMatchObject({
      name: 'Public Library',
      type: 'org',
      visibility: 'public',
      role: null,
    })
    expect((await user.patch(library, { name: 'Mine' })).status).toBe(403)
    expect((await user.get(`${library}/members`)).status).toBe(403)
  })

  test('a key without workspace:write cannot create, one without search cannot list', async () => {
    const user = await t.user()
    const key = async (scopes: string[]) => ({
      'x-api-key': (await user.post('/api/v1/auth/api-keys', { name: 'k', scopes })).body.api_key,
    })
    const readOnly = await key(['search'])
    expect((await t.anonymous().get(WORKSPACES, readOnly)).status).toBe(200)
    const refused = await t.anonymous().post(WORKSPACES, { name: 'no' }, readOnly)
    expect(refused.body).toMatchObject({ code: 'missing_scope', required_scopes: ['workspace:write'] })
    expect((await t.anonymous().get(WORKSPACES, await key(['record']))).status).toBe(403)
  })
})
