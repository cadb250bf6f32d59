import { expect, test, vi } from 'vitest'
import { addLike, record, team } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { invoke } from '../../core/invoke.ts'
import { SCOPES } from '../../shared/scopes.ts'
import { DAY_MS } from '../../shared/time.ts'
import { createInvite } from '../credits/invite-codes.ts'
import { tell } from '../notices/notices.ts'
import { createWorkspace } from '../workspaces/workspaces.ts'
import { dropLeftovers } from './delete-account.ts'
import { ownRows } from './personal-data.ts'

const CARD = {
  title: 'Build fails on a case-sensitive disk',
  symptom: 'The build works on one laptop and fails in the pipeline with a missing module of another case.',
  fix_summary: 'Rename the file to the case used in the import, and turn on the compiler check for it.',
  root_cause: 'The laptop has a disk that ignores case.',
}

onBothEngines('leaving', (t) => {
  const remove = '/api/v1/auth/me?confirmed_by_user=true'

  test('the export has all that is mine, one object a line', async () => {
    const user = await t.user()
    await user.post('/api/v1/cards', { ...CARD, evidences: [{ kind: 'log', content: 'Module not found' }] })
    await user.post('/api/v1/project-context/events', {
      project_key: 'org/repo',
      event_type: 'turn',
      content: 'did it',
    })
    await user.post('/api/v1/raw-materials', { content: 'a note' })
    const { card_id } = (await user.post('/api/v1/cards', CARD)).body
    await user.post(`/api/v1/cards/${card_id}/verdicts`, { outcome: 'worked' })
    await user.post(`/api/v1/cards/${card_id}/feedback`, { kind: 'useful', comment: 'At once' })
    const lead = await t.user()
    const { workspace_id } = (await lead.post('/api/v1/workspaces', { name: 'Team' })).body
    await lead.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id: user.userId })
    const [other, third] = await Promise.all([
      user.post('/api/v1/cards', CARD),
      user.post('/api/v1/cards', CARD),
    ])
    const why = 'The same pool'
    const [otherId, thirdId] = [other.body.card_id, third.body.card_id]
    await user.post(`/api/v1/cards/${otherId}/links`, { to_card_id: card_id, kind: 'related', why })
    await user.post(`/api/v1/cards/${thirdId}/merge`, { into_card_id: card_id, why })
    const answer = await user.get('/api/v1/auth/me/export')
    expect(answer.status).toBe(200)
    const lines = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const kinds = new Set(lines.map((line) => line.kind))
    for (const kind of [
      'user',
      'settings',
      'membership',
      'card',
      'evidence',
      'memory_event',
      'raw_material',
      'verdict',
      'feedback',
      'credit_entry',
      'notice',
    ])
      expect(kinds, kind).toContain(kind)
    const exported = (kind: string) => lines.find((line) => line.kind === kind)?.value
    expect(exported('card_link')).toMatchObject({ from_card_id: otherId, to_card_id: card_id, why })
    expect(exported('card_merge')).toMatchObject({ from_card_id: thirdId, into_card_id: card_id, why })
    expect(answer.text).not.toMatch(/password|key_hash|token_hash/)
  })

  test('an account is deleted while its agents and another tab are busy, and nothing that they write stays', async () => {
    const user = await t.user()
    const { api_key } = (await user.post('/api/v1/auth/api-keys', { name: 'busy' })).body
    const agent = clientOf(t.app, { 'x-api-key': api_key })
    const event = { project_key: 'org/busy', event_type: 'turn' }
    const works = [agent, user].flatMap((writer) => [
      () => writer.post('/api/v1/project-context/events', { ...event, content: crypto.randomUUID() }),
      () => writer.post('/api/v1/cards', CARD),
      () => writer.post('/api/v1/raw-materials', { content: 'a note' }),
      () => writer.put('/api/v1/user/settings', { language: 'en' }),
    ])
    const isBusy = Promise.withResolvers<void>()
    const statuses = works.map(async (work) => {
      for (let times = 0; times < 300; times++) {
        const { status } = await work()
        if (times === 3) isBusy.resolve()
        if (status === 401) return status
      }
      return 0
    })
    await isBusy.promise
    const gone = await user.delete(remove)
    expect([gone.status, gone.body.deleted]).toEqual([200, true])
    expect(await Promise.all(statuses)).toEqual(statuses.map(() => 401))
    const ctx = contextFor(t.app.services)
    await inTx(ctx, (ctx) => tell(ctx, { userId: user.userId, kind: 'drafts.new' }))
    await dropLeftovers(ctx, new AbortController().signal)
    const { read } = t.app.services.database
    const left = [
      await read.selectFrom('notices').select('notice_id').where('user_id', '=', user.userId).execute(),
      await read.selectFrom('cards').select('card_id').where('owner_id', '=', user.userId).execute(),
      await read.selectFrom('raw_materials').select('raw_id').where('owner_id', '=', user.userId).execute(),
      await read.selectFrom('context_events').select('event_no').where('user_id', '=', user.userId).execute(),
    ]
    expect(left).toEqual([[], [], [], []])
  })

  test('a request that began before its account was deleted makes no workspace, and no invite code that stays open', async () => {
    const user = await t.user()
    const viewer = { userId: user.userId, scopes: new Set(SCOPES), isAdmin: false }
    const credential = { kind: 'session' as const, id: 'ended' }
    const caller = { viewer: { ...viewer, credential }, requestId: 'before', ip: '', ifMatch: undefined }
    expect((await user.delete(remove)).status).toBe(200)
    const ctx = contextFor(t.app.services, caller)
    await expect(invoke(createWorkspace, ctx, { name: 'Of nobody' })).rejects.toMatchObject({ status: 401 })
    const { code } = (await invoke(createInvite, ctx, {})) as { code: string }
    await dropLeftovers(ctx, new AbortController().signal)
    const redeemed = await (await t.user()).post('/api/v1/billing/redeem-invite', { code })
    expect(redeemed.status).toBe(404)
  })

  test('of two deletions at once one is refused, since the other has ended all access', async () => {
    const user = await t.user()
    const answers = await Promise.all([user.delete(remove), user.delete(remove)])
    const [done, refused] = answers.map((answer) => answer.status).sort()
    expect(done).toBe(200)
    // By how far it had come: the session has ended, or cannot be found as a recent one, or the account is gone.
    expect([401, 403, 404]).toContain(refused)
  })

  test('a card that an account left to its team and an admin deletes can still be brought back', async () => {
    const { workspaceId, admin, editor } = await team(t)
    const { card_id } = await record(editor)
    const card = `/api/v1/cards/${card_id}`
    expect((await editor.post(`${card}/share`, { workspace_id: workspaceId })).status).toBe(200)
    await t.app.services.database.transaction((db) =>
      db
        .updateTable('cards')
        .set({ created_at: new Date(Date.now() - DAY_MS).toISOString() })
        .where('card_id', '=', card_id)
        .execute(),
    )
    expect((await editor.delete(remove)).status).toBe(200)
    expect((await admin.delete(card)).status).toBe(204)
    await dropLeftovers(contextFor(t.app.services), new AbortController().signal)
    expect((await admin.post(`${card}/undelete`)).status).toBe(200)
  })

  test('HEAD answers with the headers of the export, and reads nothing for it', async () => {
    const { token, get } = await t.user()
    const whole = await get('/api/v1/auth/me/export')
    const reads = Object.keys(ownRows).map((kind) => vi.spyOn(ownRows, kind))
    try {
      const head = await t.app.server.inject({
        method: 'HEAD',
        url: '/api/v1/auth/me/export',
        headers: { authorization: `Bearer ${token}` },
      })
      const named = ['content-type', 'content-disposition', 'content-length']
      const shown = (headers: Record<string, unknown>) => named.map((name) => headers[name])
      expect([head.statusCode, ...shown(head.headers), head.payload]).toEqual([
        200,
        ...shown(whole.headers),
        '',
      ])
      expect(reads.flatMap(({ mock }) => mock.calls)).toEqual([])
    } finally {
      for (const read of reads) read.mockRestore()
    }
  })

  test('in the export, JSON is JSON and no text that has to be read again', async () => {
    const user = await t.user()
    const fix_summary =
      'Call `pool.release()` in a `finally` block; see src/db/pool.ts and https://node.example/api.'
    const token = `ghp_${'a1B2'.repeat(9)}`
    const card = { ...CARD, fix_summary, evidences: [{ kind: 'log', content: `token ${token}` }] }
    const { card_id } = (await user.post('/api/v1/cards', card)).body
    await user.post(`/api/v1/cards/${card_id}/verdicts`, { outcome: 'worked' })
    await user.post('/api/v1/searches/saved', { name: 'mine', query: 'pool', filters: { tags: 'node' } })
    const { text } = await user.get('/api/v1/auth/me/export')
    const values = text
      .trim()
      .split('\n')
      .flatMap((line) => Object.entries(JSON.parse(line).value as Record<string, unknown>))
    const names = new Set(values.filter(([, value]) => value !== null).map(([name]) => name))
    for (const name of ['cites', 'trust', 'secrets', 'filters']) expect(names, name).toContain(name)
    const isText = (value: unknown) => typeof value === 'string' && /^[[{]/.test(value)
    expect(values.filter(([, value]) => isText(value))).toEqual([])
  })

  test('the export has everything once, over many pages and projects, and nothing of others', async () => {
    const [user, other] = [await t.user(), await t.user()]
    const append = (by: typeof user, project_key: string, content: string) =>
      by.post('/api/v1/project-context/events', { project_key, event_type: 'turn', content })
    for (const [project, first, count] of [
      ['org/large', 0, 205],
      ['org/small', 205, 5],
    ] as const) {
      const { raw_id } = (await append(user, project, `event ${first}`)).body
      const read = t.app.services.database.read.selectFrom('context_events').select('event_no')
      const { event_no } = await read.where('raw_id', '=', raw_id).executeTakeFirstOrThrow()
      const others = Array.from({ length: count - 1 }, (_, n) => ({
        event_no: event_no + n + 1,
        raw_id: crypto.randomUUID(),
        content: `event ${first + n + 1}`,
      }))
      await addLike(t.app, 'context_events', ['raw_id', raw_id], others)
    }
    const evidences = Array.from({ length: 25 }, (_, n) => ({ kind: 'log', content: `log ${205 + n}` }))
    const long = (await user.post('/api/v1/cards', { ...CARD, title: 'Card 205', evidences })).body
    expect(long.evidence_count).toBe(25)
    const few = [{ kind: 'log', content: 'log 0' }]
    const { card_id } = (await user.post('/api/v1/cards', { ...CARD, title: 'Card 0', evidences: few })).body
    const others = Array.from({ length: 204 }, (_, n) => ({ id: crypto.randomUUID(), n: n + 1 }))
    const cards = others.map(({ id, n }) => ({ card_id: id, title: `Card ${n}` }))
    const logs = others.map(({ id, n }) => ({ evidence_id: id, card_id: id, content: `log ${n}` }))
    await addLike(t.app, 'cards', ['card_id', card_id], cards)
    await addLike(t.app, 'card_evidences', ['card_id', card_id], logs)
    await append(other, 'org/large', 'of somebody else')
    const lines: { kind: string; value: Record<string, string> }[] = (
      await user.get('/api/v1/auth/me/export')
    ).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const all = (kind: string, field: string) =>
      lines.filter((line) => line.kind === kind).map(({ value }) => value[field])
    const inOrder = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n}`)
    expect(all('memory_event', 'content').toSorted()).toEqual(inOrder('event', 210).toSorted())
    expect(all('memory_event', 'project_key').filter((key) => key === 'org/small')).toHaveLength(5)
    expect(all('card', 'title').toSorted()).toEqual(inOrder('Card', 206).toSorted())
    expect(all('evidence', 'content').toSorted()).toEqual(inOrder('log', 230).toSorted())
  })

  test('deleting needs the word of the user', async () => {
    const user = await t.user()
    const answer = await user.delete('/api/v1/auth/me')
    expect(answer.status).toBe(422)
    expect(answer.body.detail[0].loc).toEqual(['query', 'confirmed_by_user'])
    expect((await user.delete('/api/v1/auth/me?confirmed_by_user=false')).status).toBe(422)
  })

  test('private data is deleted, and published cards stay with a deleted user', async () => {
    const user = await t.user('leaver')
    const key = await user.post('/api/v1/auth/api-keys', { name: 'k' })
    const secret = await user.post('/api/v1/cards', CARD)
    const open = await user.post('/api/v1/cards', { ...CARD, title: 'Published before leaving for good' })
    expect((await user.post(`/api/v1/cards/${open.body.card_id}/publish`)).status).toBe(200)
    await user.post('/api/v1/project-context/events', {
      project_key: 'org/repo',
      event_type: 'turn',
      content: 'did it',
    })
    const answer = await user.delete(remove)
    expect(answer.body).toMatchObject({ deleted: true, deleted_cards: 1, deleted_events: 1 })

    expect((await user.get('/api/v1/auth/me')).status).toBe(401)
    expect((await t.anonymous().get('/api/v1/auth/me', { 'x-api-key': key.body.api_key })).status).toBe(401)
    const login = { email: user.email, password: 'correct horse battery' }
    expect((await t.anonymous().post('/api/v1/auth/login', login)).status).toBe(401)
    const reader = await t.user('reader')
    expect((await reader.get(`/api/v1/cards/${secret.body.card_id}`)).status).toBe(404)
    expect((await reader.get(`/api/v1/cards/${open.body.card_id}`)).body.owner_name).toBe('deleted user')
    expect((await t.anonymous().post('/api/v1/auth/register', login)).status).toBe(201)
  })

  test('the only admin of a team with others stays until somebody takes over', async () => {
    const [lead, mate] = [await t.user('lead'), await t.user('mate')]
    const { body } = await lead.post('/api/v1/workspaces', { name: 'Team' })
    await lead.post(`/api/v1/workspaces/${body.workspace_id}/members`, {
      user_id: mate.userId,
      role: 'editor',
    })
    const refused = await lead.delete(remove)
    expect([refused.status, refused.body.code, refused.body.workspace_ids]).toEqual([
      409,
      'last_admin',
      [body.workspace_id],
    ])
    await lead.patch(`/api/v1/workspaces/${body.workspace_id}/members/${mate.userId}`, { role: 'admin' })
    expect((await lead.delete(remove)).status).toBe(200)
  })

  test('invite codes end with the account of their maker', async () => {
    const [maker, friend] = [await t.user(), await t.user()]
    const { code } = (await maker.post('/api/v1/billing/invites', {})).body
    await maker.delete(remove)
    const redeemed = await friend.post('/api/v1/billing/redeem-invite', { code })
    expect([redeemed.status, redeemed.body.code]).toEqual([404, 'not_found'])
    expect((await friend.get('/api/v1/credits/balance')).body.balance).toBe(100)
  })

  test('a running subscription is cancelled first', async () => {
    const user = await t.user()
    const { body } = await user.post('/api/v1/billing/checkout', { plan_id: 'pro' })
    await t.app.server.inject({
      method: 'POST',
      url: new URL(body.checkout_url).pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'action=pay',
    })
    const refused = await user.delete(remove)
    expect([refused.status, refused.body.code]).toEqual([409, 'subscription_active'])
  })
})
