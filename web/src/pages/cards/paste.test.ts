import { expect, test } from 'vitest'
import { parseBlocks } from '../../ui/markdown/blocks.ts'
import { fenced, pasteInto, recognise } from './paste.tsx'

const SAMPLES: [what: string | null, text: string][] = [
  [
    'a stack trace',
    'TypeError: x is not a function\n    at run (/srv/app/main.js:10:5)\n    at async load (/srv/app/load.js:3:1)',
  ],
  [
    'a stack trace',
    'Traceback (most recent call last):\n  File "app.py", line 3, in <module>\n    main()\nValueError: no',
  ],
  [
    'a stack trace',
    'Exception in thread "main" java.lang.NullPointerException\n\tat com.example.App.run(App.java:14)\n\tat com.example.App.main(App.java:3)',
  ],
  [
    'a stack trace',
    'panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:5 +0x2d\nexit status 2',
  ],
  [
    'a stack trace',
    "app.rb:3:in `load': no file (Errno::ENOENT)\n\tfrom app.rb:3:in `main'\n\tfrom run.rb:1:in `go'",
  ],
  [
    'a stack trace',
    'System.Exception: no\n   at App.Run() in /srv/App.cs:line 3\n   at App.Main() in /srv/App.cs:line 9',
  ],
  ['a log', '2026-01-02 10:00:00 starting\n2026-01-02 10:00:01 listening on 8080'],
  ['a log', '[INFO] starting\n[ERROR] no database'],
  ['a log', 'ERROR pool exhausted\n  waiting: 12\nWARN retry\nINFO ok'],
  ['a log', 'Jan  3 10:01:02 host sshd[1]: closed\nJan  3 10:01:03 host sshd[1]: opened'],
  ['the output of a command', '$ npm ci\nadded 12 packages'],
  ['the output of a command', 'dev@host:~/app$ ls\nREADME.md'],
  ['the output of a command', 'npm error code ERESOLVE\nnpm error ERESOLVE could not resolve'],
  ['the output of a command', 'src/a.ts(3,5): error TS2322: no\nFound 1 error.'],
  ['a diff', 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b'],
  ['JSON', '{\n  "name": "x",\n  "private": true\n}'],
  [null, 'One line only: Error: no'],
  [null, 'First paragraph of prose.\n\nAnother one, at 10:00 in the morning.'],
  [null, '- a list\n- of things\n- at hand'],
  [null, '# Heading\n\nerror: is what it says\n\n1. do this'],
  [null, '```sh\n$ ls\n```\nand text'],
  [null, 'See https://example.com/a\nand https://example.com/b'],
]

test('text that would lose its shape is recognised, prose and Markdown are not', () => {
  for (const [what, text] of SAMPLES) expect(recognise(text)?.what ?? null, text).toBe(what)
})

test('a fence stands on lines of its own, wherever it goes', () => {
  for (const [before, after] of [
    ['', ''],
    ['text', 'more'],
    ['text\n', '\nmore'],
    ['text\n\n', '\n\nmore'],
  ]) {
    const whole = `${before}${fenced('\nline 1\nline 2\n', 'log', before ?? '', after ?? '')}${after}`
    const codes = parseBlocks(whole).filter((block) => block.kind === 'code')
    expect(codes, whole).toEqual([{ kind: 'code', info: 'log', text: 'line 1\nline 2' }])
  }
})

const LOG = '[INFO] one\n[INFO] two'

test('a paste goes in as it is, or fenced, or cut with a word about it', () => {
  const at = { before: 'Seen: ', after: '', maxLength: 1000, asCode: true }
  expect(pasteInto('plain', at)).toBe(null)
  expect(pasteInto(LOG, at)).toMatchObject({
    text: `\n\n\`\`\`log\n${LOG}\n\`\`\`\n`,
    recognised: { what: 'a log' },
    cut: '',
  })
  expect(pasteInto(LOG, { ...at, asCode: false })).toBe(null)
  const coloured = LOG.replaceAll('INFO', '\u001b[32mINFO\u001b(B\u001b[m')
  expect(pasteInto(coloured, at)).toEqual(pasteInto(LOG, at))
  expect(pasteInto(coloured, { ...at, asCode: false })).toMatchObject({ text: LOG, cut: '' })
  expect(pasteInto('x'.repeat(50), { ...at, maxLength: 26 })).toMatchObject({
    text: 'x'.repeat(20),
    cut: 'x'.repeat(30),
  })
  expect(pasteInto('😀'.repeat(5), { ...at, before: '', maxLength: 3 })).toMatchObject({
    text: '😀',
    cut: '😀'.repeat(4),
  })
  const short = pasteInto(LOG, { ...at, maxLength: 40 })
  expect(short?.text.length).toBeLessThanOrEqual(34)
  expect(short?.text.endsWith('\n```\n')).toBe(true)
  expect(short?.cut).not.toBe('')
})
