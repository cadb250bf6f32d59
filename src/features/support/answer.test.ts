import { expect, test } from 'vitest'
import { Guide, loadGuide, parsePage } from '../guide/guide.ts'
import { answerPieces, answerWhole, lookUp, NOTHING_FOUND } from './chat.ts'

const guide = new Guide([
  parsePage(
    'cards',
    '# Cards\nAbout cards.\n## Share a card\nPress Share.\n\n```\nkvault share\n\nkvault list\n```',
  ),
  parsePage(
    'billing',
    `# Billing\nMoney.\n## Refunds\n${'A long paragraph about refunds. '.repeat(40)}\n\nThe end.`,
  ),
])

async function reply(
  message: string,
  history: { role: 'user' | 'assistant'; content: string }[] = [],
  more: { guide?: Guide; isInWebApp?: boolean } = {},
) {
  const material = lookUp({
    message,
    history,
    guide,
    isInWebApp: false,
    baseUrl: 'https://vault.example',
    ...more,
    llm: null,
    onModelError: () => {},
  })
  let text = ''
  for await (const piece of answerPieces(material)) text += piece
  expect(await answerWhole(material)).toBe(text)
  return { text, sources: material.sources }
}

test('without a model sentences of the best section are the answer, code whole, with its page', async () => {
  const { text, sources } = await reply('How can I share my card?')
  expect(text).toContain('Press Share.')
  expect(text).toContain('From the guide: [Cards: Share a card](/guide/cards#share-a-card)')
  expect(text).toContain('```\nkvault share\n\nkvault list\n```')
  expect(sources[0]).toEqual({ title: 'Cards: Share a card', url: '/guide/cards#share-a-card' })
})

test('of a long section a few sentences are said', async () => {
  const { text } = await reply('refunds')
  expect(text.split('A long paragraph')).toHaveLength(4)
  expect(text).not.toContain('The end.')
})

test('a short follow-up is understood with the question before it', async () => {
  const { sources } = await reply('and how exactly?', [{ role: 'user', content: 'Can I share a card?' }])
  expect(sources[0]?.url).toBe('/guide/cards#share-a-card')
})

test('a question of its own is searched by itself', async () => {
  const history = [{ role: 'user' as const, content: 'Can I share a card?' }]
  expect((await reply('Refunds?', history)).sources[0]?.url).toBe('/guide/billing#refunds')
  expect((await reply('And how do I do that?', history)).sources[0]?.url).toBe('/guide/cards#share-a-card')
})

test('a row of a table is said with its column', async () => {
  const guide = new Guide([
    parsePage(
      'teams',
      '# Teams\n## Roles\n\n| | viewer | editor |\n|---|---|---|\n| write cards | | yes |\n',
    ),
  ])
  expect((await reply('Who may write cards?', [], { guide })).text).toContain('**write cards**: editor.')
})

test('a section that only shares a word with the question is not given as the answer', async () => {
  const { text } = await reply('Which paragraph of the tenancy law covers subletting a garden house?')
  expect(text).toMatch(/^I do not know/)
})

test('the answer says plainly when the guide has nothing', async () => {
  expect(await reply('quaternion zebra')).toEqual({ text: NOTHING_FOUND, sources: [] })
})

test('somebody in the web app is told what to click, and no address is left open', async () => {
  const whole = loadGuide()
  for (const [question, url] of [
    ['How do I connect Claude Code?', '/guide/web-app#connect-your-agent'],
    ['How do I change my password?', '/guide/web-app#settings'],
    ['How do I invite somebody to my team?', '/guide/web-app#team'],
    ['How can I invite my colleague?', '/guide/web-app#team'],
    ['How do I leave a team?', '/guide/web-app#team'],
    ['How do I make a card public?', '/guide/web-app#share-publish-delete'],
    ['How do I revoke an API key?', '/guide/web-app#settings'],
    ['How do I publish a card?', '/guide/web-app#share-publish-delete'],
    ['Where do I see the answer to my ticket?', '/guide/web-app#support'],
  ] as const) {
    const { text, sources } = await reply(question, [], { guide: whole, isInWebApp: true })
    expect(sources[0]?.url, question).toBe(url)
    expect(text, question).not.toMatch(/\/api\/v1\/|curl/)
  }
  for (const question of ['How do I create an API key?', 'How do I revoke an API key?'])
    expect((await reply(question, [], { guide: whole })).sources[0]?.url, question).toBe(
      '/guide/account#api-keys',
    )
  const { text } = await reply('One command that connects all agents on my computer', [], { guide: whole })
  expect(text).toContain('https://vault.example/kvault.tgz')
  expect(text).not.toContain('{base_url}')
})
