import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type Block, parseBlocks } from './blocks.ts'
import { type Inline, parseInlines, safeAddress } from './inlines.ts'
import { Markdown } from './markdown.tsx'

/** Inlines as a short notation: `em(a)`, `code(x)`, `link(address: text)`, `⏎`. */
const shown = (inlines: Inline[]): string =>
  inlines
    .map((inline) => {
      if (typeof inline === 'string') return inline
      if (inline.kind === 'break') return '⏎'
      if (inline.kind === 'code') return `code(${inline.text})`
      if (inline.kind === 'image') return `image(${inline.src}: ${inline.alt})`
      const prefix = inline.kind === 'link' ? `${inline.href}: ` : ''
      return `${inline.kind}(${prefix}${shown(inline.children)})`
    })
    .join('')

const INLINES: [text: string, expected: string][] = [
  ['plain text', 'plain text'],
  ['one\ntwo  \nthree\\\nfour', 'one⏎two⏎three⏎four'],
  ['*a* **c** ~~e~~ ~f~', 'em(a) strong(c) del(e) del(f)'],
  ['remove __init__.py, _name and name_, __a__ b', 'remove __init__.py, _name and name_, __a__ b'],
  ['**__init__** `__init__` *_x_*', 'strong(__init__) code(__init__) em(_x_)'],
  ['***both***', 'em(strong(both))'],
  ['**bold *and em* inside**', 'strong(bold em(and em) inside)'],
  ['snake_case_name and 2*3*4 = 24', 'snake_case_name and 2em(3)4 = 24'],
  ['a * b * c, _ _, **', 'a * b * c, _ _, **'],
  ['`npm ci` and ``a ` b`` and `open', 'code(npm ci) and code(a ` b) and `open'],
  ['\\*not em\\* \\`x\\`', '*not em* `x`'],
  ['[text](https://a.example/x_(y) "title")', 'link(https://a.example/x_(y): text)'],
  ['[**b** `c`](/x) [no link] [x]', 'link(/x: strong(b) code(c)) [no link] [x]'],
  ['![alt *x*](/api/v1/images/1)', 'image(/api/v1/images/1: alt x)'],
  ['[![i](/p)](/q)', 'link(/q: image(/p: i))'],
  [
    'see https://a.example/b?c=d, or (www.b.example).',
    'see link(https://a.example/b?c=d: https://a.example/b?c=d), or (link(https://www.b.example: www.b.example)).',
  ],
  [
    '<https://a.example> <me@a.example> <b>raw</b>',
    'link(https://a.example: https://a.example) link(mailto:me@a.example: me@a.example) <b>raw</b>',
  ],
  ['a &lt;b&gt; &amp; &copy;', 'a <b> & &copy;'],
  ['[x](javascript:alert(1)) [y](<data:text/html,1>)', 'x y'],
  ['[x](a b) [y](', '[x](a b) [y]('],
]

test('inlines read as in CommonMark, but underscores and line breaks stay', () => {
  for (const [text, expected] of INLINES) expect(shown(parseInlines(text)), text).toBe(expected)
})

test('in a text that an editor has wrapped, only a backslash or two spaces break a line', () => {
  const text = 'one\ntwo\\\\\nthree  \nfour\\\n*five\nsix*\n`a\nb`'
  expect(shown(parseInlines(text, true))).toBe('one two\\ three⏎four⏎em(five six) code(a b)')
  const page = renderToStaticMarkup(Markdown({ isWrapped: true, children: '- a\n  b\n\n> c\n> d' }))
  expect(page).not.toContain('<br')
})

const outline = (blocks: Block[]): unknown =>
  blocks.map((block) => {
    if (block.kind === 'quote') return ['quote', outline(block.blocks)]
    if (block.kind === 'list')
      return [
        block.start === null ? 'ul' : `ol${block.start}`,
        block.loose ? 'loose' : 'tight',
        block.items.map((item) => [...(item.checked === null ? [] : [item.checked]), outline(item.blocks)]),
      ]
    if (block.kind === 'table') return ['table', block.align.map(String).join(), block.head, ...block.rows]
    if (block.kind === 'heading') return `h${block.level} ${block.text}`
    if (block.kind === 'code') return `code ${block.info}: ${block.text}`
    return block.kind === 'paragraph' ? block.text : 'rule'
  })

const BLOCKS: [text: string, expected: unknown][] = [
  ['# One\n## Two ##\ntext\nmore\n\nnext', ['h1 One', 'h2 Two', 'text\nmore', 'next']],
  ['Title\n=====\nSub\n---\n***', ['h1 Title', 'h2 Sub', 'rule']],
  ['```ts\nconst a = 1\n\n  b\n```\nafter', ['code ts: const a = 1\n\n  b', 'after']],
  ['~~~\nnever closed', ['code : never closed']],
  ['text\n```\ncode\n```', ['text', 'code : code']],
  ['    indented\n    more\n\ntext', ['code : indented\n    more'.replace('    ', ''), 'text']],
  ['> quote\nlazy\n> - a\n\nout', [['quote', ['quote\nlazy', ['ul', 'tight', [[['a']]]]]], 'out']],
  [
    '- a\n- b\n  - c\n  - d\n- e',
    [['ul', 'tight', [[['a']], [['b', ['ul', 'tight', [[['c']], [['d']]]]]], [['e']]]]],
  ],
  ['1. a\n\n   more\n2. b', [['ol1', 'loose', [[['a', 'more']], [['b']]]]]],
  [
    '3) x\n4) y\n\n- z',
    [
      ['ol3', 'tight', [[['x']], [['y']]]],
      ['ul', 'tight', [[['z']]]],
    ],
  ],
  [
    '- [ ] todo\n- [x] done',
    [
      [
        'ul',
        'tight',
        [
          [false, ['todo']],
          [true, ['done']],
        ],
      ],
    ],
  ],
  ['- a\n  ```sh\n  ls\n  ```', [['ul', 'tight', [[['a', 'code sh: ls']]]]]],
  ['In 2024\n2024. was a year', ['In 2024\n2024. was a year']],
  [
    '| a | b |\n|:--|--:|\n| 1 \\| 2 | `x|y` |\n| 3 |\n\nend',
    [['table', 'left,right', ['a', 'b'], ['1 | 2', '`x|y`'], ['3', '']], 'end'],
  ],
  ['a | b\nno table', ['a | b\nno table']],
  ['<script>alert(1)</script>', ['<script>alert(1)</script>']],
  ['one\r\ntwo', ['one\ntwo']],
  ['-\n- a', [['ul', 'tight', [[[]], [['a']]]]]],
]

test('blocks read as in CommonMark and GitHub', () => {
  for (const [text, expected] of BLOCKS) expect(outline(parseBlocks(text)), text).toEqual(expected)
})

test('an address with a scheme that could run something is dropped', () => {
  for (const address of [
    'javascript:alert(1)',
    'JaVaScRiPt:x',
    'java\tscript:x',
    '\u0001javascript:x',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc',
  ])
    expect(safeAddress(address), address).toBe(undefined)
  for (const address of ['/cards/1', '#a', 'x.md', 'https://a.example/?a=b&c', 'mailto:me@a.example'])
    expect(safeAddress(address)).toBe(address)
})

test('no word is lost, whatever stands around it', () => {
  const marks = [
    'a',
    'b c',
    '*',
    '**',
    '_',
    '`',
    '[',
    '](',
    ')',
    '!',
    '\n',
    '\n\n',
    '> ',
    '- ',
    '1. ',
    '# ',
    '    ',
    '<',
    '~~',
    '\\',
  ]
  const words = (value: unknown) => [...JSON.stringify(value).matchAll(/[abc](?=[^a-z]|$)/g)].length
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...marks), { maxLength: 40 }), (parts) => {
      const text = parts.map((part) => (/[abc]$/.test(part) ? `${part} ` : part)).join('')
      expect(words(parseInlines(text))).toBeGreaterThanOrEqual(words(text))
      expect(words(parseBlocks(text))).toBeGreaterThanOrEqual(words(text))
    }),
    { numRuns: 300 },
  )
})

test('hostile texts are read in linear time: a quadratic way would not end here', () => {
  const samples = '*|`|[|](|![|> |- |*a |_a*|``a`|[a](|<|http://|~~a|#|1. |\\|&amp|`a``|**a*b|:-'.split('|')
  for (const sample of [...samples, '|']) {
    const line = sample.repeat(Math.floor(30_000 / sample.length))
    parseInlines(line)
    parseBlocks(line)
    parseBlocks(line.replace(/.{80}/g, '$&\n'))
  }
}, 15_000)
