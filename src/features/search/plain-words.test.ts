import { expect, test } from 'vitest'
import { plainWords } from './search-misses.ts'

test('plain words stay, in lower case and each once', () => {
  expect(plainWords('How to rotate the Kafka certificates? certificates')).toBe('rotate kafka certificates')
  expect(plainWords('ECONNREFUSED c++ utf-8')).toBe('econnrefused c++ utf-8')
  expect(plainWords('Überlauf im Puffer')).toBe('überlauf im puffer')
})

test('addresses, paths, numbers, secrets and pasted texts are left out', () => {
  const secret = ['sk', 'live', 'a1B2c3D4e5F6g7H8i9J0k1L2'].join('_')
  for (const query of [
    '',
    '  ',
    '12345 2024-01-02',
    '/home/ann/private.txt',
    'https://example.com/x',
    `login with ${secret}`,
    'two\nlines',
    'word '.repeat(60),
    Array.from({ length: 13 }, (_, i) => `word${i}`).join(' '),
    'x'.repeat(41),
  ])
    expect([query, plainWords(query)]).toEqual([query, null])
  expect(plainWords('mail to ann@example.com fails')).not.toContain('ann')
})
