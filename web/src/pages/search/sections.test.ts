import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { BoxAnswer } from '../../api/search.ts'
import { Summary } from './sections.tsx'

const summary = (mine: number, memory: number) =>
  renderToStaticMarkup(
    Summary({
      answer: { mine: { total: mine }, team: null, memory: { total: memory }, took_ms: 4 } as BoxAnswer,
    }),
  )

test('where a ranking ends, the number of results is the least there are', () => {
  expect(summary(12, 250)).toContain('262 results')
  expect(summary(300, 12)).toContain('312 or more results')
})
