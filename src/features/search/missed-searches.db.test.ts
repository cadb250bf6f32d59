import { expect, test } from 'vitest'
import { type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { meeting } from '../../../test/support/meeting.ts'
import { contextFor, inTx, SELF_GUARDED, type Viewer } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import { DAY_MS } from '../../shared/time.ts'
import { countUp, dropOldMissedSearches, noteMissedSearch } from './search-misses.ts'

onBothEngines('searches that found nothing', (t) => {
  const search = async (as: Person, query: string, more: Record<string, unknown>) =>
    expect((await as.post('/api/v1/search', { query, ...more })).status).toBe(200)
  const missed = async (as: Person, workspaceId: string) =>
    (await as.get(`/api/v1/workspaces/${workspaceId}/week`)).body.missed_searches
  const words = async (as: Person, workspaceId: string): Promise<string[]> =>
    (await missed(as, workspaceId)).items.map((one: { words: string }) => one.words)
  const rows = () => t.app.services.database.read.selectFrom('missed_searches').selectAll().execute()

  test('a team sees the words of its own searches, most frequent first, without names', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    await search(viewer, 'kafka rebalance storm', { scope: 'workspace' })
    for (const person of [editor, viewer])
      await search(person, 'Rotate certificates', { scope: 'workspace', workspace_ids: [workspaceId] })
    expect(await missed(admin, workspaceId)).toEqual({
      items: [
        { words: 'rotate certificates', times: 2, last_at: expect.any(String) },
        { words: 'kafka rebalance storm', times: 1, last_at: expect.any(String) },
      ],
      has_more: false,
    })
    expect(JSON.stringify(await rows())).not.toContain(viewer.userId)
  })

  test('the box of the web app counts as a search, but not what is half typed', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const box = async (as: Person, query: string, more: object = {}) => {
      const answer = await as.post('/api/v1/search/box', { query, ...more })
      expect(answer.status, answer.text).toBe(200)
      return answer.body
    }
    await box(viewer, 'docker bui', { typing: true })
    await box(viewer, 'docker build inodes')
    await box(viewer, 'only one part', { sections: ['team'] })
    expect(await words(admin, workspaceId)).toEqual(['docker build inodes'])
    const byWeek = async () =>
      (await admin.get(`/api/v1/workspaces/${workspaceId}/week`)).body.missed_by_week.map(
        (one: { times: number }) => one.times,
      )
    expect(await byWeek()).toEqual([0, 0, 0, 0, 0, 0, 0, 1])
    t.later(7 * DAY_MS)
    await box(viewer, 'docker build inodes')
    expect(await byWeek()).toEqual([0, 0, 0, 0, 0, 0, 1, 1])
    const { card_id, fix_summary } = await record(editor, {
      title: 'The inodes of overlay2 run out',
      fix_summary: 'Prune the\nbuild cache.',
      workspace_id: workspaceId,
    })
    await editor.post(`/api/v1/cards/${card_id}/share`)
    expect((await box(viewer, 'overlay2 inodes')).team.results).toMatchObject([
      { card_id, fix: fix_summary.replace('\n', ' ') },
    ])
    expect(await words(admin, workspaceId)).toEqual(['docker build inodes'])
  })

  test('searches of own cards, of the library, of several teams, and with a hit are not noted', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const { card_id, title } = await record(editor, { workspace_id: workspaceId })
    await editor.post(`/api/v1/cards/${card_id}/share`)
    await search(viewer, title.split(' ')[2], { scope: 'workspace' })
    await search(viewer, 'mine alone', { scope: 'personal' })
    await search(viewer, 'mine alone', { scope: 'personal', include_workspaces: true })
    await search(viewer, 'library alone', { scope: 'public' })
    const other = (await viewer.post('/api/v1/workspaces', { name: 'Other' })).body.workspace_id
    await search(viewer, 'whose words', { scope: 'workspace' })
    await search(viewer, 'whose words', { scope: 'workspace', workspace_ids: [workspaceId, other] })
    expect(await words(viewer, workspaceId)).toEqual([])
    // A stranger who knows the id says nothing to the team.
    await search(await t.user('stranger'), 'from outside', {
      scope: 'workspace',
      workspace_ids: [workspaceId],
    })
    await search(viewer, 'green one', { scope: 'workspace', workspace_ids: [other] })
    expect(await words(viewer, workspaceId)).toEqual([])
    expect(await words(viewer, other)).toEqual(['green one'])
  })

  test('when an admin switches it off, kept words are deleted at once', async () => {
    const { workspaceId, admin, viewer } = await team(t)
    const url = `/api/v1/workspaces/${workspaceId}`
    const ask = () => search(viewer, 'quiet words', { scope: 'workspace' })
    await ask()
    await admin.patch(url, { policy_json: { keep_missed_searches: false } })
    await ask()
    expect(await missed(admin, workspaceId)).toBeNull()
    await admin.patch(url, { policy_json: null })
    expect(await words(admin, workspaceId)).toEqual([])
    await ask()
    expect(await words(admin, workspaceId)).toEqual(['quiet words'])
    const refused = await admin.patch(url, { policy_json: { keep_missed_searches: 'no' } })
    expect(refused.status).toBe(422)
    const { name } = (await admin.get(url)).body
    expect((await admin.delete(`${url}?confirm_name=${name}`)).status).toBe(200)
    expect((await rows()).filter((row) => row.workspace_id === workspaceId)).toEqual([])
  })

  test('a search that is under way when an admin switches it off leaves no words', async () => {
    const { workspaceId, admin, viewer } = await team(t)
    const { database } = t.app.services
    const transaction: typeof database.transaction = async (work, options) => {
      const off = { policy_json: { keep_missed_searches: false } }
      expect((await admin.patch(`/api/v1/workspaces/${workspaceId}`, off)).status).toBe(200)
      return database.transaction(work, options)
    }
    const ctx = {
      ...contextFor({ ...t.app.services, database: { ...database, transaction } }),
      viewer: { userId: viewer.userId } as Viewer,
    }
    await noteMissedSearch(ctx, {
      query: 'late words',
      scope: 'workspace',
      workspaceIds: [workspaceId],
      hits: 0,
    })
    expect((await rows()).filter((row) => row.workspace_id === workspaceId)).toEqual([])
  })

  test('a search with an Idempotency-Key that meets another one for the same words is answered, and noted', async () => {
    const { workspaceId, viewer } = await team(t)
    const words = 'kafka rebalance'
    const other = (db: Db) => countUp(db, workspaceId, words, t.app.services.now().toISOString())
    const key = { 'idempotency-key': crypto.randomUUID() }
    const ask = () => viewer.post('/api/v1/search', { query: words, scope: 'workspace' }, key)
    expect(await meeting(t, other, ask)).toMatchObject({ status: 200 })
    await expect.poll(() => missed(viewer, workspaceId)).toMatchObject({ items: [{ words, times: 2 }] })
  })

  test('inside a transaction, a search is noted after the commit and in a transaction of its own', async () => {
    const { workspaceId, viewer } = await team(t)
    const searched = { query: 'words for later', scope: 'workspace', workspaceIds: [workspaceId], hits: 0 }
    const ctx = { ...contextFor(t.app.services), viewer: { userId: viewer.userId } as Viewer }
    const kept = async (db = ctx.database.read) =>
      (
        await db
          .selectFrom('missed_searches')
          .select('words')
          .where('workspace_id', '=', workspaceId)
          .execute()
      ).length
    const note = (isKept: boolean) =>
      inTx(
        ctx,
        async (ctx) => {
          await noteMissedSearch(ctx, searched)
          expect(await kept(ctx.db)).toBe(0)
          if (!isKept) throw new Error('rolled back')
        },
        SELF_GUARDED,
      )
    await expect(note(false)).rejects.toThrow('rolled back')
    await note(true)
    await expect.poll(() => kept()).toBe(1)
  })

  test('no workspace keeps more than two hundred, and none for longer than a month', async () => {
    const { workspaceId, viewer } = await team(t)
    const { database, now } = t.app.services
    const old = Array.from({ length: 205 }, (_, i) => ({
      workspace_id: workspaceId,
      words: `word${i}`,
      times: 1,
      last_at: new Date(now().getTime() - (i + 1) * 1000).toISOString(),
    }))
    await database.transaction((db) => db.insertInto('missed_searches').values(old).execute())
    await search(viewer, 'newest words', { scope: 'workspace' })
    const kept = (await rows()).filter((row) => row.workspace_id === workspaceId).map((row) => row.words)
    expect(kept).toHaveLength(200)
    expect(kept).toEqual(expect.arrayContaining(['newest words', 'word0']))
    expect(kept).not.toContain('word204')
    t.later(31 * DAY_MS)
    await dropOldMissedSearches(contextFor(t.app.services))
    expect((await rows()).filter((row) => row.workspace_id === workspaceId)).toEqual([])
  })
})
