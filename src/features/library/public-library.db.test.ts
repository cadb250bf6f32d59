import { expect, test } from 'vitest'
import { goodCard, type Person, record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { siteMap, siteMapIndex } from './public-pages.ts'

const UNKNOWN = '01890000-0000-7000-8000-000000000000'
const ON = { PUBLIC_PAGES: 'on', BASE_URL: 'https://vault.example' }

const publish = async (me: Person, more: Record<string, unknown> = {}) => {
  const card = await record(me, more)
  const published = await me.post(`/api/v1/cards/${card.card_id}/publish`)
  expect(published.status, published.text).toBe(200)
  return published.body
}

onBothEngines(
  'the public library',
  (t) => {
    test('shows a card with all that a search engine and a preview need', async () => {
      const card = await publish(await t.user(), {
        ...goodCard(),
        symptom:
          'The **import** "stops" <at> night & nobody sees a message in the log of the service at all.',
        steps: [{ order: 1, action: 'Look at the lock' }],
        tags: ['locks'],
        environment: { node: '24.1' },
      })
      const page = await t.anonymous().get(`/library/${card.card_id}`)
      expect(page.status).toBe(200)
      expect(page.headers['cache-control']).toBe('public, max-age=60')
      expect(page.headers['content-security-policy']).toContain("default-src 'none'")
      const url = `https://vault.example/library/${card.card_id}`
      for (const text of [
        `<title>${card.title} · Knowledge Vault</title>`,
        `<link rel="canonical" href="${url}">`,
        `<meta property="og:url" content="${url}">`,
        `<meta property="og:title" content="${card.title}">`,
        'content="The import &quot;stops&quot; &lt;at night &amp; nobody sees a message in the log of the service at all."',
        '<strong>import</strong>',
        'Look at the lock',
        '<li>locks</li>',
        '<dd>24.1</dd>',
      ])
        expect(page.text).toContain(text)
      expect(page.text).not.toContain('noindex')
      const list = await t.anonymous().get('/library')
      expect(list.text).toContain(`href="/library/${card.card_id}"`)
      expect((await t.anonymous().get('/sitemap.xml')).text).toContain(`<loc>${url}</loc>`)
      expect((await t.anonymous().get('/robots.txt')).text).toContain(
        'Sitemap: https://vault.example/sitemap.xml',
      )
    })

    test('an id in capital letters is the same card, as in the API', async () => {
      const card = await publish(await t.user())
      const answer = await t.anonymous().get(`/library/${card.card_id.toUpperCase()}`)
      expect(answer.status).toBe(200)
      expect(answer.text).toContain(card.title)
    })

    test('text of strangers stays text', async () => {
      const card = await publish(await t.user(), {
        fix_summary:
          'Click [here](javascript:alert(1)) or [there](https://example.com/a) and see ![x](https://example.com/x.png) <script>alert(1)</script> <img src=x onerror=alert(1)> to release every client',
        tags: ['"><script>alert(1)</script>'],
      })
      const { text } = await t.anonymous().get(`/library/${card.card_id}`)
      expect(text).not.toMatch(/<script|<img|href="javascript/)
      expect(text).toContain('href="https://example.com/a" rel="nofollow ugc noopener noreferrer"')
    })

    test('the beginning of a card reads as a sentence, without the marks of code', async () => {
      const symptom = 'After a deploy each request of the shop fails with `ECONNRESET by peer`.'
      const { card_id } = await publish(await t.user(), { symptom })
      const { text } = await t.anonymous().get(`/library/${card_id}`)
      expect(text).toContain(
        'content="After a deploy each request of the shop fails with ECONNRESET by peer."',
      )
    })

    test('a private card, a deleted one and none at all are the same bytes', async () => {
      const me = await t.user()
      const hidden = await record(me, { title: 'The secret plan of the whole company' })
      const shared = await record(me)
      await me.post(`/api/v1/cards/${shared.card_id}/share`)
      const gone = await publish(me)
      await me.post(`/api/v1/cards/${gone.card_id}/unpublish`)
      const answers = []
      for (const id of [UNKNOWN, hidden.card_id, shared.card_id, gone.card_id, 'no-id-at-all', '%00'])
        answers.push(await t.anonymous().get(`/library/${id}`))
      for (const { status, text } of answers.slice(0, 5)) {
        expect(status).toBe(404)
        expect(text).toBe(answers[0]?.text)
      }
      expect(answers[5]?.status).toBeGreaterThanOrEqual(400)
      expect(answers[0]?.text).toContain('<meta property="og:title" content="A card in Knowledge Vault">')
      expect((await t.anonymous().get('/library')).text).not.toContain(hidden.card_id)
      expect((await t.anonymous().get('/sitemap.xml')).text).not.toContain(hidden.card_id)
    })

    test('pages have an end, and numbers are numbers', async () => {
      expect((await t.anonymous().get('/library?page=900')).text).toContain('There is nothing on this page.')
      for (const address of ['/library?page=0', '/library?page=1e9', '/library?page=99999', '/sitemaps/0'])
        expect((await t.anonymous().get(address)).status, address).toBe(404)
      expect((await t.anonymous().get('/sitemaps/2')).text).not.toContain('<url>')
    })
  },
  ON,
)

onBothEngines('a server without public pages', (t) => {
  test('shows strangers nothing of the library', async () => {
    const card = await publish(await t.user())
    const answer = await t.anonymous().get('/sitemap.xml')
    expect(answer.status).toBe(404)
    expect((await t.anonymous().get('/robots.txt')).text).toBe('User-agent: *\nDisallow: /\n')
    expect((await t.anonymous().get(`/library/${card.card_id}`)).text).not.toContain(card.title)
  })
})

test('many cards make a list of maps, within the limits of the format', () => {
  expect(siteMapIndex(3, 'https://vault.example').match(/<sitemap>/g)).toHaveLength(3)
  expect(siteMapIndex(3, 'https://vault.example')).toContain('<loc>https://vault.example/sitemaps/3</loc>')
  expect(siteMapIndex(10_000, 'https://vault.example').match(/<sitemap>/g)).toHaveLength(200)
  expect(siteMap([], 'https://vault.example')).toContain('<urlset')
})
