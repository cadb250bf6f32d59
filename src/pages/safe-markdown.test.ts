import { expect, test } from 'vitest'
import { safeMarkdown } from './markdown.ts'

const render = (text: string) => safeMarkdown(text).text

test('common forms are shown', () => {
  expect(render('# Title\nOne `two` **three `four`**\nand five\n\n> said')).toBe(
    '<h3>Title</h3><p>One <code>two</code> <strong>three <code>four</code></strong>\nand five</p><blockquote><p>said</p></blockquote>',
  )
  expect(render('- a\n- b\n  more\n1. c')).toBe('<ul><li>a</li><li>b\nmore</li></ul><ol><li>c</li></ol>')
  expect(render('~~~ sh\n# no heading\n\n**no**\n~~~\nafter')).toBe(
    '<pre tabindex="0"># no heading\n\n**no**</pre><p>after</p>',
  )
  expect(render('|a|b|\n|-|-|')).toBe('<pre tabindex="0">|a|b|\n|-|-|</pre>')
  const rel = 'rel="nofollow ugc noopener noreferrer"'
  expect(render('[a](https://b.example/c?d=1&e) https://f.example')).toBe(
    `<p><a href="https://b.example/c?d=1&amp;e" ${rel}>a</a> <a href="https://f.example" ${rel}>https://f.example</a></p>`,
  )
  expect(render('__init__.py and _name_')).toBe('<p>__init__.py and _name_</p>')
  expect(render('![pixel](https://b.example/p.png)')).not.toContain('<img')
})

test('everything else stays text', () => {
  for (const text of [
    '<script>alert(1)</script>',
    '[x](javascript:alert(1))',
    '[x](data:text/html,<b>)',
    '<img src=x onerror=alert(1)>',
    '[x](https://a" onmouseover="alert(1))',
    '```\n</pre><script>alert(1)</script>',
    '`<b>`',
  ]) {
    const shown = render(text)
    expect(shown, text).not.toMatch(/<(?!\/?(?:p|pre|code|a)\b)|href="(?!https?:)|<[^>]* on\w+=/)
  }
})

test('hostile text is read once, like any other', () => {
  const signs = ['*a_', '[', '[a](', '> ', '`a', '**a*', '![](', 'http://a.', '- ', '|a', '#', '**']
  for (const sign of signs) {
    const text = sign.repeat(20_000 / sign.length)
    // Text and markup: nothing is multiplied.
    expect(render(text).length, sign).toBeLessThan(20 * text.length)
  }
})
