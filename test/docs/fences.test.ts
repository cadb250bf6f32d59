import { expect, test } from 'vitest'
import { commandBlocksOf, fencesOf, findOutput } from './fences.ts'

const PAGE = [
  '# Page',
  '```sh',
  'echo one   # → one',
  'echo two',
  '```',
  '',
  '```text',
  'two',
  '```',
  '',
  'Words between.',
  '```console needs another machine',
  'ssh there',
  '```',
  '~~~~json',
  '{"a": "```"}',
  '~~~~',
].join('\n')

test('blocks are found with language, note and line', () => {
  expect(fencesOf(PAGE).map(({ language, note, line }) => [language, note, line])).toEqual([
    ['sh', '', 3],
    ['text', '', 8],
    ['console', 'needs another machine', 13],
    ['json', '', 16],
  ])
  expect(() => fencesOf('```sh\necho')).toThrow('line 1: the block is never closed')
})

test('only sh blocks are executed; the expected output is the marked text and the following text block', () => {
  expect(commandBlocksOf(PAGE)).toEqual([
    {
      line: 3,
      script: 'echo one   # → one\necho two',
      expected: [
        { line: 3, text: 'one' },
        { line: 8, text: 'two' },
      ],
    },
  ])
  expect(commandBlocksOf('```sh\na\n```\nWords.\n```text\nb\n```')[0]?.expected).toEqual([])
})

test('documented output is found with gaps and with other blanks', () => {
  expect(findOutput('{"id":"17","b": 2}', '"id":"…","b": 2', 0)).toBe(17)
  expect(findOutput('a  b\nc', 'a b c', 0)).toBe(6)
  expect(findOutput('a b', 'b a', 0)).toBe(-1)
  expect(findOutput('ab', 'a', 1)).toBe(-1)
})
