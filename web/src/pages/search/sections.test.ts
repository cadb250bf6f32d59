import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { BoxAnswer } from '../../api/types.ts'
import { MarkedWords, Summary } from './sections.tsx'

const summary = (mine: number, memory: number, library?: BoxAnswer, showsCredits = true) =>
  renderToStaticMarkup(
    Summary({
      answer: { mine: { total: mine }, team: null, memory: { total: memory }, took_ms: 4 } as BoxAnswer,
      library,
      showsCredits,
    }),
  )

test('where a ranking ends, the number of results is the least there are', () => {
  expect(summary(12, 250)).toContain('262 results')
  expect(summary(300, 12)).toContain('312 or more results')
})

test('after a search of the library its hits and its price count', () => {
  expect(summary(1, 0)).toContain('1 result · 4 ms · free')
  const library = { library: { results: [{}] }, credits_charged: 5 } as BoxAnswer
  expect(summary(0, 0, library)).toContain('1 result · 4 ms · 5 credits charged')
  expect(summary(0, 0, { ...library, credits_charged: 0 })).toContain('nothing charged')

  // Where nothing costs, only a charge is named.
  expect(summary(1, 0, undefined, false)).toContain('1 result · 4 ms<')
  expect(summary(0, 0, { ...library, credits_charged: 0 }, false)).toContain('4 ms<')
  expect(summary(0, 0, library, false)).toContain('5 credits charged')
})

test('whole words are marked in a text, whatever their case and signs', () => {
  const marked = (text: string, words: string[]) =>
    renderToStaticMarkup(createElement('p', null, MarkedWords({ text, words })))
  expect(marked('Release the Pool, not the pools of C++', ['pool', 'c++'])).toBe(
    '<p>Release the <mark>Pool</mark>, not the pools of <mark>C++</mark></p>',
  )
  expect(marked('<b> and (', ['('])).toBe('<p>&lt;b&gt; and <mark>(</mark></p>')
  expect(marked('nothing', [])).toBe('<p>nothing</p>')
})
