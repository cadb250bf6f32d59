import { beforeAll, expect, test } from 'vitest'
import { goodCard, type Person, record, team, titleWord } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { publish, published } from '../../../test/support/publishing.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { usualTuning } from '../../search-index/index.ts'
import { reindexAll, reindexStale } from '../cards/card-index.ts'
import { findAnyCard, hideCard } from '../cards/review.ts'

type Hit = { card_id: string; hit_reason: string; provenance: object; home: object }

for (const [how, readWhole] of [
  ['read whole', usualTuning().readWhole],
  ['looked up in the index', 0],
] as const)
  onBothEngines(
    `a team’s card in the library, scope ${how}`,
    (t) => {
      beforeAll(() => {
        t.app.services.searchTuning.readWhole = readWhole
      })
      const newWord = () => crypto.randomUUID().replaceAll('-', '')

      async function teamWithPublished() {
        const word = newWord()
        const all = await team(t)
        const { card_id } = await record(all.editor, { ...goodCard(word), workspace_id: all.workspaceId })
        expect((await publish(all.editor, card_id)).status).toBe(200)
        const join = async (person: Person) => {
          const added = { user_id: person.userId, role: 'viewer' }
          expect((await all.admin.post(`/api/v1/workspaces/${all.workspaceId}/members`, added)).status).toBe(
            200,
          )
        }
        const leave = (person: Person) =>
          all.admin.delete(`/api/v1/workspaces/${all.workspaceId}/members/${person.userId}`)
        return { ...all, join, leave, word, query: titleWord(word), cardId: card_id as string }
      }
      const search = async (as: Person, body: object, headers?: Record<string, string>) => {
        const answer = await as.post('/api/v1/search', body, headers)
        expect(answer.status, answer.text).toBe(200)
        return answer.body
      }
      const found = async (as: Person, body: object): Promise<string[]> =>
        (await search(as, body)).results.map((hit: Hit) => hit.card_id)
      const balance = async (as: Person) => (await as.get('/api/v1/credits/balance')).body.balance
      const inTeam = { scope: 'workspace' }

      test('is found by its members for free in every scope that has team cards, and says where it is', async () => {
        const { workspaceId, editor, viewer, query, cardId } = await teamWithPublished()
        const other = (await viewer.post('/api/v1/workspaces', { name: 'Other', type: 'team' })).body
        const home = {
          kind: 'library',
          published_from: { workspace_id: workspaceId, name: 'Team' },
        }
        for (const scope of [
          inTeam,
          { ...inTeam, workspace_ids: [workspaceId] },
          { include_workspaces: true },
          { include_workspaces: true, workspace_ids: [workspaceId] },
        ]) {
          const { results, credits_charged } = await search(viewer, { query, ...scope })
          expect(results, JSON.stringify(scope)).toMatchObject([
            {
              card_id: cardId,
              hit_reason: 'free_workspace_scope',
              provenance: { owner: 'team', workspace: workspaceId },
              home,
              readers: { kind: 'everyone' },
            },
          ])
          expect(credits_charged).toBe(0)
        }
        for (const scope of [inTeam, { include_workspaces: true }])
          expect(await found(viewer, { query, ...scope, workspace_ids: [other.workspace_id] })).toEqual([])
        expect(await found(viewer, { query })).toEqual([])
        for (const named of [{}, { workspace_ids: [workspaceId] }])
          expect(await found(editor, { query, ...named })).toEqual([cardId])

        const box = (await viewer.post('/api/v1/search/box', { query })).body
        expect([box.mine.total, box.team.results[0].card_id]).toEqual([0, cardId])
        const own = (await editor.post('/api/v1/search/box', { query })).body
        expect([own.mine.results[0].card_id, own.team.total]).toEqual([cardId, 0])
        const tool = await viewer.tool('search_records', { query, scope: 'workspace' })
        expect(tool.body).toMatchObject({
          credits_charged: 0,
          data: { results: [{ card_id: cardId, home }] },
        })
        const stranger = await t.user('stranger')
        for (const scope of [
          inTeam,
          { ...inTeam, workspace_ids: [workspaceId] },
          { include_workspaces: true },
        ])
          expect(await found(stranger, { query, ...scope })).toEqual([])
      })

      test('costs its members nothing in scope public, others five, and a mixed answer five once', async () => {
        const { viewer, word, query, cardId, join, leave } = await teamWithPublished()
        const [stranger, author] = [await t.user('stranger'), await t.user('author')]
        const asked = { query, scope: 'public' }
        const free = await search(viewer, asked)
        expect(free).toMatchObject({ credits_charged: 0, credits_balance: 100 })
        expect(free.results).toMatchObject([{ card_id: cardId, hit_reason: 'free_workspace_scope' }])
        const paid = await search(stranger, asked)
        expect(paid).toMatchObject({ credits_charged: 5, results: [{ hit_reason: 'public_hit_charged' }] })
        expect(paid.results[0].provenance.owner).toBe('public')

        const theirs = await published(
          author,
          '',
          goodCard(newWord(), { title: `Another ${query} is empty` }),
        )
        const key = { 'idempotency-key': word }
        const mixed = await search(viewer, asked, key)
        expect(mixed.credits_charged).toBe(5)
        expect(Object.fromEntries(mixed.results.map((hit: Hit) => [hit.card_id, hit.hit_reason]))).toEqual({
          [cardId]: 'free_workspace_scope',
          [theirs.card_id]: 'public_hit_charged',
        })
        expect(await search(viewer, asked, key)).toEqual(mixed)
        expect(await balance(viewer)).toBe(95)
        const spent = (await viewer.get('/api/v1/credits/history')).body.items
        expect(spent.filter((entry: { reason: string }) => entry.reason === 'public_search')).toHaveLength(1)

        await author.post(`/api/v1/cards/${theirs.card_id}/unpublish`)
        await join(stranger)
        expect(await found(stranger, { query, ...inTeam })).toEqual([cardId])
        expect((await search(stranger, asked)).credits_charged).toBe(0)
        await leave(viewer)
        expect(await found(viewer, { query, ...inTeam })).toEqual([])
        expect((await search(viewer, asked)).credits_charged).toBe(5)
      })

      test('costs its members nothing with an empty balance, where a stranger’s card shows nothing', async () => {
        const { viewer, query } = await teamWithPublished()
        await t.app.services.database.transaction((db) =>
          db
            .updateTable('credit_balances')
            .set({ balance: 0 })
            .where('user_id', '=', viewer.userId)
            .execute(),
        )
        const asked = { query, scope: 'public' }
        expect(await search(viewer, asked)).toMatchObject({
          total: 1,
          credits_charged: 0,
          credits_balance: 0,
        })
        await published(
          await t.user('author'),
          '',
          goodCard(newWord(), { title: `Another ${query} is empty` }),
        )
        expect((await viewer.post('/api/v1/search', asked)).status).toBe(402)
      })

      test('stays where a later version fails its review; it ends when hidden, taken back, moved or deleted', async () => {
        const { workspaceId, editor, viewer, query, cardId } = await teamWithPublished()
        const url = `/api/v1/cards/${cardId}`
        const stranger = await t.user('stranger')
        const edited = await editor.patch(url, { fix_summary: 'It is fixed.' })
        expect(edited.body.review.status).toBe('rejected')
        expect((await search(stranger, { query, scope: 'public' })).results).toEqual([])
        expect((await stranger.get(url)).status).toBe(404)
        expect(await found(viewer, { query, ...inTeam })).toEqual([cardId])
        expect((await viewer.get(url)).body.readers).toEqual({ kind: 'members', count: null, text: 'Team' })
        await editor.patch(url, { fix_summary: goodCard(query).fix_summary })
        expect((await stranger.get(url)).status).toBe(200)

        await editor.post(`${url}/unpublish`)
        expect(await found(viewer, { query, ...inTeam })).toEqual([])
        expect((await viewer.get(url)).status).toBe(404)
        expect((await publish(editor, cardId)).status).toBe(200)
        expect(await found(viewer, { query, ...inTeam })).toEqual([cardId])
        await editor.post(`${url}/unpublish`)
        await editor.post(`${url}/move`, { workspace_id: editor.workspaceId })
        expect((await publish(editor, cardId)).status).toBe(200)
        expect(await found(viewer, { query, ...inTeam })).toEqual([])
        expect(await found(editor, { query, ...inTeam })).toEqual([cardId])

        await editor.post(`${url}/share`, { workspace_id: workspaceId })
        expect((await publish(editor, cardId)).status).toBe(200)
        expect(await found(viewer, { query, ...inTeam })).toEqual([cardId])
        await inTx(contextFor(t.app.services), async (ctx) => {
          const card = await findAnyCard(ctx, cardId)
          if (card) await hideCard(ctx, card)
        })
        expect(await found(viewer, { query, ...inTeam })).toEqual([])
        expect((await viewer.get(url)).status).toBe(404)
        expect((await editor.get(url)).body.home.published_from).toBeUndefined()
      })

      test('ends with the team', async () => {
        const { workspaceId, admin, editor, viewer, query, cardId } = await teamWithPublished()
        const gone = await admin.delete(`/api/v1/workspaces/${workspaceId}?confirm_name=Team`)
        expect(gone.status, gone.text).toBe(200)
        await reindexStale(contextFor(t.app.services), new AbortController().signal)
        for (const person of [admin, viewer]) {
          expect(await found(person, { query, ...inTeam })).toEqual([])
          expect((await search(person, { query, scope: 'public' })).credits_charged).toBe(5)
          expect((await person.get(`/api/v1/cards/${cardId}`)).body.home).not.toHaveProperty('published_from')
        }
        expect(await found(editor, { query })).toEqual([cardId])
      })

      test('is found after the index was made anew', async () => {
        const { viewer, query, cardId } = await teamWithPublished()
        await reindexAll(contextFor(t.app.services))
        expect(await found(viewer, { query, ...inTeam })).toEqual([cardId])
      })

      test('a workspace that everybody may read is the place of a published card too', async () => {
        const { workspaceId, admin, editor, viewer } = await team(t)
        const open = (await editor.post('/api/v1/workspaces', { name: 'Open', visibility: 'public' })).body
        const word = newWord()
        const { card_id } = await record(editor, { ...goodCard(word), workspace_id: workspaceId })
        expect((await publish(editor, card_id, `?target_workspace_id=${open.workspace_id}`)).status).toBe(200)
        const asked = { query: titleWord(word), ...inTeam }
        expect(await found(viewer, asked)).toEqual([card_id])
        // Nobody finds it in a workspace that they are not in.
        expect(await found(viewer, { ...asked, workspace_ids: [open.workspace_id] })).toEqual([])
        await editor.patch(`/api/v1/workspaces/${open.workspace_id}`, { visibility: 'private' })
        await reindexStale(contextFor(t.app.services), new AbortController().signal)
        expect(await found(admin, asked)).toEqual([])
        expect((await viewer.get(`/api/v1/cards/${card_id}`)).status).toBe(404)
      })
    },
    {},
  )
