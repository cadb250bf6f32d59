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
import { writePrivate } from './profile.ts'

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

test.runIf(process.platform === 'linux')('what cannot be written is named, not its draft', () => {
  expect(() => writePrivate('/proc/self/there.json', '{}')).toThrow(
    expect.objectContaining({ path: '/proc/self/there.json' }),
  )
})
