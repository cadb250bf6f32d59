import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Marked } from './sections.tsx'

const shown = (text: string) => renderToStaticMarkup(createElement(Marked, { text }))

test('a snippet is text with its hits marked, without fences, their language, and other marks of Markdown', () => {
  expect(shown('```text npm <mark>ERR</mark>! `code` **E401** ``` then &lt;b&gt;')).toBe(
    ' npm <mark>ERR</mark>! code E401  then &lt;b&gt;',
  )
  expect(shown('…see ~~~shell-session $ <mark>npm</mark> ci ~~~ done')).toBe(
    '…see  $ <mark>npm</mark> ci  done',
  )
})
