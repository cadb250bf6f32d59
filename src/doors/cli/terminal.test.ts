import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { repository } from '../../../test/support/process.ts'
import { EXIT } from './exit-codes.ts'
import { paint, plain, plainLines, print, printJson, table, tableOrBlocks } from './terminal.ts'

test('text of others reaches a terminal without control characters and signs of direction', () => {
  for (const sign of ['\u001b', '\u009b', '\u202a', '\u202e', '\u2066', '\u2069']) {
    expect(plain(`a${sign}b`)).toBe('ab')
    expect(plainLines(`a${sign}b\nc`)).toBe('ab\nc')
  }
})

test('of what is printed, only the colours of the command itself move the terminal', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  print(`\u001b[1mbold\u001b[0m a\u001b]0;owned\u0007b\u001b[2Jc\u001b[8md\u009b31me\nf${paint('red', '')}`)
  const printed = String(write.mock.calls[0]?.[0])
  write.mockRestore()
  expect(printed).toBe('\u001b[1mbold\u001b[0m a]0;ownedb[2Jc[8md31me\nf\n')
})

test('JSON for a terminal has no such character either, and says the same', () => {
  const value = { title: 'a\u001b]0;owned\u0007b\u007f\u009b2Jc\u202ed\u2066e\nf\tg' }
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  printJson(value)
  const printed = String(write.mock.calls[0]?.[0])
  write.mockRestore()
  expect(printed).toMatch(/^[\n -~]*$/)
  expect(JSON.parse(printed)).toEqual(value)
})

test('a table that is wider than the terminal becomes blocks, and stays a table in a pipe', () => {
  const head = ['card', 'title', 'fits']
  const rows = [
    ['c-1', 'Disk full: the cache grows', 'exact'],
    ['c-2', 'Ports in use', ''],
  ]
  expect(tableOrBlocks(head, rows, 80)).toBe(table(head, rows))
  expect(tableOrBlocks(head, rows)).toBe(table(head, rows))
  expect(tableOrBlocks(head, rows, 30)).toBe(
    'card   c-1\ntitle  Disk full: the cache grows\nfits   exact\n\ncard   c-2\ntitle  Ports in use',
  )
})

test('columns stay in line beside letters of East Asia, which are two columns wide', () => {
  const rows = [
    ['日本語', 'x'],
    ['e\u0301', 'x'],
    ['한글ｱ', 'x'],
    ['plain', 'x'],
  ]
  expect(table(['title', 'end'], rows).split('\n').slice(1)).toEqual([
    '日本語  x',
    `e\u0301${' '.repeat(7)}x`,
    '한글ｱ   x',
    'plain   x',
  ])
})

test('a failure whose messages nobody reads any more keeps its code', async () => {
  const command = spawn(process.execPath, [join(repository, 'bin', 'kvault.js'), 'no-such-command'])
  command.stdout.destroy()
  command.stderr.destroy()
  const [code] = await once(command, 'exit')
  expect(code).toBe(EXIT.usage)
})
