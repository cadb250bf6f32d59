import { expect, test } from 'vitest'
import { cardAsMarkdown, cardAsPrompt } from './card-actions.tsx'

const CARD = {
  title: 'Pool exhausted',
  card_type: 'debug_fix' as const,
  symptom: 'Requests hang.',
  fix_summary: 'Release the client.',
  root_cause: 'An early return.',
  steps: [
    { order: 2, action: 'Deploy', result: '' },
    { order: 1, action: 'Fix', result: 'It compiles' },
  ],
  environment: { node: '20' },
  tags: ['postgres'],
  body: null,
  evidences: [],
}

test('steps come in their order, with their results', () => {
  expect(cardAsMarkdown(CARD)).toContain('1. Fix\n   Result: It compiles\n2. Deploy')
})

test('a type has its own headings', () => {
  expect(cardAsMarkdown(CARD)).toContain('## Symptom')
  expect(cardAsMarkdown({ ...CARD, card_type: 'decision' })).toContain('## Question')
})

test('evidence with back-ticks cannot end its own fence', () => {
  const evidence = {
    evidence_id: '1',
    kind: 'log',
    content: 'a\n````\nb',
    meta: null,
    added_by: '',
    created_at: '',
  }
  expect(cardAsMarkdown({ ...CARD, evidences: [evidence] })).toContain('`````\na\n````\nb\n`````')
})

test('the prompt asks to check the card and not to believe it', () => {
  const prompt = cardAsPrompt(CARD)
  expect(prompt).toContain('verify each step')
  expect(prompt).toContain('<card>\n# Pool exhausted')
})
