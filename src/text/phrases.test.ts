import { expect, test } from 'vitest'
import { namedTexts, nameTest, phraseTest } from './phrases.ts'

test.each([
  ['connection refused', 'Error: Connection refused (111)', true],
  ['connection refused', 'the connection was refused', false],
  ['connection refused', 'connections refused', false],
  ['no such method error', 'fails with no such method: error', true],
  ['get user', 'get_user by id', true],
  ['接続が切れる', '夜に接続が切れることがある', true],
  ['database lock', 'the data\u00adbase lock', true],
  ['!!!', 'anything', false],
])('“%s” in “%s”: %s', (phrase, text, isThere) => {
  expect(phraseTest(phrase)(text)).toBe(isThere)
})

test.each([
  ['crash loop', 'pods in CrashLoopBackOff', true],
  ['user by id', 'repository.getUserById(7)', true],
  ['crash loop', 'crash, loop', true],
  ['crash loop', 'the crashLooper', false],
  ['get user', 'getUserland, a widgetUser', false],
])('the name “%s” in “%s”: %s', (spoken, text, isThere) => {
  expect(nameTest(spoken)(namedTexts([text]))).toBe(isThere)
})

test('many names are looked for in about the time of one, also where cutting the names of a text takes long', () => {
  const texts = namedTexts([`xcrashloopx ${'aA'.repeat(10_000)}`])
  const first = texts.names()
  const isIn = nameTest('crash loop')
  const began = performance.now()
  for (let i = 0; i < 100; i++) expect(isIn(texts)).toBe(false)
  // To cut them for each would take a second.
  expect(performance.now() - began).toBeLessThan(200)
  expect(texts.names()).toBe(first)
})
