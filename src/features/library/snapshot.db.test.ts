import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { decide, matterOf, report, serviceAdmin } from '../../../test/support/moderation.ts'
import { makeSnapshot, OPEN_LIBRARY, published, snapshotLines } from '../../../test/support/publishing.ts'
import { contextFor } from '../../core/context.ts'
import { contentHash, isSigned, lineHash, NO_LINE, publicKeyOf } from '../../shared/library-snapshot.ts'
import { retireKey } from './signing-keys.ts'
import { countedIn, MAX_PER_HOST } from './snapshot.ts'

const HOUR = 3_600_000

const idsIn = (lines: string[]) => lines.slice(1, -1).map((line) => JSON.parse(line).card_id)

onBothEngines(
  'the snapshot of the library',
  (t) => {
    test('is a signed chain of what everybody may read, made when it is due and by one process', async () => {
      const me = await t.user('Ada')
      expect((await t.anonymous().get('/library/snapshot.jsonl.zst')).status).toBe(404)
      const given = await published(me, '?licence=MIT', { tags: ['a'], environment: { node: '24' } })
      const taken = await published(me)
      await record(me)
      const made = await Promise.all([makeSnapshot(t), makeSnapshot(t), makeSnapshot(t)])
      expect(made.filter(Boolean)).toHaveLength(1)
      expect(await makeSnapshot(t)).toBe(false)

      const lines = await snapshotLines(t)
      expect(idsIn(lines).sort()).toEqual([given.card_id, taken.card_id].sort())
      let prev = NO_LINE
      for (const line of lines.slice(0, -1)) {
        expect(JSON.parse(line).prev).toBe(prev)
        prev = lineHash(line)
      }
      const line = lines.map((text) => JSON.parse(text)).find(({ card_id }) => card_id === given.card_id)
      expect(line).toMatchObject({ author: 'Ada', licence: 'MIT', version: 1 })
      expect([contentHash(line.card), line.content_hash]).toEqual(
        Array(2).fill(given.publication.content_hash),
      )
      const last = JSON.parse(lines.at(-1) ?? '')
      expect(last).toMatchObject({ cards: 2, head: prev, server: OPEN_LIBRARY.BASE_URL })
      const { keys } = (await t.anonymous().get('/.well-known/knowledge-vault.json')).body
      expect(keys).toHaveLength(1)
      expect(keys[0].key_id).toBe(last.key_id)
      expect(isSigned(last, publicKeyOf(keys[0].public_key))).toBe(true)
      expect(isSigned({ ...last, cards: 3 }, publicKeyOf(keys[0].public_key))).toBe(false)

      // What is taken back leaves the snapshot after an hour; the same number of cards waits for a day.
      await me.post(`/api/v1/cards/${taken.card_id}/unpublish`)
      expect(await makeSnapshot(t)).toBe(false)
      t.later(HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      expect(idsIn(await snapshotLines(t))).toEqual([given.card_id])
      t.later(HOUR)
      expect(await makeSnapshot(t)).toBe(false)
      t.later(23 * HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      const { database } = t.app.services
      const kept = await database.read.selectFrom('library_snapshots').select('made_at').execute()
      expect(kept).toHaveLength(2)
    })

    test('a card that goes while another comes leaves after an hour too', async () => {
      const me = await t.user()
      const goes = await published(me)
      t.later(HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      expect(idsIn(await snapshotLines(t))).toContain(goes.card_id)
      await me.post(`/api/v1/cards/${goes.card_id}/unpublish`)
      const comes = await published(me)
      t.later(HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      const ids = idsIn(await snapshotLines(t))
      expect(ids).toContain(comes.card_id)
      expect(ids).not.toContain(goes.card_id)
    })

    test('so does one that goes while a card comes back under the licence it had', async () => {
      const me = await t.user()
      const [goes, returns] = [await published(me), await published(me)]
      await me.post(`/api/v1/cards/${returns.card_id}/unpublish`)
      t.later(HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      await me.post(`/api/v1/cards/${goes.card_id}/unpublish`)
      t.later(1000)
      await me.post(`/api/v1/cards/${returns.card_id}/publish`)
      t.later(HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      const ids = idsIn(await snapshotLines(t))
      expect(ids).toContain(returns.card_id)
      expect(ids).not.toContain(goes.card_id)
    })

    test('so does one that is deleted or taken back while a deleted card comes back', async () => {
      const me = await t.user()
      const [deleted, taken, returns] = [await published(me), await published(me), await published(me)]
      const again = async (goes: string, way: () => Promise<{ status: number }>) => {
        await me.delete(`/api/v1/cards/${returns.card_id}`)
        t.later(HOUR)
        expect(await makeSnapshot(t)).toBe(true)
        expect(idsIn(await snapshotLines(t))).toContain(goes)
        t.later(1000)
        expect((await way()).status).toBeLessThan(300)
        expect((await me.post(`/api/v1/cards/${returns.card_id}/undelete`)).body.status).toBe('published')
        t.later(HOUR)
        expect(await makeSnapshot(t)).toBe(true)
        const ids = idsIn(await snapshotLines(t))
        expect(ids).toContain(returns.card_id)
        expect(ids).not.toContain(goes)
      }
      await again(deleted.card_id, () => me.delete(`/api/v1/cards/${deleted.card_id}`))
      await again(taken.card_id, () => me.post(`/api/v1/cards/${taken.card_id}/unpublish`))
    })

    test('a card that is deleted while another is shown again leaves after an hour too', async () => {
      const [me, boss] = [await t.user(), await serviceAdmin(t)]
      const [deleted, shown] = [await published(me), await published(me)]
      await report(await t.user(), shown.card_id)
      const decided = async (decision: string) =>
        (await decide(boss, await matterOf(boss, shown.card_id), { decision })).status
      expect(await decided('hide')).toBe(200)
      t.later(HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      t.later(1000)
      await me.delete(`/api/v1/cards/${deleted.card_id}`)
      expect(await decided('keep')).toBe(200)
      t.later(HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      const ids = idsIn(await snapshotLines(t))
      expect(ids).toContain(shown.card_id)
      expect(ids).not.toContain(deleted.card_id)
    })

    test('one that a wrong clock has dated later is not handed out, and keeps no other from being made', async () => {
      const me = await t.user()
      const taken = await published(me)
      t.later(365 * 24 * HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      t.later(-365 * 24 * HOUR)
      await me.post(`/api/v1/cards/${taken.card_id}/unpublish`)
      const comes = await published(me)
      t.later(HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      const ids = idsIn(await snapshotLines(t))
      expect(ids).toContain(comes.card_id)
      expect(ids).not.toContain(taken.card_id)
      t.later(24 * HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      expect(await makeSnapshot(t)).toBe(false)
    })

    test('a retired key stays listed, and the next snapshot is by a new one', async () => {
      const before = (await t.anonymous().get('/.well-known/knowledge-vault.json')).body.keys[0].key_id
      expect(await retireKey(contextFor(t.app.services))).toBe(before)
      expect(await makeSnapshot(t)).toBe(true)
      const { keys } = (await t.anonymous().get('/.well-known/knowledge-vault.json')).body
      expect(keys.map((key: { retired_at: string }) => key.retired_at === null)).toEqual([true, false])
      expect(keys[1].key_id).toBe(before)
      expect(JSON.parse((await snapshotLines(t)).at(-1) ?? '').key_id).toBe(keys[0].key_id)
      const { private_key } = await t.app.services.database.read
        .selectFrom('signing_keys')
        .select('private_key')
        .executeTakeFirstOrThrow()
      // PKCS #8 of such a key begins like this; it rests sealed.
      expect(private_key).not.toContain('MC4CAQAwBQYDK2Vw')
    })

    test('is served in pieces, conditionally and without compression', async () => {
      const address = '/library/snapshot.jsonl.zst'
      const whole = await t.app.server.inject(address)
      const { etag = '', 'last-modified': modified = '' } = whole.headers as Record<string, string>
      expect(whole.headers['accept-ranges']).toBe('bytes')
      const rest = await t.app.server.inject({
        url: address,
        headers: { range: 'bytes=10-', 'if-range': etag },
      })
      expect(rest.statusCode).toBe(206)
      expect(rest.rawPayload.equals(whole.rawPayload.subarray(10))).toBe(true)
      const stale = await t.app.server.inject({
        url: address,
        headers: { range: 'bytes=10-', 'if-range': '"x"' },
      })
      expect([stale.statusCode, stale.rawPayload.length]).toEqual([200, whole.rawPayload.length])
      const beyond = await t.app.server.inject({ url: address, headers: { range: 'bytes=999999999-' } })
      expect(beyond.statusCode).toBe(416)
      for (const headers of [{ 'if-none-match': etag }, { 'if-modified-since': modified }])
        expect((await t.app.server.inject({ url: address, headers })).statusCode).toBe(304)
      const plain = await t.app.server.inject('/library/snapshot.jsonl')
      expect(plain.payload).toBe(zstdDecompressSync(whole.rawPayload).toString('utf8'))
    })

    test('HEAD answers with the headers alone: nothing is read for it, so it needs no place among the downloads', async () => {
      await published(await t.user())
      t.later(25 * HOUR)
      expect(await makeSnapshot(t)).toBe(true)
      const addresses = ['/library/snapshot.jsonl.zst', '/library/snapshot.jsonl']
      const named = ['content-type', 'content-length', 'etag', 'last-modified', 'accept-ranges']
      const shown = ({ statusCode, headers }: { statusCode: number; headers: Record<string, unknown> }) => [
        statusCode,
        ...named.map((name) => headers[name]),
      ]
      const whole = await Promise.all(addresses.map((url) => t.app.server.inject(url)))
      const held = Array.from({ length: MAX_PER_HOST }, () => countedIn(new PassThrough(), '127.0.0.1', 1))
      try {
        for (const [at, url] of addresses.entries()) {
          const head = await t.app.server.inject({ method: 'HEAD', url })
          expect([...shown(head), head.payload], url).toEqual([...shown(whole[at] as typeof head), ''])
        }
      } finally {
        for (const stream of held) {
          stream.destroy()
          await once(stream, 'close')
        }
      }
    })
  },
  OPEN_LIBRARY,
)

onBothEngines('a server without public pages', (t) => {
  test('makes no snapshot, and has neither it nor keys to show', async () => {
    await published(await t.user())
    expect(await makeSnapshot(t)).toBe(false)
    for (const address of [
      '/library/snapshot.jsonl.zst',
      '/library/snapshot.jsonl',
      '/.well-known/knowledge-vault.json',
    ])
      expect((await t.anonymous().get(address)).status, address).toBe(404)
  })
})
