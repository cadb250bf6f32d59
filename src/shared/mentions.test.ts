import { expect, test } from 'vitest'
import { mentionedIn, replaceMentions } from './mentions.ts'

const ANN = '0a1b2c3d-0000-7000-8000-0000000000aa'
const BOB = '0a1b2c3d-0000-7000-8000-0000000000bb'

test('people are mentioned by their id, each once, in any case', () => {
  expect(mentionedIn(`<@${BOB}> and <@${ANN.toUpperCase()}>, again <@${BOB}>`)).toEqual([BOB, ANN])
  for (const none of ['@Ann', '<@ann>', `@${ANN}`, `<@${ANN}`, `<${ANN}>`, ''])
    expect(mentionedIn(none)).toEqual([])
})

test('a mention is written as a name, and all else stays', () => {
  expect(replaceMentions(`Ask <@${ANN}> <@x>`, (id) => (id === ANN ? '**@Ann**' : '?'))).toBe(
    'Ask **@Ann** <@x>',
  )
})
