import { describe, expect, test } from 'vitest'
import { Guide, loadGuide, parsePage } from './guide.ts'
import { renderGuide } from './render.ts'

const page = parsePage(
  'sample',
  [
    '# Sample page',
    'Intro.',
    '## Share a card',
    'Press **Share**. See [billing](billing.md#plans).',
    '```',
    '# not a heading',
    '```',
    '## Limits',
    'Ten a minute.',
    '### Limits',
    'Again.',
    '## `code` & <b>markup</b>',
    '<script>alert(1)</script>',
    '',
    '[x](javascript:alert(1))',
  ].join('\n'),
)

describe('a guide page', () => {
  test('is cut at its headings, not at lines of code that look like one', () => {
    expect(page.title).toBe('Sample page')
    expect(page.sections.map((section) => section.title)).toEqual([
      'Sample page',
      'Share a card',
      'Limits',
      'Limits',
      'code & <b>markup</b>',
    ])
    expect(page.sections[1]?.text).toContain('# not a heading')
    expect(page.sections[3]?.url).toBe('/guide/sample#limits-2')
    // What stands after the language of a fence is for those who edit the page.
    const noted = parsePage('noted', '# Noted\n```console needs a browser\nkvault login\n```')
    expect(noted.sections[0]?.text).toBe('```console\nkvault login\n```')
  })

  test('is rendered with the anchors that sources point at', () => {
    const { text } = renderGuide(page)
    for (const section of page.sections) expect(text).toContain(`id="${section.anchor}"`)
    expect(text).toContain('href="/guide/billing#plans"')
  })

  test('never lets markup or script through', () => {
    const { text } = renderGuide(page)
    expect(text).not.toContain('<script>')
    expect(text).not.toContain('<b>')
    expect(text).not.toContain('javascript:')
  })
})

describe('search in the guide', () => {
  const guide = loadGuide()
  const rendered = [...guide.pages.values()].map((page) => ({ page, text: renderGuide(page).text }))

  test.each([
    ['How do I create an API key?', '/guide/account#api-keys'],
    ['delete my account', '/guide/account#deleting-your-account'],
    ['How do I back up the vault?', '/guide/backup#back-up-and-restore'],
    ['How do I cancel my subscription?', '/guide/billing#change-or-cancel-a-plan'],
    ['my payment failed, what now', '/guide/billing#if-a-payment-fails'],
    ['how many attachments can a ticket have', '/guide/support#open-a-ticket'],
    ['what does the free trial of invite codes give', '/guide/billing#invite-codes'],
  ])('%s', (question, url) => {
    expect(guide.search(question, 3).map((hit) => hit.section.url)).toContain(url)
  })

  test('every section of every page can be linked to', () => {
    for (const { page, text } of rendered)
      for (const section of page.sections) expect(text, section.url).toContain(`id="${section.anchor}"`)
  })

  test('every link leads to a page and a section that this server has', () => {
    const anchorsOf = (slug = '') => guide.pages.get(slug)?.sections.map(({ anchor }) => anchor)
    for (const { page, text } of rendered) {
      for (const [, address = ''] of text.matchAll(/href="([^"]*)"/g)) {
        expect(address, page.slug).toMatch(/^(https?:\/\/|#|\/guide\/)/)
        const [, slug, anchor] = /^(?:\/guide\/([a-z0-9-]+))?(?:#(.+))?$/.exec(address) ?? []
        if (anchor) expect(anchorsOf(slug ?? page.slug), address).toContain(anchor)
      }
    }
  })

  test('a question about something else finds nothing', () => {
    expect(guide.search('zzzxqy', 3)).toEqual([])
    expect(new Guide([]).search('cancel', 3)).toEqual([])
  })
})
