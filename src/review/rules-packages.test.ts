import { expect, test } from 'vitest'
import { growsTooFast } from '../../test/support/linear-time.ts'
import { findDanger } from './find-danger.ts'
import { isWithinEdits } from './known-software.ts'

test('a letter more, less or another is one edit, and so are exchanged neighbours', () => {
  for (const name of ['lodas', 'lodashh', 'alodash', 'lodesh', 'loadsh', 'oldash'])
    expect([isWithinEdits(name, 'lodash', 0), isWithinEdits(name, 'lodash', 1)], name).toEqual([false, true])
  expect(isWithinEdits('requets', 'requests', 1)).toBe(true)
  expect(isWithinEdits('dolash', 'lodash', 1)).toBe(false)
  expect(isWithinEdits('dolash', 'lodash', 2)).toBe(true)
  expect(isWithinEdits('react', 'vue', 2)).toBe(false)
})

const isReported = (name: string) =>
  findDanger(`npm install ${name}`).some(({ rule }) => rule === 'lookalike_package')

test('a long name is compared with two edits, a short one with one', () => {
  expect(
    ['expresss', 'exprss', 'tailwindcsss', 'tailwnidcsss', 'reqct', 'l0dash'].filter(isReported),
  ).toEqual(['expresss', 'exprss', 'tailwindcsss', 'tailwnidcsss', 'reqct', 'l0dash'])
  expect(['exprrress', 'tailwindcss', 'react', 'my-own-package', 'x'.repeat(60)].filter(isReported)).toEqual(
    [],
  )
})

test('unknown names cost no more the longer they are', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  let names = 0
  /** Each name once: what has been answered is remembered. */
  const nameOf = (length: number) => {
    names += 1
    return Array.from({ length }, (_, at) => letters[(names * (at + 7) + (names >> (at % 9))) % 26]).join('')
  }
  const read = (length: number) =>
    findDanger(Array.from({ length: 3000 }, () => `npx ${nameOf(length)}`).join('\n'))
  expect(growsTooFast(read, 5)).toBe(false)
})
