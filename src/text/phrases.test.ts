import { expect, test, vi } from 'vitest'
import { beginningTest, namedTexts, nameTest, phraseTest } from './snippet.ts'

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

test.each([
  ['crashloop', 'pods in CrashLoopBackOff', true],
  ['crashloop', 'crash_loop_back_off', true],
  ['crashloop', 'the crashLooperBackOff', false],
  ['loopback', 'pods in CrashLoopBackOff', false],
])('the beginning “%s” of a name in “%s”: %s', (beginning, text, isThere) => {
  expect(beginningTest(beginning)(namedTexts([text]))).toBe(isThere)
})

test('the names of a text are cut once, however many are looked for', () => {
  const texts = ['xcrashloopx getUserById']
  const cuts = vi.spyOn(texts, 'flatMap')
  const named = namedTexts(texts)
  for (let i = 0; i < 3; i++) expect(nameTest('crash loop')(named)).toBe(false)
  expect(nameTest('user by')(named)).toBe(true)
  for (let i = 0; i < 3; i++) expect(beginningTest('xcrashloo')(named)).toBe(false)
  expect(beginningTest('getuser')(named)).toBe(true)
  expect(nameTest('never there')(namedTexts(texts))).toBe(false)
  expect(cuts).toHaveBeenCalledTimes(1)
})
