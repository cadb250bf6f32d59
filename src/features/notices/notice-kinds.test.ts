import { expect, test } from 'vitest'
import { noticeText } from './notice-kinds.ts'

test('the reason of a moderator ends as a sentence does, also if it was written without a full stop', () => {
  for (const [reason, expected] of [
    ['Breaks the rules', 'Reason: Breaks the rules. The page'],
    ['It tells to switch off TLS.', 'switch off TLS. The page'],
    ['Why should anybody do this?', 'do this? The page'],
    ['It says “never check.”', 'check.” The page'],
    ['违反规则。', '违反规则。 The page'],
  ] as const) {
    const { line } = noticeText('card.moderated', { actor: 'A moderator', decision: 'hide', reason })
    expect(line, reason).toContain(expected)
  }
})

test('a long reason is cut between two characters, and the cut can be seen', () => {
  const reason = `${'a'.repeat(499)}😀 and what else is wrong with it`
  const { line } = noticeText('card.moderated', { actor: 'A moderator', decision: 'hide', reason })
  expect(line.isWellFormed()).toBe(true)
  expect(line).toContain('… The page')
})
