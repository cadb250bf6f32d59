import { describe, expect, test, vi } from 'vitest'
import { withoutNoise } from './command-output.ts'

describe('parts that differ between two outputs of one program are left out', () => {
  test.each([
    ['colours', '\u001b[31mError:\u001b[39m \u001b[1mboom\u001b[22m', 'Error: boom'],
    ['colours of tput', '\u001b[1m\u001b[31mError:\u001b(B\u001b[m boom', 'Error: boom'],
    [
      'a progress bar that was written over',
      'loading 10%\rloading 90%\rFailed to load plugin',
      'Failed to load plugin',
    ],
    ['a bar of signs', '[=====>      ] 45% building', 'building'],
    ['a drawn bar', '████████░░░░ 12 packages', '12 packages'],
    ['a time stamp', '2026-03-14T10:22:31.123Z ERROR pool exhausted', 'ERROR pool exhausted'],
    ['a clock', '[10:22:31] request failed', '[ ] request failed'],
    ['a system log', 'Nov 15 18:11:25 sshd[4711]: Connection reset', 'sshd : Connection reset'],
    ['an address', 'segfault at 0x7ffd3c2a10f0 in libssl', 'segfault at in libssl'],
    ['a uuid', 'job 018f3a52-8a1b-7c3d-9e4f-0123456789ab failed', 'job failed'],
    ['a digest', 'image sha256:9f86d081884c7d659a2feaa0c55ad015 not found', 'image sha256: not found'],
    ['a temporary folder', 'ENOENT: /tmp/build-x81z/cache/config.json', 'ENOENT: config.json'],
    ['a home folder', '/home/somebody/app/src/index.ts failed', 'app/src/index.ts failed'],
    ['line and column', 'src/app.ts:120:14 - error TS2345', 'src/app.ts - error TS2345'],
    ['line and column in brackets', 'Program.cs(12,34): error CS0103', 'Program.cs : error CS0103'],
    ['a duration', 'FAIL in 12.5s', 'FAIL in'],
  ])('%s', (_what, text, expected) => {
    expect(withoutNoise(text)).toBe(expected)
  })

  test('frames beyond the first three, and frames of libraries', () => {
    const stack = [
      'TypeError: fetch failed',
      '    at node:internal/deps/undici/undici:12345:11',
      '    at load (/srv/app/src/load.ts:10:5)',
      '    at /srv/app/node_modules/x/index.js:1:2)',
      '    at run (/srv/app/src/run.ts:20:7)',
      '    at main (/srv/app/src/main.ts:30:9)',
      '    at start (/srv/app/src/start.ts:40:1)',
    ].join('\n')
    const clean = withoutNoise(stack)
    expect(clean).toContain('TypeError: fetch failed')
    expect(clean).toContain('load.ts')
    expect(clean).toContain('main.ts')
    expect(clean).not.toContain('start.ts')
    expect(clean).not.toContain('undici')
  })

  test('a line that occurs twice', () => {
    expect(withoutNoise('10:00:01 retrying\n10:00:02 retrying\n10:00:03 gave up')).toBe('retrying\ngave up')
  })
})

describe('what tells stays', () => {
  test.each([
    'npm ERR! code ERESOLVE',
    'error[E0502]: cannot borrow `x` as mutable',
    'django.db.utils.OperationalError: FATAL: password authentication failed',
    'fastify@5.12.7 requires node >= 20',
    'ORA-00942: table or view does not exist',
    'HTTP 502 Bad Gateway from upstream',
    'how to merge two dictionaries in python 3.11',
    'C:\\project\\main.cpp: fatal error LNK1104',
    'undefined reference to `deadbeef`',
    'データベースに接続できません',
  ])('%s', (text) => {
    expect(withoutNoise(text)).toBe(text)
  })
})

test('hostile text costs time in proportion to its length', () => {
  for (const piece of [
    'a'.repeat(2000),
    '/tmp/a/',
    '0x',
    '1:',
    '[=',
    'at (',
    '\u001b[',
    '\u001b]',
    'Jan ',
    '0123456789ab',
  ]) {
    const text = piece.repeat(Math.ceil(200_000 / piece.length))
    expect(withoutNoise(text).length).toBeLessThanOrEqual(text.length)
  }
})

test('a line that was read before is not cleaned again', () => {
  const replacesIn = (text: string) => {
    const replaces = vi.spyOn(String.prototype, 'replace')
    withoutNoise(text)
    const { length } = replaces.mock.calls
    replaces.mockRestore()
    return length
  }
  for (const lines of ['\n', '\r\n', 'Error: boom\n'])
    expect(replacesIn(lines.repeat(1000)), JSON.stringify(lines)).toBeLessThan(1200)
  expect(withoutNoise('one\n\none\n at 10:00:00 one\ntwo\n\ntwo')).toBe('one\nat one\ntwo')
})
