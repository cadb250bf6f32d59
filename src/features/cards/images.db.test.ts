import { expect, test } from 'vitest'
import { goodCard } from '../../../test/support/cards.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { makeGif, makeJpeg, makePng, pngChunk } from '../../../test/support/picture-files.ts'
import { contextFor } from '../../core/context.ts'
import { MAX_IMAGE_BYTES } from '../../shared/image-format.ts'
import { DAY_MS } from '../../shared/time.ts'
import { dropLooseImages, MAX_IMAGES_PER_CARD } from './images.ts'

type Person = Awaited<ReturnType<TestVault['user']>>
/** A picture that differs from all others, and of about as many bytes. */
let pictures = 0
const newPicture = (bytes = 0) =>
  makePng(4, 3, [
    pngChunk('tEXt', 'Comment\0taken at home'),
    pngChunk('sBIT', `${++pictures}${'x'.repeat(bytes)}`),
  ])

onBothEngines(
  'pictures of cards',
  (t) => {
    const send = (
      person: Person,
      payload: Buffer,
      options: { query?: string; headers?: Record<string, string> } = {},
    ) =>
      t.app.server.inject({
        method: 'POST',
        url: `/api/v1/images${options.query ?? ''}`,
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'image/png', ...options.headers },
        payload,
      })
    const fetched = (person: Person, url: string, headers: Record<string, string> = {}) =>
      t.app.server.inject({ url, headers: { authorization: `Bearer ${person.token}`, ...headers } })
    const cardWith = async (person: Person, url: string, more = {}) =>
      (
        await person.post('/api/v1/cards', {
          ...goodCard(`n${++pictures}`),
          body: `See ![it](${url})`,
          ...more,
        })
      ).body
    const listed = async (person: Person, cardId: string) =>
      (await person.get(`/api/v1/cards/${cardId}/images`)).body.items.map(
        (image: { image_id: string }) => image.image_id,
      )

    test('a picture belongs to the card that names it, and readers of the card can see it', async () => {
      const [owner, member, stranger] = [await t.user(), await t.user(), await t.user()]
      const team = (await owner.post('/api/v1/workspaces', { name: 'Team' })).body
      await owner.post(`/api/v1/workspaces/${team.workspace_id}/members`, { user_id: member.userId })
      const uploaded = await send(owner, newPicture(200_000))
      expect(uploaded.statusCode).toBe(201)
      const { image_id, url, card_id } = uploaded.json()
      expect([url, card_id]).toEqual([`/api/v1/images/${image_id}`, null])
      expect((await fetched(owner, url)).statusCode).toBe(200)
      expect((await fetched(member, url)).statusCode).toBe(404)
      const card = await cardWith(owner, url, { workspace_id: team.workspace_id })
      expect(await listed(owner, card.card_id)).toEqual([image_id])
      expect((await fetched(member, url)).statusCode).toBe(404)
      await owner.post(`/api/v1/cards/${card.card_id}/share`)
      const read = await fetched(member, url)
      expect(read.headers).toMatchObject({
        'content-type': 'image/png',
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-cache',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(read.headers['content-security-policy']).toContain('sandbox')
      expect(read.rawPayload.toString('latin1')).not.toContain('taken at home')
      expect(read.rawPayload.length).toBe(uploaded.json().size_bytes)
      const again = await fetched(member, url, { 'if-none-match': String(read.headers.etag) })
      expect([again.statusCode, again.payload]).toEqual([304, ''])
      for (const path of [url, `/api/v1/cards/${card.card_id}/images`])
        expect((await fetched(stranger, path)).statusCode).toBe(404)
      expect((await member.delete(url)).status).toBe(403)
      expect((await stranger.delete(url)).status).toBe(404)
    })

    test('naming the picture of somebody else, or of another card, takes nothing', async () => {
      const [owner, thief] = [await t.user(), await t.user()]
      const { url, image_id } = (await send(owner, newPicture())).json()
      const stolen = await cardWith(thief, url)
      expect(await listed(thief, stolen.card_id)).toEqual([])
      expect((await fetched(thief, url)).statusCode).toBe(404)
      const first = await cardWith(owner, url)
      const second = await cardWith(owner, url)
      expect([await listed(owner, first.card_id), await listed(owner, second.card_id)]).toEqual([
        [image_id],
        [],
      ])
    })

    test('a file that is not a picture is refused with a reason, before or after it is read', async () => {
      const user = await t.user()
      const refused = async (payload: Buffer, headers = {}) => {
        const answer = await send(user, payload, { headers })
        const { code, detail } = answer.json()
        return [answer.statusCode, code ?? detail[0].type]
      }
      expect(await refused(Buffer.from('<svg/>'))).toEqual([415, 'unsupported_media_type'])
      expect(await refused(makePng().subarray(0, 60))).toEqual([422, 'bad_image'])
      expect(await refused(Buffer.concat([makeGif(), Buffer.from('<script>')]))).toEqual([422, 'bad_image'])
      expect(await refused(makeJpeg(30_000, 3))).toEqual([422, 'bad_image'])
      expect(await refused(Buffer.alloc(MAX_IMAGE_BYTES + 1))).toEqual([413, 'payload_too_large'])
      expect(await refused(makePng(), { 'content-type': 'text/html' })).toEqual([
        415,
        'unsupported_media_type',
      ])
      const svg = await send(user, Buffer.from('<svg/>'), { headers: { 'content-type': 'image/svg+xml' } })
      expect([svg.statusCode, svg.json().detail]).toEqual([415, 'This is not a PNG, JPEG, WebP or GIF.'])
      expect((await send(user, makeGif())).json().media_type).toBe('image/gif')
      expect((await send(user, newPicture(), { query: '?card_id=x' })).statusCode).toBe(422)
      expect((await send(user, newPicture(), { query: `?card_id=${user.userId}` })).statusCode).toBe(404)
      expect((await fetched(user, '/api/v1/images/x')).statusCode).toBe(422)
    })

    test('a key makes one picture of two requests', async () => {
      const user = await t.user()
      const picture = newPicture()
      const headers = { 'idempotency-key': 'once' }
      const [first, second] = [await send(user, picture, { headers }), await send(user, picture, { headers })]
      expect(second.json()).toEqual(first.json())
      expect((await send(user, newPicture(), { headers })).statusCode).toBe(409)
    })

    test('a person has room for 1 MiB here, also with two requests at once, and gets it back', async () => {
      const user = await t.user()
      const answers = await Promise.all([send(user, newPicture(600_000)), send(user, newPicture(600_000))])
      expect(answers.map((answer) => answer.statusCode).sort()).toEqual([201, 507])
      const kept = answers.find((answer) => answer.statusCode === 201)?.json()
      expect((await user.delete(kept.url)).status).toBe(204)
      expect((await send(user, newPicture(600_000))).statusCode).toBe(201)
    })

    test('If-Match is for cards: requests for pictures ignore it', async () => {
      const user = await t.user()
      const card = (await user.post('/api/v1/cards', goodCard('tagged'))).body
      const query = `?card_id=${card.card_id}`
      const sent = await send(user, newPicture(), { query, headers: { 'if-match': '"9"' } })
      expect(sent.statusCode).toBe(201)
      const { url } = sent.json()
      const tag = String((await fetched(user, url)).headers.etag)
      expect((await user.delete(url, { 'if-match': tag })).status).toBe(204)
    })

    test('a card has room for so many', async () => {
      const user = await t.user()
      const card = (await user.post('/api/v1/cards', goodCard('many'))).body
      const query = `?card_id=${card.card_id}`
      for (let n = 0; n < MAX_IMAGES_PER_CARD; n++)
        expect((await send(user, newPicture(), { query })).statusCode).toBe(201)
      expect((await send(user, newPicture(), { query })).statusCode).toBe(422)
      expect(await listed(user, card.card_id)).toHaveLength(MAX_IMAGES_PER_CARD)
    })

    test('pictures stay with earlier versions, are deleted with the card, and are in the export', async () => {
      const user = await t.user()
      const { url, image_id } = (await send(user, newPicture())).json()
      const card = await cardWith(user, url)
      await user.patch(`/api/v1/cards/${card.card_id}`, { body: 'Without it.' })
      expect(await listed(user, card.card_id)).toEqual([image_id])
      const lines = (await user.get('/api/v1/auth/me/export')).text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const { value } = lines.find((line) => line.kind === 'card_image')
      expect(Buffer.from(value.content, 'base64').equals((await fetched(user, url)).rawPayload)).toBe(true)
      await user.delete(`/api/v1/cards/${card.card_id}`)
      expect((await fetched(user, url)).statusCode).toBe(404)
      await user.post(`/api/v1/cards/${card.card_id}/undelete`)
      expect((await fetched(user, url)).statusCode).toBe(200)
      const { db } = contextFor(t.app.services)
      const left = () =>
        db.selectFrom('card_image_parts').select('image_id').where('image_id', '=', image_id).execute()
      expect(await left()).not.toEqual([])
      expect((await user.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
      expect(await left()).toEqual([])
    })

    test('a picture that was taken out before others got the card is only for its owner', async () => {
      const [owner, admin, stranger] = [await t.user(), await t.user(), await t.user()]
      const team = (await admin.post('/api/v1/workspaces', { name: 'Team' })).body
      const member = { user_id: owner.userId, role: 'editor' }
      await admin.post(`/api/v1/workspaces/${team.workspace_id}/members`, member)
      const [taken, shown] = [
        (await send(owner, newPicture())).json(),
        (await send(owner, newPicture())).json(),
      ]
      const card = await cardWith(owner, taken.url)
      await owner.patch(`/api/v1/cards/${card.card_id}`, { body: `Only ![this](${shown.url.toUpperCase()})` })
      await owner.post(`/api/v1/cards/${card.card_id}/move`, { workspace_id: team.workspace_id })
      const sees = async (person: Person) => [
        (await listed(person, card.card_id)).length,
        (await fetched(person, taken.url)).statusCode,
        (await fetched(person, shown.url)).statusCode,
      ]
      expect(await sees(admin)).toEqual([1, 404, 200])
      expect((await admin.delete(taken.url)).status).toBe(404)
      // A version that the team has read keeps its picture, for those who may edit the card.
      await owner.patch(`/api/v1/cards/${card.card_id}`, { body: 'None any more.' })
      expect(await sees(admin)).toEqual([1, 404, 200])
      expect((await owner.post(`/api/v1/cards/${card.card_id}/publish`)).status).toBe(200)
      expect(await sees(stranger)).toEqual([0, 404, 404])
      expect(await sees(owner)).toEqual([2, 200, 200])
    })

    test('a picture that no card names is dropped after a month', async () => {
      const user = await t.user()
      const loose = (await send(user, newPicture())).json()
      const named = (await send(user, newPicture())).json()
      await cardWith(user, named.url)
      const seen = (await send(user, newPicture())).json()
      const steps = [{ order: 1, action: 'Look', result: `![it](${seen.url})` }]
      await cardWith(user, named.url, { steps })
      t.later(29 * DAY_MS)
      await dropLooseImages(contextFor(t.app.services))
      expect((await fetched(user, loose.url)).statusCode).toBe(200)
      t.later(2 * DAY_MS)
      const back = (
        await t
          .anonymous()
          .post('/api/v1/auth/login', { email: user.email, password: 'correct horse battery' })
      ).body
      const later = { ...user, token: back.access_token }
      await dropLooseImages(contextFor(t.app.services))
      expect((await fetched(later, loose.url)).statusCode).toBe(404)
      for (const { url } of [named, seen]) expect((await fetched(later, url)).statusCode).toBe(200)
    })
  },
  { IMAGES_MB_PER_PERSON: '1' },
)
