import { expect, test } from 'vitest'
import { meansAlso } from './thesaurus.ts'

test('words of the field mean each other, across languages and as index terms', () => {
  for (const [one, other] of [
    ['oom', 'memori'],
    ['k8s', 'kubernet'],
    ['timeout', 'deadlin'],
    ['verweigert', 'deni'],
    ['失敗', 'fail'],
  ] as const) {
    expect(meansAlso(one), one).toContain(other)
    expect(meansAlso(other), other).toContain(one)
  }
})

test('no word means itself, and an unknown one means nothing else', () => {
  expect(meansAlso('oom')).not.toContain('oom')
  expect(meansAlso('quokka')).toEqual([])
})
