import { expect, test } from 'vitest'
import { Guide, parsePage } from '../guide/guide.ts'
import { answerPieces, answerWhole, lookUp, NOTHING_FOUND } from './answer.ts'

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

async function reply(message: string, history: { role: 'user' | 'assistant'; content: string }[] = []) {
  const material = lookUp({
    message,
    history,
    guide,
    llm: null,
    onModelError: () => {},
  })
  let text = ''
  for await (const piece of answerPieces(material)) text += piece
  expect(await answerWhole(material)).toBe(text)
  return { text, sources: material.sources }
}

test('without a model the best section is the answer, code whole, with its source', async () => {
  const { text, sources } = await reply('How can I share my card?')
  expect(text).toContain('**Cards: Share a card**')
  expect(text).toContain('```\nkvault share\n\nkvault list\n```')
  expect(sources[0]).toEqual({ title: 'Cards: Share a card', url: '/guide/cards#share-a-card' })
})

test('a long section is cut between paragraphs', async () => {
  const { text } = await reply('refunds')
  expect(text).toContain('A long paragraph')
  expect(text).not.toContain('The end.')
})

test('a short follow-up is understood with the question before it', async () => {
  const { sources } = await reply('and how exactly?', [{ role: 'user', content: 'Can I share a card?' }])
  expect(sources[0]?.url).toBe('/guide/cards#share-a-card')
})

test('what the guide does not have is said plainly', async () => {
  expect(await reply('quaternion zebra')).toEqual({ text: NOTHING_FOUND, sources: [] })
})
