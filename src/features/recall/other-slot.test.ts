import { expect, test, vi } from 'vitest'
import { namesAnotherBetween } from './mismatch.ts'

const card = (title: string, symptom: string, fix: string) => {
  const about = `${title}\n${fix}`.toLowerCase()
  return {
    quoting: [title, symptom],
    title: title.toLowerCase(),
    about,
    all: `${about}\n${symptom.toLowerCase()}`,
  }
}
const isAnother = (line: string, told: ReturnType<typeof card>, more = '') =>
  namesAnotherBetween([line], `${line}\n${more}`.toLowerCase(), told)

const THREADS = card(
  'Linking fails on pthread_create: DSO missing',
  'The linker stops with undefined reference to symbol pthread_create.',
  'Link with -pthread.',
)
const GESTURES = card(
  'jest does not know RNGestureHandlerModule',
  'TurboModuleRegistry.getEnforcing: RNGestureHandlerModule could not be found.',
  'Add jestSetup.js to setupFiles.',
)
const WSL = card(
  'WSL 0x80370102 on a laptop',
  'WslRegisterDistribution failed with error 0x80370102.',
  'Enable VT-x.',
)
const KOTLIN = card(
  'Duplicate class kotlin.collections',
  'Duplicate class kotlin.collections.jdk8.CollectionsJDK8Kt found in modules',
  'Align with the BOM.',
)
const ONNX = card(
  'onnxruntime DLL load failed on the agents',
  'ImportError: DLL load failed while importing onnxruntime_pybind11_state.',
  'Install the redistributable.',
)
const PEER = card('react@18.2.0 is too old', 'npm error Found: react@18.2.0', 'Update it.')
const PROTO = card(
  'A proto file names no Go package',
  'unable to determine Go import path for views.proto: please specify it',
  'Add option go_package.',
)
const BORROW = card(
  'E0502 when a loop pushes into the vector that it reads',
  'cannot borrow `self.items` as mutable',
  'Collect first, then extend.',
)

test('the same words around another name are another failure', () => {
  for (const [line, told] of [
    ["/usr/bin/ld: draw.o: undefined reference to symbol 'glXSwapBuffers'", THREADS],
    ["TurboModuleRegistry.getEnforcing(...): 'RNCAsyncStorage' could not be found.", GESTURES],
    ['WslRegisterDistribution failed with error: 0x8007019e', WSL],
    ['npm error Found: eslint@9.3.0', PEER],
    ['ImportError: DLL load failed while importing win32api: not found', ONNX],
  ] as const)
    expect(isAnother(line, told), line).toBe(true)
})

test('the same name, one of its package, another version, or a name that the card only quotes is not', () => {
  for (const [line, told] of [
    ["undefined reference to symbol 'pthread_create@@GLIBC_2.2.5'", THREADS],
    ["/usr/bin/ld: a.o: undefined reference to symbol 'sem_post'; pthread_create", THREADS],
    ['Duplicate class kotlin.internal.jdk7.JDK7PlatformImplementations found in modules', KOTLIN],
    ['npm error Found: react@19.0.0', PEER],
    ['unable to determine Go import path for setup.proto: please specify it', PROTO],
    ['cannot borrow `self.rows` as mutable', BORROW],
  ] as const)
    expect(isAnother(line, told), line).toBe(false)
})

test('a name of the card that stands anywhere in the output counts as said', () => {
  const line = 'WslRegisterDistribution failed with error: 0x8007019e'
  expect(isAnother(line, WSL, 'Error: 0x80370102')).toBe(false)
})

test('many names between the same words are not each looked for in the output, nor compared without end', () => {
  const many = (begin: string, n: number) =>
    Array.from({ length: n }, (_, i) => `at ${begin}${i}x in`).join(' ')
  const told = card('Nothing works', many('told', 300), 'Wait.')
  const output = many('asked', 300)
  const looked = vi.spyOn(String.prototype, 'includes')
  const isOther = namesAnotherBetween([output], `${output}\n${'all is well '.repeat(100)}`, told)
  const count = looked.mock.calls.length
  looked.mockRestore()
  expect(isOther).toBe(false)
  expect(count).toBeLessThan(3000)
})
