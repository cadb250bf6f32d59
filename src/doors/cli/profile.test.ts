import { execFileSync } from 'node:child_process'
import {
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeWhere, NOT_LINUX } from '../../../test/support/skips.ts'
import { mountSmallDisk, NO_SMALL_DISK } from '../../../test/support/small-disk.ts'
import { writePrivate } from './profile.ts'

const disk = mountSmallDisk(1)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-settings-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('who reads settings while they are written has the old ones or the new ones, never a part', () => {
  const [file, link] = [join(folder, 'there.json'), join(folder, 'linked.json')]
  writeFileSync(file, 'the old text', { mode: 0o644 })
  symlinkSync(file, link)
  for (const name of [file, link]) {
    const before = readFileSync(file, 'utf8')
    const reader = openSync(name, 'r')
    writePrivate(name, `new text of ${name}`)
    expect(readFileSync(reader, 'utf8')).toBe(before)
    expect(readFileSync(file, 'utf8')).toBe(`new text of ${name}`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  }
  expect(readdirSync(folder).sort()).toEqual(['linked.json', 'there.json'])
})

describeWhere('a folder in which nothing can be written', NOT_LINUX, () => {
  test('has its file named, not the draft', () => {
    expect(() => writePrivate('/proc/self/there.json', '{}')).toThrow(
      expect.objectContaining({ path: '/proc/self/there.json' }),
    )
  })
})

describeWhere('a settings file that a container has from outside', disk ? undefined : NO_SMALL_DISK, () => {
  test('is written where it stands', () => {
    const [outside, inside] = [join(disk ?? '', 'outside.json'), join(folder, 'inside.json')]
    for (const file of [outside, inside]) writeFileSync(file, 'the old text, which is longer')
    execFileSync('mount', ['--bind', outside, inside])
    try {
      writePrivate(inside, 'the new text')
      expect(readFileSync(outside, 'utf8')).toBe('the new text')
      expect(readdirSync(folder)).toEqual(['inside.json'])
    } finally {
      execFileSync('umount', [inside])
    }
  })
})
