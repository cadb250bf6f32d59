import { expect, test } from 'vitest'
import { record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { OPEN_LIBRARY, publish, published } from '../../../test/support/publishing.ts'
import { contentHash } from '../../shared/library-snapshot.ts'

onBothEngines(
  'licences',
  (t) => {
    test('a version gets the default or the chosen licence, keeps it, and the next one may have another', async () => {
      const me = await t.user('Ada')
      const usual = await published(me)
      expect(usual.publication).toMatchObject({
        licence: 'CC-BY-SA-4.0',
        licence_url: 'https://creativecommons.org/licenses/by-sa/4.0/',
        author: 'Ada',
      })
      expect(usual.publication.content_hash).toBe(contentHash(usual))

      const { card_id } = await published(me, '?licence=CC0-1.0')
      expect((await publish(me, card_id)).body.publication.licence).toBe('CC0-1.0')
      const other = await publish(me, card_id, '?licence=MIT')
      expect([other.status, other.body.code, other.body.licence]).toEqual([409, 'licence_fixed', 'CC0-1.0'])
      await me.post(`/api/v1/cards/${card_id}/unpublish`)
      expect((await publish(me, card_id, '?licence=MIT')).status).toBe(409)

      const edited = await me.patch(`/api/v1/cards/${card_id}`, { body: 'More' })
      expect(edited.body.publication).toBeNull()
      const again = await publish(me, card_id, '?licence=MIT')
      expect(again.body.publication).toMatchObject({ licence: 'MIT', content_hash: contentHash(again.body) })
      const next = await me.patch(`/api/v1/cards/${card_id}`, { body: 'Even more' })
      expect(next.body.publication).toMatchObject({ licence: 'MIT', content_hash: contentHash(next.body) })
      const { items } = (await me.get(`/api/v1/cards/${card_id}/history`)).body
      expect(items.map((item: { licence: string }) => item.licence)).toEqual(['MIT', 'MIT', 'CC0-1.0'])
      expect(new Set(items.map((item: { content_hash: string }) => item.content_hash)).size).toBe(3)
      const one = (await me.get(`/api/v1/cards/${card_id}/history/1`)).body
      expect(contentHash(one.content)).toBe(one.content_hash)
    })

    test('a wrong licence is told; a private team gives none, but has the hash', async () => {
      const { workspaceId, editor } = await team(t)
      const card = await record(editor)
      for (const licence of ['GPL-3.0-only', 'cc0-1.0', ''])
        expect((await publish(editor, card.card_id, `?licence=${licence}`)).body.detail[0].loc).toEqual([
          'query',
          'licence',
        ])
      const query = `?target_workspace_id=${workspaceId}`
      expect((await publish(editor, card.card_id, `${query}&licence=MIT`)).status).toBe(422)
      const there = await publish(editor, card.card_id, query)
      t.later(1000)
      const open = (await publish(editor, card.card_id)).body.publication
      expect(open.published_at > there.body.publication.published_at).toBe(true)
      expect(there.body.publication).toMatchObject({ licence: null, content_hash: contentHash(there.body) })
    })

    test('what is written in a private team has no licence, whatever the version before it had', async () => {
      const { workspaceId, admin, editor } = await team(t)
      const { card_id } = await published(editor, '?licence=CC0-1.0')
      const shared = await editor.post(`/api/v1/cards/${card_id}/share`, { workspace_id: workspaceId })
      expect(shared.body.publication.licence).toBe('CC0-1.0')
      const edited = await admin.patch(`/api/v1/cards/${card_id}`, { body: 'Of the team' })
      expect(edited.body.publication).toMatchObject({ licence: null, content_hash: contentHash(edited.body) })
      expect((await publish(editor, card_id, '?licence=MIT')).body.publication.licence).toBe('MIT')
      const { items } = (await editor.get(`/api/v1/cards/${card_id}/history`)).body
      expect(items.map((item: { licence: string }) => item.licence)).toEqual(['MIT', 'CC0-1.0'])
    })

    test('a card from before licences has none until its owner publishes it again', async () => {
      const me = await t.user()
      const { card_id } = await published(me)
      await t.app.services.database.transaction((db) =>
        db.updateTable('cards').set({ licence: null }).where('card_id', '=', card_id).execute(),
      )
      expect((await publish(me, card_id)).body.publication.licence).toBeNull()
      expect((await t.anonymous().get(`/library/${card_id}`)).text).toContain('None was given.')
      expect((await publish(me, card_id, '?licence=CC-BY-4.0')).body.publication.licence).toBe('CC-BY-4.0')
      expect((await publish(me, card_id, '?licence=MIT')).status).toBe(409)
    })

    test('the public page and the export say licence, author and hash', async () => {
      const me = await t.user('Grace')
      const card = await published(me, '?licence=CC0-1.0')
      const { text } = await t.anonymous().get(`/library/${card.card_id}`)
      for (const part of [
        '<link rel="license" href="https://creativecommons.org/publicdomain/zero/1.0/">',
        '<a rel="license" href="https://creativecommons.org/publicdomain/zero/1.0/">CC0-1.0</a>',
        '<dd>Grace</dd>',
        `<code>${card.publication.content_hash}</code>`,
      ])
        expect(text).toContain(part)
      const exported = (await me.get('/api/v1/auth/me/export')).text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .find((line) => line.kind === 'card').value
      expect(exported).toMatchObject({
        licence: 'CC0-1.0',
        content_hash: card.publication.content_hash,
        version_published_at: card.publication.published_at,
      })
    })
  },
  OPEN_LIBRARY,
)
